// The end of a plan, to the remote: once its records are there, and with its base or after it. An end without its merge
// would tell other clones that the plan is finished.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import { finalRef, planBranch, type Oid, type PlanId } from '../plan/model/ids.ts'
import { remoteOf } from '../store/remote-name.ts'
import { refsThere, unreachable, type RefsThere } from './ask-remote.ts'
import { bringUpToDate } from './base-behind.ts'
import { requireBuiltOn } from './remote-state.ts'
import { isRefusedThere, pushAtomic, pushKept, pushPlan, refuseAsThere } from './push.ts'

/** After a merge here, which is done, whatever comes of it. */
export async function pushFinished(repo: Repository, id: PlanId, base: string): Promise<void> {
  const there = await refsThere(repo, id)
  const { remote, tip, final } = there
  if (final !== undefined) await refuseOtherEnd(repo, id, remote, final)
  if (tip !== undefined && (await repo.tipOf(planBranch(id))) === undefined) await refuseOtherTip(repo, id, there)
  // A branch that was removed there, after an earlier push had brought the end of the plan, stays removed.
  await (tip === undefined && final !== undefined ? pushKept(repo, id) : pushPlan(repo, id))
  await pushEnd(repo, id, base)
}

/** After a merge on the forge. */
export async function pushEndOf(repo: Repository, id: PlanId): Promise<void> {
  await pushKept(repo, id)
  await pushEnd(repo, id)
}

async function pushEnd(repo: Repository, id: PlanId, base?: string): Promise<void> {
  const remote = await remoteOf(repo)
  const end = `${finalRef(id)}:${finalRef(id)}`
  const merged = base === undefined ? [] : [`refs/heads/${base}:refs/heads/${base}`]
  const what = base === undefined ? finalRef(id) : `plan ${id} (merged into ${base} here)`
  try {
    await pushAtomic(
      repo,
      [remote, end, ...merged],
      [...merged, end].map((ref) => [remote, ref]),
    )
  } catch (error) {
    refuseAsThere(error, `${remote} rejected ${what}`, id)
    if (base === undefined || !isRefusedThere(error))
      throw unreachable(error, remote, `${what} could not be pushed to ${remote}`)
    throw new PlanError(
      'branch-moved',
      `plan ${id} is merged into your ${base}, but ${remote}/${base} has commits that your ${base} does not have`,
      {
        hint: `${await bringUpToDate(repo, remote, base)} && git plan finish ${id} --push`,
        cause: error,
      },
    )
  }
}

/** The branch here is gone, and somebody has moved the one there: an end that does not hold it would overrule them. */
async function refuseOtherTip(repo: Repository, id: PlanId, there: RefsThere): Promise<void> {
  const end = await repo.tipOf(finalRef(id))
  if (end === undefined) return
  await requireBuiltOn(repo, id, end, there).catch((error: unknown) => {
    if (!(error instanceof PlanError) || error.code !== 'branch-moved') throw error
    throw new PlanError(
      'branch-moved',
      `plan/${id} on ${there.remote} has changes that are not part of the plan finished here`,
      {
        hint: `git plan fetch ${id} --take ours`,
        cause: error,
      },
    )
  })
}

async function refuseOtherEnd(repo: Repository, id: PlanId, remote: string, there: Oid): Promise<void> {
  const here = await repo.tipOf(finalRef(id))
  const isKnown = (await repo.resolve(there)) !== undefined
  if (here === undefined || here === there || (isKnown && (await repo.isAncestor(there, here)))) return
  throw new PlanError('wrong-state', `plan ${id} is finished on ${remote}, at a different commit than here`, {
    hint: `git plan fetch ${id}`,
  })
}
