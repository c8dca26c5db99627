// Whether a plan has come to where it was meant to go: its file is on its base, here or as the remote was last seen,
// completed, with the same text. Then it is finished, whatever a branch of this clone says.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import type { Plan } from '../plan/model/plan.ts'
import type { Oid } from '../plan/model/ids.ts'
import { findPlanAt } from './plan-at.ts'
import { remoteHere } from './remote-name.ts'

/** The branches that say so: the base, and the base as the remote was last seen. */
async function mergeRefs(
  repo: Repository,
  base: string | null | undefined,
  policyRef: string | undefined,
): Promise<string[]> {
  if (base === null || base === undefined) return policyRef === undefined ? [] : [policyRef]
  const remote = await remoteHere(repo)
  return [`refs/heads/${base}`, ...(remote === undefined ? [] : [`refs/remotes/${remote}/${base}`])]
}

/** The branch that has it; undefined: none. */
export async function readMerged(
  repo: Repository,
  plan: Pick<Plan, 'id' | 'base' | 'digest'>,
  place: { file: string; policyRef: string | undefined },
): Promise<string | undefined> {
  for (const ref of await mergeRefs(repo, plan.base, place.policyRef)) {
    const commit = await repo.resolve(ref)
    const there =
      commit === undefined
        ? undefined
        : await findPlanAt(repo, commit, { id: plan.id, file: place.file }).catch(noneIfNotFetched)
    if (there?.ok === true && there.plan.status === 'completed' && there.plan.digest === plan.digest) return ref
  }
  return undefined
}

/** The base holds this very plan: merged, or squashed, when the file is all that it has of it. */
export async function hasPlan(repo: Repository, base: Oid, tip: Oid, file: string): Promise<boolean> {
  const [there, here] = [
    await repo.resolve(`${base}:${file}`, 'object'),
    await repo.resolve(`${tip}:${file}`, 'object'),
  ]
  return (there !== undefined && there === here) || (await repo.isAncestor(tip, base))
}

/** In a partial clone readers fetch nothing, and what is not here says nothing. */
function noneIfNotFetched(error: unknown): undefined {
  if (!(error instanceof PlanError) || error.code !== 'not-fetched') throw error
}
