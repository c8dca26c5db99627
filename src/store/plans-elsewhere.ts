// Plans that the remote has and this clone does not: found through remote-tracking branches, and through plan files
// that finished plans left on other branches.

import type { Repository } from '../git/repository.ts'
import { isFinal } from '../plan/model/lifecycle.ts'
import { isId, planId, type PlanId } from '../plan/model/ids.ts'
import { trackingPrefix, trackingRef } from './remote-facts.ts'
import { existingRemote } from './remote-name.ts'
import { findPlanAt, planFile, planIdAt } from './plan-at.ts'

export interface Elsewhere {
  readonly remote: string
  /** Active plans first. */
  readonly ids: readonly PlanId[]
}

/** undefined: there is no remote. Does not contact the remote. */
export async function plansElsewhere(repo: Repository): Promise<Elsewhere | undefined> {
  const remote = await existingRemote(repo)
  if (remote === undefined) return undefined
  const prefix = trackingPrefix(remote)
  const branches = (await repo.refs(prefix)).map(({ name }) => name.slice(prefix.length)).filter(isId)
  const dir = await dirOf(repo)
  const finished: PlanId[] = []
  for (const ref of await branchesToSearch(repo)) {
    const names = await repo.git.text(['ls-tree', '--name-only', '--full-tree', '-z', ref, '--', `${dir}/`])
    for (const path of names.split('\0')) {
      const id = planIdAt(dir, path)
      if (id !== undefined && (await isFinishedAt(repo, ref, id))) finished.push(id)
    }
  }
  return { remote, ids: [...new Set([...branches.map(planId), ...finished])] }
}

/** The remote that should have the plan; undefined: no evidence of one. */
export async function remoteWithPlan(repo: Repository, id: string): Promise<string | undefined> {
  const remote = isId(id) ? await existingRemote(repo) : undefined
  if (remote === undefined) return undefined
  if ((await repo.tipOf(trackingRef(remote, planId(id)))) !== undefined) return remote
  for (const ref of await branchesToSearch(repo)) if (await isFinishedAt(repo, ref, planId(id))) return remote
  return undefined
}

const dirOf = async (repo: Repository): Promise<string> => (await repo.config.value('plan.dir')) ?? '.plans'

async function branchesToSearch(repo: Repository): Promise<string[]> {
  const head = await repo.remoteHead()
  const commit = head === undefined ? undefined : await repo.resolve(head)
  return commit === undefined ? [] : [commit]
}

/** A plan file that was never started is only a draft on some branch, not a plan. */
async function isFinishedAt(repo: Repository, ref: string, id: PlanId): Promise<boolean> {
  const read = await findPlanAt(repo, ref, { id, file: planFile(await dirOf(repo), id) })
  return read?.ok === true && isFinal(read.plan.status)
}
