// Reads and writes files of the user: regular files below the given top, with symlinks followed only within it.

import {
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { PlanError, toMachineError } from '../../../errors.ts'
import { quoteIfNeeded } from '../../../process/shell-words.ts'

const maxBytes = 4 * 1024 * 1024

/** The text of the file; undefined: there is none. */
export function readTarget(top: string, name: string): string | undefined {
  const path = realPath(top, name)
  const facts = statSync(path, { throwIfNoEntry: false })
  if (facts === undefined) return undefined
  if (!facts.isFile()) throw refused(name, 'is not a file', `ls -ld ${quoteIfNeeded(name)}`)
  if (facts.size > maxBytes) throw refused(name, `has more than ${maxBytes} bytes`, `ls -l ${quoteIfNeeded(name)}`)
  const bytes = readFileSync(path)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw refused(name, 'is not valid UTF-8', `file ${quoteIfNeeded(name)}`)
  }
}

/** undefined removes the file, and the directories that are empty then. Never leaves half a file. */
export function writeTarget(top: string, name: string, text: string | undefined): void {
  const path = realPath(top, name)
  try {
    if (text === undefined) {
      rmSync(path, { force: true })
      removeEmpty(realpathSync.native(top), dirname(path))
      return
    }
    mkdirSync(dirname(path), { recursive: true })
    const mode = statSync(path, { throwIfNoEntry: false })?.mode
    const draft = `${path}.git-plan-${process.pid}`
    writeFileSync(draft, text, { flag: 'wx', ...(mode === undefined ? {} : { mode: mode & 0o7777 }) })
    renameSync(draft, path)
  } catch (error) {
    throw toMachineError(error)
  }
}

function removeEmpty(top: string, directory: string): void {
  for (let at = directory; at !== top && at.startsWith(`${top}/`); at = dirname(at)) {
    try {
      rmdirSync(at)
    } catch {
      return
    }
  }
}

/** The path after all symlinks, of which none may lead out of `top`. */
function realPath(top: string, name: string): string {
  const root = realpathSync.native(top)
  let path = root
  for (const part of relative(root, join(root, name)).split('/')) {
    const next = join(path, part)
    const facts = lstatSync(next, { throwIfNoEntry: false })
    path = facts?.isSymbolicLink() === true ? resolveLink(next, name) : next
    if (path !== root && !path.startsWith(`${root}/`))
      throw refused(name, `leads to ${path}, which is outside of ${top}`, `ls -ld ${quoteIfNeeded(name)}`)
  }
  return path
}

function resolveLink(path: string, name: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    throw refused(name, 'is a symlink to nothing', `ls -ld ${quoteIfNeeded(name)}`)
  }
}

const refused = (name: string, why: string, hint: string): PlanError =>
  new PlanError('path-refused', `${name} ${why}`, { hint })
