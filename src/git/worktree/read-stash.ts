// The parts of a stash, ours or Git's: both have the same shape.

import type { Oid } from '../../plan/model/ids.ts'
import type { Repository } from '../repository.ts'

export interface Stash {
  /** HEAD when the stash was made. */
  readonly base: Oid
  /** Commits with the work tree, the index and, if there were any, the untracked files. */
  readonly work: Oid
  readonly staged: Oid
  readonly untracked: Oid | undefined
}

/** undefined: the commit is not a stash. */
export async function readStash(repo: Repository, oid: Oid): Promise<Stash | undefined> {
  const [base, staged, untracked] = (await repo.readCommit(oid))?.parents ?? []
  return base === undefined || staged === undefined ? undefined : { base, work: oid, staged, untracked }
}

/** True if the commit is a stash and all its files exist. */
export async function isWholeStash(repo: Repository, oid: Oid): Promise<boolean> {
  const stash = await readStash(repo, oid)
  return (
    stash !== undefined &&
    (await repo.git.run(['rev-list', '--objects', '--quiet', oid, `^${stash.base}`], { ok: [0, 1, 128] })).code === 0
  )
}
