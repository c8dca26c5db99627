// Tells where a path leads, as far as its text shows.

import { top, unknown } from './marks.ts'

/** `open`: the root directory if a variable is empty. `inside` also covers unknown paths. */
export type Location = 'inside' | 'repository' | 'git' | 'device' | 'network' | 'outside' | 'open'

const open = new RegExp(`^${unknown}([A-Za-z_]\\w*|\\{[A-Za-z_]\\w*\\})[/*]`, 'u')
const home = /^~[\w-]*(\/|$)/
const temporary = /^\/(tmp|var\/tmp|private\/tmp|(private\/)?var\/folders|dev\/shm)\/(?![.*]*$)/
const harmless = /^\/(dev\/(null|stdout|stderr|stdin|tty|zero|full|u?random|fd(\/.*)?)|proc\/self\/fd\/.*)$/

const isAbsolute = (path: string): boolean =>
  path.startsWith('/') || path.startsWith(top) || home.test(path) || open.test(path)

/**
 * A path relative to the top of the repository. `cwd`: the command's directory, relative to the top; empty for the top.
 */
export const fromTop = (path: string, cwd: string): string => (cwd === '' || isAbsolute(path) ? path : `${cwd}/${path}`)

/** A name of the directory that is valid from every other directory. */
export const fullName = (cwd: string): string => (isAbsolute(cwd) ? cwd : `${top}/${cwd}`)

export function locationOf(path: string, cwd: string): Location {
  const full = fromTop(path, cwd)
  if (open.test(full)) return 'open'
  if (home.test(full)) return 'outside'
  const segments = segmentsOf(full.startsWith(top) ? full.slice(top.length).replace(/^\/+/, '') : full)
  if (full.startsWith('/')) return absoluteLocation(`/${segments.join('/')}`)
  const [first] = segments
  if (first === undefined) return 'repository'
  if (first === '..') return 'outside'
  if (first.toLowerCase() === '.git') return 'git'
  return segments.length <= 2 && segments.every((each) => /^[.*?]+$/.test(each)) ? 'repository' : 'inside'
}

function absoluteLocation(path: string): Location {
  if (harmless.test(path) || temporary.test(path)) return 'inside'
  if (/^\/dev\/(tcp|udp)\//.test(path)) return 'network'
  return path.startsWith('/dev/') ? 'device' : 'outside'
}

function segmentsOf(path: string): string[] {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    const last = segments.at(-1)
    if (segment !== '..') segments.push(segment)
    else if (last !== undefined && last !== '..') segments.pop()
    else if (!path.startsWith('/')) segments.push(segment)
  }
  return segments
}
