// Installs a hook. An existing hook gets its second name before it loses the first, so that a kill at any moment leaves
// it under one of them and Git still runs it.

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

/** Refuses everything that prevents an installation, before the first hook is installed. */
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
  return withPathErrors(found.path, () => {
    const directory = dirname(found.path)
    mkdirSync(directory, { recursive: true })
    const draft = writeDraft(found)
    try {
      if (found.state === 'other') keepPrevious(found)
      renameSync(draft, found.path)
    } finally {
      rmSync(draft, { force: true })
    }
    syncNow(directory)
    return found.state === 'absent' || found.state === 'left' || found.state === 'other' ? 'written' : 'replaced'
  })
}

/** The content is durable before the file gets the name that Git runs. */
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

/** Removes the drafts of a killed installation. */
export function removeDrafts(path: string): void {
  const names =
    statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(dirname(path)) : []
  for (const name of names)
    if (name.startsWith(`${basename(path)}${draftMark}`)) rmSync(join(dirname(path), name), { force: true })
}

function keepPrevious({ name, path, before }: FoundHook): void {
  if (isSame(path, before) || addName(path, before) === 'moved') return
  syncNow(dirname(path))
  // A hook that somebody wrote meanwhile is kept.
  if (!isSame(path, before))
    throw new PlanError('path-refused', `${path} changed during the installation`, {
      hint: `git plan hooks install ${name}`,
    })
}

/**
 * Gives the file a second, unused name. `moved`: only the second name is left, since the file system has no hard links
 * or the file belongs to another user.
 */
export function addName(path: string, second: string): 'both' | 'moved' {
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

export function withPathErrors<T>(path: string, act: () => T): T {
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
