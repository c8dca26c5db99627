// Takes a hook of ours away, and gives what was there before its name back: the same file, with its mode.

import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { PlanError } from '../../../errors.ts'
import { syncNow } from '../../../git/write/durable-fs.ts'
import { quoteWord } from '../../../process/shell-words.ts'
import { nameAgain, orRefused, removeDrafts } from './install.ts'
import { isSame, type FoundHook } from './inspect-hook.ts'

export type Uninstalled = 'removed' | 'restored' | 'unchanged'

export function refuseUninstall({ state, path }: FoundHook): void {
  if (state !== 'changed') return
  throw new PlanError('path-refused', `${path} was written by git plan and modified since`, {
    hint: `mv ${quoteWord(path)} ${quoteWord(`${path}.old`)} && git plan hooks uninstall`,
  })
}

export function uninstallHook(found: FoundHook): Uninstalled {
  return orRefused(found.path, () => {
    removeDrafts(found.path)
    const done = takeAway(found)
    if (done !== 'unchanged') syncNow(dirname(found.path))
    return done
  })
}

function takeAway({ state, path, before, hasBefore }: FoundHook): Uninstalled {
  switch (state) {
    case 'installed':
    case 'outdated':
    case 'not-executable':
      // In one act: git finds the one or the other.
      if (hasBefore) renameSync(before, path)
      else rmSync(path)
      return hasBefore ? 'restored' : 'removed'
    case 'left':
      // Not over a hook that somebody puts there at this moment.
      if (nameAgain(before, path) === 'both') rmSync(before)
      return 'restored'
    case 'other':
      // An installation that was killed has given it a second name, and no more.
      if (!isSame(path, before)) return 'unchanged'
      rmSync(before)
      return 'restored'
    default:
      return 'unchanged'
  }
}
