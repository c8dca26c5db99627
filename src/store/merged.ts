// A plan is merged if its file is on its base, here or as last fetched from the remote, completed and with the same
// text. It is finished then, even if this clone still has its branch. With `finish.plan_file: drop` the base does not
// get the file: there the commit that merged the plan names its tip.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import type { Plan } from '../plan/model/plan.ts'
import { isOid, type Oid, type PlanId } from '../plan/model/ids.ts'
import { eventOf, parseMessage } from '../plan/record/trailers.ts'
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

/**
 * The branch that contains the plan; undefined: none. `since`: the commit that the plan started from. `isFileAlone`: does
 * not look for a merge without the file.
 */
export async function readMerged(
  repo: Repository,
  plan: Pick<Plan, 'id' | 'base' | 'digest'>,
  options: { file: string; policyRef: string | undefined; since?: Oid | undefined; isFileAlone?: boolean },
): Promise<string | undefined> {
  for (const ref of await mergeRefs(repo, plan.base, options.policyRef)) {
    const commit = await repo.resolve(ref)
    const there =
      commit === undefined
        ? undefined
        : await findPlanAt(repo, commit, { id: plan.id, file: options.file }).catch(noneIfNotFetched)
    if (there?.ok === true && there.plan.status === 'completed' && there.plan.digest === plan.digest) return ref
    if (options.isFileAlone !== true && commit !== undefined) {
      // A shallow clone may not have it.
      const since = options.since === undefined ? undefined : await repo.readCommit(options.since)
      const range = [commit, ...(since === undefined ? [] : [`^${since.oid}`])]
      const merges = await mergesWithoutFile(repo, range, `Plan-Id: ${plan.id}`)
      if (merges.some((each) => each.id === plan.id && each.digest === plan.digest)) return ref
    }
  }
  return undefined
}

/** True if the base contains this version of the plan: merged, or squashed, where only the plan file shows it. */
export async function hasPlan(repo: Repository, base: Oid, tip: Oid, file: string): Promise<boolean> {
  const [there, here] = [
    await repo.resolve(`${base}:${file}`, 'object'),
    await repo.resolve(`${tip}:${file}`, 'object'),
  ]
  if ((there !== undefined && there === here) || (await repo.isAncestor(tip, base))) return true
  return (await mergesWithoutFile(repo, [base, `^${tip}`], `${tipTrailer}: ${tip}`)).some((each) => each.tip === tip)
}

/** In the message of a commit that merged a plan without its file: the tip of the plan. */
export const tipTrailer = 'Plan-Tip'

export interface MergeWithoutFile {
  readonly commit: Oid
  readonly id: PlanId
  readonly tip: Oid
  readonly digest: string | undefined
}

/** The merges without a plan file in a range of a base, oldest first. `text`: a trailer that they have. */
export async function mergesWithoutFile(
  repo: Repository,
  range: readonly string[],
  text = `${tipTrailer}: `,
): Promise<MergeWithoutFile[]> {
  const args = ['rev-list', '--first-parent', '--reverse', '--fixed-strings', `--grep=${text}`, ...range]
  const commits = (await repo.git.text(args)).split('\n').filter((line) => line !== '') as Oid[]
  const found = await Promise.all(commits.map((commit) => mergeWithoutFile(repo, commit)))
  return found.filter((each) => each !== undefined)
}

/** undefined: the commit does not claim to be such a merge. */
export async function mergeWithoutFile(repo: Repository, commit: Oid): Promise<MergeWithoutFile | undefined> {
  const message = (await repo.readCommit(commit))?.message ?? ''
  const tip = parseMessage(message).trailers.get(tipTrailer)
  const event = eventOf(message)
  if (tip === undefined || !isOid(tip) || event?.event !== 'completed') return undefined
  return { commit, id: event.plan, tip: tip as Oid, digest: event.digest }
}

/** In a partial clone readers fetch nothing, so a missing object proves nothing. */
function noneIfNotFetched(error: unknown): undefined {
  if (!(error instanceof PlanError) || error.code !== 'not-fetched') throw error
}
