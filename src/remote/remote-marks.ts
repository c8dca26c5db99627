// What this clone notes about the branch of a plan on the remote: `remote.json` in the directory of the plan.

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

/** The branch here holds what is there, or takes its place. */
export const markBuilt = (repo: Repository, id: PlanId, there: Oid | undefined): Promise<void> => {
  const { lease } = readMarks(repo.commonDir, id)
  return writeMarks(repo, id, {
    ...(there === undefined ? {} : { built: there }),
    ...(lease === undefined ? {} : { lease }),
  })
}

/** Before a push, so that one that went through is known to be ours, also if nobody lives to be told. */
export const markPushing = (repo: Repository, id: PlanId, tip: Oid): Promise<void> =>
  writeMarks(repo, id, { ...readMarks(repo.commonDir, id), pushing: tip })

/** The lease that the last fetch has found is this clone's now. */
export const forgetHolder = (repo: Repository, id: PlanId): Promise<void> => {
  const { lease: _taken, ...marks } = readMarks(repo.commonDir, id)
  return writeMarks(repo, id, marks)
}
