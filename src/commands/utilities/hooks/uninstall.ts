// Removes one of our hooks and restores the previous hook: the same file, with its mode.

import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { PlanError } from '../../../errors.ts'
import { syncNow } from '../../../git/write/durable-fs.ts'
import { quoteWord } from '../../../process/shell-words.ts'
import { addName, withPathErrors, removeDrafts } from './install.ts'
import { isSame, type FoundHook } from './inspect-hook.ts'

export type Uninstalled = 'removed' | 'restored' | 'unchanged'

export function refuseUninstall({ state, path }: FoundHook): void {
  if (state !== 'changed') return
  throw new PlanError('path-refused', `${path} was written by git plan and modified since`, {
    hint: `mv ${quoteWord(path)} ${quoteWord(`${path}.old`)} && git plan hooks uninstall`,
  })
}

export function uninstallHook(found: FoundHook): Uninstalled {
  return withPathErrors(found.path, () => {
    removeDrafts(found.path)
    const done = removeHook(found)
    if (done !== 'unchanged') syncNow(dirname(found.path))
    return done
  })
}

function removeHook({ state, path, before, hasBefore }: FoundHook): Uninstalled {
  switch (state) {
    case 'installed':
    case 'outdated':
    case 'not-executable':
      // Atomic: Git finds one or the other.
      if (hasBefore) renameSync(before, path)
      else rmSync(path)
      return hasBefore ? 'restored' : 'removed'
    case 'left':
      // Must not overwrite a hook that somebody creates at this moment.
      if (addName(before, path) === 'both') rmSync(before)
      return 'restored'
    case 'other':
      // A killed installation gave it a second name and did nothing else.
      if (!isSame(path, before)) return 'unchanged'
      rmSync(before)
      return 'restored'
    default:
      return 'unchanged'
  }
}
