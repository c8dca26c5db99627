// Lock files that a killed git left behind. One is removed only if it was not there when our intent was written, was born after it, and no
// git process lives in the repository; everything else is somebody's and stays.

import { existsSync, readdirSync } from 'node:fs'
import { stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { gitProcessesIn } from '../process/tree.ts'

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

/** Answers with the locks that it left, because they are not proven ours. */
export async function removeStaleLocks(
  places: LockPlaces,
  intent: { locksBefore: readonly string[]; writtenAtMs: number },
): Promise<{ removed: string[]; left: string[] }> {
  const removed: string[] = []
  const left: string[] = []
  for (const lock of await findLocks(places)) {
    const facts = await stat(lock).catch(() => undefined)
    if (facts === undefined) continue
    // Both times are the file system's own: the clock of the machine plays no part.
    const isBornSince = Math.min(facts.birthtimeMs || facts.ctimeMs, facts.ctimeMs) >= intent.writtenAtMs - 10
    const isOurs = isBornSince && !intent.locksBefore.includes(lock) && (await gitProcessesIn([places.workTree, places.commonDir])).length === 0
    if (isOurs) {
      await unlink(lock)
      removed.push(lock)
    } else left.push(lock)
  }
  return { removed, left }
}
