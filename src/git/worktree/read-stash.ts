// The parts of a stash: of ours and of git's own, which have the same shape.

import type { Oid } from '../../plan/model/ids.ts'
import type { Repository } from '../repository.ts'

export interface Stash {
  /** HEAD then. */
  readonly base: Oid
  /** Commits that hold the work tree, the index and, where there were any, the untracked files. */
  readonly work: Oid
  readonly staged: Oid
  readonly untracked: Oid | undefined
}

/** undefined: the commit is not a stash. */
export async function readStash(repo: Repository, oid: Oid): Promise<Stash | undefined> {
  const [base, staged, untracked] = (await repo.readCommit(oid))?.parents ?? []
  return base === undefined || staged === undefined ? undefined : { base, work: oid, staged, untracked }
}

/** Whether it is a stash whose files are all there. */
export async function isWholeStash(repo: Repository, oid: Oid): Promise<boolean> {
  const stash = await readStash(repo, oid)
  return (
    stash !== undefined &&
    (await repo.git.run(['rev-list', '--objects', '--quiet', oid, `^${stash.base}`], { ok: [0, 1, 128] })).code === 0
  )
}
