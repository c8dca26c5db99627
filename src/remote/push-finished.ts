// Pushes the final ref of a plan after its records, and together with its base or after it. A final ref without its
// merge would tell other clones that the plan is finished.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import { finalRef, planBranch, type Oid, type PlanId } from '../plan/model/ids.ts'
import { remoteOf } from '../store/remote-name.ts'
import { remoteRefs, remoteError, type RemoteRefs } from './ask-remote.ts'
import { updateBaseCommand } from './base-behind.ts'
import { requireBuiltOn } from './remote-state.ts'
import { isRejectedPush, pushAtomic, pushRecords, pushPlan, throwHookRefusal } from './push.ts'

/** After a merge here. The merge is done even if the push fails. */
export async function pushFinished(repo: Repository, id: PlanId, base: string): Promise<void> {
  const there = await remoteRefs(repo, id)
  const { remote, tip, final } = there
  if (final !== undefined) await refuseOtherEnd(repo, id, remote, final)
  if (tip !== undefined && (await repo.tipOf(planBranch(id))) === undefined) await refuseOtherTip(repo, id, there)
  // A branch that was deleted on the remote after an earlier push of the final ref stays deleted.
  await (tip === undefined && final !== undefined ? pushRecords(repo, id) : pushPlan(repo, id))
  await pushFinal(repo, id, base)
}

/** After a merge on the forge. */
export async function pushFinalAfterMerge(repo: Repository, id: PlanId): Promise<void> {
  await pushRecords(repo, id)
  await pushFinal(repo, id)
}

async function pushFinal(repo: Repository, id: PlanId, base?: string): Promise<void> {
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
    throwHookRefusal(error, `${remote} rejected ${what}`)
    if (base === undefined || !isRejectedPush(error))
      throw remoteError(error, remote, `${what} could not be pushed to ${remote}`)
    throw new PlanError(
      'branch-moved',
      `plan ${id} is merged into your ${base}, but ${remote}/${base} has commits that your ${base} does not have`,
      {
        hint: `${await updateBaseCommand(repo, remote, base)} && git plan finish ${id} --push`,
        cause: error,
      },
    )
  }
}

/**
 * The local branch is gone and the remote's has moved: a final commit that does not contain it would override that
 * change.
 */
async function refuseOtherTip(repo: Repository, id: PlanId, there: RemoteRefs): Promise<void> {
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
