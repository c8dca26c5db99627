// Where a path lies, as far as the text of it says.

import { marks, mayBeEmpty } from './marks.ts'

/**
 * `inside`: in the repository, or nobody knows. `repository`: all of it. `git`: the git directory. `open`: at the root of the disk where a variable is empty.
 */
export type Place =
  | 'inside'
  | 'repository'
  | 'git'
  | 'temporary'
  | 'harmless'
  | 'device'
  | 'network'
  | 'outside'
  | 'open'

const open = new RegExp(`^[${mayBeEmpty}]+[/${marks.glob}]`, 'u')
const harmless = /^\/(dev\/(null|stdout|stderr|stdin|tty|zero|full|u?random|fd(\/.*)?)|proc\/self\/fd\/.*)$/
const temporary = new RegExp(`^/(tmp|var/tmp|private/tmp|(private/)?var/folders|dev/shm)/(?![.${marks.glob}]*$)`, 'u')
const onlyGlob = new RegExp(`^[.${marks.glob}]+$`, 'u')

/** A path as it is from the top of the repository, without detours; empty for the top. `cwd`: where the command runs, in the same way. */
export function fromTop(path: string, cwd: string): string {
  if (path.startsWith(marks.top)) return fromTop(path.slice(1).replace(/^\/+/, ''), '')
  if (path.startsWith('/')) return `/${segmentsOf(path).join('/')}`
  if (cwd !== '' && !path.startsWith(marks.home) && !open.test(path)) return fromTop(`${cwd}/${path}`, '')
  return segmentsOf(path).join('/')
}

/** The same, as a command elsewhere would have to name it. */
export const nameOf = (cwd: string): string => (/^[/\u{E000}-\u{E008}]/u.test(cwd) ? cwd : `${marks.top}/${cwd}`)

/** `cwd`: where the command runs, from the top of the repository; empty for the top. */
export function placeOf(path: string, cwd: string): Place {
  if (path.startsWith(marks.top)) return placeOf(`./${path.slice(1)}`, '')
  if (path.startsWith(marks.home)) return 'outside'
  if (open.test(path)) return 'open'
  if (path.startsWith('/')) return absolute(`/${segmentsOf(path).join('/')}`)
  if (cwd !== '') return placeOf(`${cwd}/${path}`, '')
  const segments = segmentsOf(path)
  const [first, ...rest] = segments
  if (first === undefined) return 'repository'
  if (first === '..') return 'outside'
  if (first.toLowerCase() === '.git') return 'git'
  return segments.every((each) => onlyGlob.test(each)) && rest.length < 2 ? 'repository' : 'inside'
}

function absolute(path: string): Place {
  if (harmless.test(path)) return 'harmless'
  if (/^\/dev\/(tcp|udp)\//.test(path)) return 'network'
  if (temporary.test(path)) return 'temporary'
  return path.startsWith('/dev/') ? 'device' : 'outside'
}

function segmentsOf(path: string): string[] {
  const segments: string[] = []
  const isAbsolute = path.startsWith('/')
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    const last = segments.at(-1)
    if (segment !== '..') segments.push(segment)
    else if (last !== undefined && last !== '..') segments.pop()
    else if (!isAbsolute) segments.push(segment)
  }
  return segments
}
