// Lock files that a killed git left behind. One is removed only if it was not there when our intent was written, was
// born after it, and no git process lives in the repository; everything else is somebody's and stays.

import { existsSync, readdirSync } from 'node:fs'
import { stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../../errors.ts'
import { gitProcessesIn } from '../command/git-processes.ts'

export interface LockPlaces {
  readonly gitDir: string
  readonly commonDir: string
  /** Ref directories below the common directory where our refs live, such as `refs/plan/x`. */
  readonly refDirs: readonly string[]
  /** Single refs elsewhere. */
  readonly refs?: readonly string[]
  readonly workTree: string
}

export async function findLocks(places: LockPlaces): Promise<string[]> {
  const fixed = [
    join(places.gitDir, 'index.lock'),
    join(places.gitDir, 'HEAD.lock'),
    join(places.commonDir, 'packed-refs.lock'),
    join(places.commonDir, 'gc.pid.lock'),
    join(places.commonDir, 'shallow.lock'),
    ...(places.refs ?? []).map((ref) => join(places.commonDir, `${ref}.lock`)),
  ]
  const found: string[] = []
  for (const path of fixed) if (existsSync(path)) found.push(path)
  for (const directory of places.refDirs) {
    const at = join(places.commonDir, directory)
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
 * Answers with the locks that it left because they are not proven ours. One that a dead run of ours may have left,
 * beside a git process that lives, is waited for and then refused: once the intent is gone nobody could prove it any
 * more.
 */
export async function removeStaleLocks(
  places: LockPlaces,
  intent: { locksBefore: readonly string[]; writtenAtMs: number },
): Promise<{ removed: string[]; left: string[] }> {
  const removed: string[] = []
  for (let waited = 0, pause = 25; ; waited += pause, pause = Math.min(pause * 2, 400)) {
    const left = await findLocks(places)
    const born = await bornSince(left, intent)
    const isAlone = born.length > 0 && (await gitProcessesIn([places.workTree, places.commonDir])).length === 0
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

async function bornSince(
  locks: readonly string[],
  intent: { locksBefore: readonly string[]; writtenAtMs: number },
): Promise<string[]> {
  const born: string[] = []
  for (const lock of locks) {
    const facts = await stat(lock).catch(() => undefined)
    // Both times are the file system's own: the clock of the machine plays no part.
    const isBorn =
      facts !== undefined && Math.min(facts.birthtimeMs || facts.ctimeMs, facts.ctimeMs) >= intent.writtenAtMs - 10
    if (isBorn && !intent.locksBefore.includes(lock)) born.push(lock)
  }
  return born
}
