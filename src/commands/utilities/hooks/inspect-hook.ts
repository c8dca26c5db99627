// Inspects the file under the name of a hook and the previous hook beside it.

import { constants, accessSync, lstatSync, readFileSync, readlinkSync, statSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { authorOf, callsHook, scriptOf, type HookName } from './scripts.ts'

export const states = {
  absent: 'not installed',
  installed: 'installed',
  outdated: 'installed, by another version of git plan',
  'not-executable': 'installed, but not executable: Git does not run it',
  changed: 'installed, but modified since',
  called: 'called by another hook',
  other: 'not installed; there is another hook',
  replaced: 'no longer installed; another hook has replaced it',
  left: 'not installed; the previous hook is still under its other name',
  odd: 'not installed; the path is not a file',
} as const
export type HookState = keyof typeof states

export interface FoundHook {
  readonly name: HookName
  readonly path: string
  /** The path of the previous hook, from which it is run. */
  readonly before: string
  readonly state: HookState
  /** The previous hook exists. */
  readonly hasBefore: boolean
  /** The previous hook is executable. */
  readonly isBeforeRun: boolean
}

/** Larger files are not ours. */
const maxBytes = 64 * 1024

const beforeOf = (path: string): string => `${path}.before-git-plan`

export function inspectHook(directory: string, name: HookName): FoundHook {
  const path = join(directory, name)
  const before = beforeOf(path)
  const kept = factsOf(before)
  return {
    name,
    path,
    before,
    state: stateOf(path, before, name),
    hasBefore: kept !== undefined,
    isBeforeRun: kept !== undefined && isExecutable(before),
  }
}

function stateOf(path: string, before: string, name: HookName): HookState {
  const facts = factsOf(path)
  const hasBefore = factsOf(before) !== undefined
  if (facts === undefined) return hasBefore ? 'left' : 'absent'
  if (!facts.isFile() && !facts.isSymbolicLink()) return 'odd'
  const script = textOf(path)
  const author = script === undefined ? 'other' : authorOf(script)
  if (author === 'changed') return 'changed'
  if (author === 'ours')
    return !isExecutable(path) ? 'not-executable' : script === scriptOf(name) ? 'installed' : 'outdated'
  if (script !== undefined && callsHook(script, name)) return 'called'
  return hasBefore && !isSame(path, before) ? 'replaced' : 'other'
}

/**
 * True for two names of one file, as a killed installation leaves them. Two symlinks are the same if they have the same
 * target.
 */
export function isSame(path: string, before: string): boolean {
  const [one, other] = [factsOf(path), factsOf(before)]
  if (one === undefined || other === undefined) return false
  if (one.isSymbolicLink() && other.isSymbolicLink()) return readlinkSync(path) === readlinkSync(before)
  return one.dev === other.dev && one.ino === other.ino
}

function factsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    // The parent is not a directory, so the file does not exist.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw error
  }
}

/** Follows symlinks. Returns undefined if the file cannot be read, does not exist, or is too large to be ours. */
function textOf(path: string): string | undefined {
  try {
    const facts = statSync(path)
    return facts.isFile() && facts.size <= maxBytes ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
