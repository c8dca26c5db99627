// Lock files that a killed Git left behind. A lock is removed only if it did not exist when our intent was written, is
// newer than the intent, and no Git process runs in the repository. Any other lock may be in use and stays.

import { existsSync, readdirSync } from 'node:fs'
import { stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../../errors.ts'
import { gitProcessesIn } from '../command/git-processes.ts'

export interface LockPaths {
  readonly gitDir: string
  readonly commonDir: string
  /** Directories below the common directory with our refs, such as `refs/plan/x`. */
  readonly refDirs: readonly string[]
  /** Single refs elsewhere. */
  readonly refs?: readonly string[]
  readonly workTree: string
}

export async function findLocks(paths: LockPaths): Promise<string[]> {
  const fixed = [
    join(paths.gitDir, 'index.lock'),
    join(paths.gitDir, 'HEAD.lock'),
    join(paths.commonDir, 'packed-refs.lock'),
    join(paths.commonDir, 'gc.pid.lock'),
    join(paths.commonDir, 'shallow.lock'),
    ...(paths.refs ?? []).map((ref) => join(paths.commonDir, `${ref}.lock`)),
  ]
  const found: string[] = []
  for (const path of fixed) if (existsSync(path)) found.push(path)
  for (const directory of paths.refDirs) {
    const at = join(paths.commonDir, directory)
    const names = existsSync(at) ? namesBelow(at) : []
    found.push(...names.filter((name) => name.endsWith('.lock')).map((name) => join(at, name)))
  }
  return found
}

function namesBelow(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, encoding: 'utf8' })
  } catch {
    return []
  }
}

/**
 * Returns the locks that stay because they are not proven ours. A lock that may be from a dead run of ours, while a Git
 * process is alive, is waited for and then refused: once the intent is gone, nobody could prove it ours.
 */
export async function removeStaleLocks(
  paths: LockPaths,
  intent: { locksBefore: readonly string[]; writtenAtMs: number },
): Promise<{ removed: string[]; left: string[] }> {
  const removed: string[] = []
  for (let waited = 0, pause = 25; ; waited += pause, pause = Math.min(pause * 2, 400)) {
    const left = await findLocks(paths)
    const born = await locksSince(left, intent)
    const isAlone = born.length > 0 && (await gitProcessesIn([paths.workTree, paths.commonDir])).length === 0
    if (isAlone) {
      for (const lock of born) await unlink(lock)
      removed.push(...born)
    }
    const [doubtful] = isAlone ? [] : born
    if (doubtful === undefined) return { removed, left: left.filter((lock) => !removed.includes(lock)) }
    if (waited >= patienceMs) {
      throw new PlanError('foreign-lock', `${doubtful} may belong to a killed run or to a running Git process`, {
        hint: 'wait until no git process is running in this repository, then run the command again',
        facts: { lock: doubtful },
      })
    }
    await sleep(pause)
  }
}

const patienceMs = 3000

async function locksSince(
  locks: readonly string[],
  intent: { locksBefore: readonly string[]; writtenAtMs: number },
): Promise<string[]> {
  const born: string[] = []
  for (const lock of locks) {
    const facts = await stat(lock).catch(() => undefined)
    // Both times come from the file system: the system clock does not matter.
    const isBorn =
      facts !== undefined && Math.min(facts.birthtimeMs || facts.ctimeMs, facts.ctimeMs) >= intent.writtenAtMs - 10
    if (isBorn && !intent.locksBefore.includes(lock)) born.push(lock)
  }
  return born
}
