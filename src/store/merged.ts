// A plan is merged if its file is on its base, here or as last fetched from the remote, completed and with the same
// text. It is finished then, even if this clone still has its branch.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import type { Plan } from '../plan/model/plan.ts'
import type { Oid } from '../plan/model/ids.ts'
import { findPlanAt } from './plan-at.ts'
import { existingRemote } from './remote-name.ts'

/** The branches to search: the base, and its remote-tracking branch. */
async function mergeRefs(
  repo: Repository,
  base: string | null | undefined,
  policyRef: string | undefined,
): Promise<string[]> {
  if (base === null || base === undefined) return policyRef === undefined ? [] : [policyRef]
  const remote = await existingRemote(repo)
  return [`refs/heads/${base}`, ...(remote === undefined ? [] : [`refs/remotes/${remote}/${base}`])]
}

/** The branch that contains the plan; undefined: none. */
export async function readMerged(
  repo: Repository,
  plan: Pick<Plan, 'id' | 'base' | 'digest'>,
  options: { file: string; policyRef: string | undefined },
): Promise<string | undefined> {
  for (const ref of await mergeRefs(repo, plan.base, options.policyRef)) {
    const commit = await repo.resolve(ref)
    const there =
      commit === undefined
        ? undefined
        : await findPlanAt(repo, commit, { id: plan.id, file: options.file }).catch(noneIfNotFetched)
    if (there?.ok === true && there.plan.status === 'completed' && there.plan.digest === plan.digest) return ref
  }
  return undefined
}

/** True if the base contains this version of the plan: merged, or squashed, where only the plan file shows it. */
export async function hasPlan(repo: Repository, base: Oid, tip: Oid, file: string): Promise<boolean> {
  const [there, here] = [
    await repo.resolve(`${base}:${file}`, 'object'),
    await repo.resolve(`${tip}:${file}`, 'object'),
  ]
  return (there !== undefined && there === here) || (await repo.isAncestor(tip, base))
}

/** In a partial clone readers fetch nothing, so a missing object proves nothing. */
function noneIfNotFetched(error: unknown): undefined {
  if (!(error instanceof PlanError) || error.code !== 'not-fetched') throw error
}
