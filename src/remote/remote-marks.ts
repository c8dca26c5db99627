// Records about the plan's branch on the remote: `remote.json` in the plan's directory.

import type { Repository } from '../git/repository.ts'
import type { Oid, PlanId } from '../plan/model/ids.ts'
import { marksFile, readMarks, type RemoteMarks } from '../store/remote-facts.ts'
import { PlanDir } from '../engine/workspace/plan-dir.ts'

export async function writeMarks(repo: Repository, id: PlanId, marks: RemoteMarks): Promise<void> {
  const [before, after] = [readMarks(repo.commonDir, id), JSON.stringify(marks)]
  if (JSON.stringify(before) === after) return
  const dir = new PlanDir(repo.commonDir, id)
  dir.ensure()
  await dir.write(marksFile, after)
}

/** Records that the local branch contains or replaces the remote's tip. */
export const markBuilt = (repo: Repository, id: PlanId, there: Oid | undefined): Promise<void> => {
  const { lease } = readMarks(repo.commonDir, id)
  return writeMarks(repo, id, {
    ...(there === undefined ? {} : { built: there }),
    ...(lease === undefined ? {} : { lease }),
  })
}

/** Written before the push: a push that succeeds is known as ours even if this process dies before it learns of it. */
export const markPushing = (repo: Repository, id: PlanId, tip: Oid): Promise<void> =>
  writeMarks(repo, id, { ...readMarks(repo.commonDir, id), pushing: tip })

/** The lease found by the last fetch is now this clone's own. */
export const forgetHolder = (repo: Repository, id: PlanId): Promise<void> => {
  const { lease: _taken, ...marks } = readMarks(repo.commonDir, id)
  return writeMarks(repo, id, marks)
}
