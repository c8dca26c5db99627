// Puts a hook in place. What is there gets its second name before the first one is taken from it, so that a kill at any
// moment leaves it under one of them, and git goes on running it.

import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { PlanError } from '../../../errors.ts'
import { syncNow } from '../../../git/write/durable-fs.ts'
import { quoteWord } from '../../../process/shell-words.ts'
import { isSame, type FoundHook } from './inspect-hook.ts'
import { scriptOf } from './scripts.ts'

/** Everything that keeps a hook from being put there, found before the first one is. */
export function refuseInstall({ name, state, path, before, hasBefore }: FoundHook): void {
  if (state === 'odd')
    throw new PlanError('path-refused', `${path} is not a file`, {
      hint: `mv ${quoteWord(path)} ${quoteWord(`${path}.old`)}`,
    })
  if (state === 'changed')
    throw new PlanError('path-refused', `${path} was written by git plan and modified since`, {
      hint: `mv ${quoteWord(path)} ${quoteWord(`${path}.old`)} && git plan hooks install ${name}`,
    })
  if (state === 'replaced' && hasBefore)
    throw new PlanError('path-refused', `${path} is not the hook that git plan saved as ${before}`, {
      hint: `mv ${quoteWord(before)} ${quoteWord(`${before}.old`)} && git plan hooks install ${name}`,
    })
}

export type Installed = 'written' | 'replaced' | 'unchanged'

export function installHook(found: FoundHook): Installed {
  if (found.state === 'installed' || found.state === 'called') return 'unchanged'
  return orRefused(found.path, () => {
    const directory = dirname(found.path)
    mkdirSync(directory, { recursive: true })
    const draft = writeDraft(found)
    try {
      if (found.state === 'other') keepBefore(found)
      renameSync(draft, found.path)
    } finally {
      rmSync(draft, { force: true })
    }
    syncNow(directory)
    return found.state === 'absent' || found.state === 'left' || found.state === 'other' ? 'written' : 'replaced'
  })
}

/** All of it is on the disk before it has the name that git runs. */
function writeDraft({ name, path }: FoundHook): string {
  removeDrafts(path)
  const draft = `${path}${draftMark}${process.pid}`
  const file = openSync(draft, 'wx', 0o777)
  try {
    writeFileSync(file, scriptOf(name))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return draft
}

const draftMark = '.git-plan-draft-'

/** What an installation that was killed has left. */
export function removeDrafts(path: string): void {
  const names =
    statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(dirname(path)) : []
  for (const name of names)
    if (name.startsWith(`${basename(path)}${draftMark}`)) rmSync(join(dirname(path), name), { force: true })
}

function keepBefore({ name, path, before }: FoundHook): void {
  if (isSame(path, before) || nameAgain(path, before) === 'moved') return
  syncNow(dirname(path))
  // Whoever has written another one meanwhile keeps it.
  if (!isSame(path, before))
    throw new PlanError('path-refused', `${path} changed during the installation`, {
      hint: `git plan hooks install ${name}`,
    })
}

/**
 * A second name, which nobody has yet. `moved`: a file system without hard links, or a file of somebody else, leaves it
 * only that one.
 */
export function nameAgain(path: string, second: string): 'both' | 'moved' {
  if (lstatSync(path).isSymbolicLink()) symlinkSync(readlinkSync(path), second)
  else
    try {
      linkSync(path, second)
    } catch (error) {
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw error
      renameSync(path, second)
      return 'moved'
    }
  return 'both'
}

export function orRefused<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof PlanError) throw error
    throw new PlanError('path-refused', `${path} could not be written: ${(error as Error).message}`, {
      hint: `ls -ld ${quoteWord(dirname(path))}`,
      cause: error,
    })
  }
}
