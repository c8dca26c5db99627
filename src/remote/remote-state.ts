// Decides whether this clone may replace the plan's branch on the remote: only the tip that its own branch was built
// on. The proof is the remote tip recorded when the two last agreed (`remote.json`); a tip that was merely fetched
// proves nothing.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import { finalRef, type Oid, type PlanId } from '../plan/model/ids.ts'
import { readMarks, readRemoteFacts, relationOf } from '../store/remote-facts.ts'
import type { Run } from '../engine/run/run.ts'
import { isFinalCommit, isCompleteHere, remoteRefs, type RemoteRefs } from './ask-remote.ts'
import { heldElsewhereError, refuseHeldElsewhere, wasKilledPushing } from './lease.ts'
import { markBuilt } from './remote-marks.ts'
import { isPushing, type Pushing } from './push-request.ts'
import type { WriteContext } from '../operation/with-run.ts'

/**
 * Returns the remote's tip if the local branch was built on it; undefined if there is none and there was none before.
 * Refuses otherwise.
 */
export async function requireBuiltOn(
  repo: Repository,
  id: PlanId,
  here: Oid,
  asked?: RemoteRefs,
): Promise<Oid | undefined> {
  const { remote, tip: there } = asked ?? (await remoteRefs(repo, id))
  const { built, pushing } = readMarks(repo.commonDir, id)
  if (there === undefined && built !== undefined)
    throw new PlanError('branch-moved', `plan/${id} is no longer on ${remote}`, {
      hint: `git plan fetch ${id} --take ours`,
    })
  if (there !== undefined && there !== pushing) {
    // A commit that cannot be compared is missing here or incomplete: a fetch brings it.
    const relation = await relationOf(repo, id, { here, built, there }).catch((error: unknown) => {
      if (!(error instanceof PlanError)) throw error
      return 'behind' as const
    })
    if (relation === 'behind') throw behindError(remote, id)
    if (relation === 'diverged') throw divergedError(remote, id)
  }
  await markBuilt(repo, id, there)
  return there
}

const behindError = (remote: string, id: PlanId): PlanError =>
  new PlanError('branch-moved', `plan/${id} is behind ${remote}/plan/${id}`, {
    hint: `git plan fetch ${id}`,
  })

const divergedError = (remote: string, id: PlanId): PlanError =>
  new PlanError('branch-moved', `plan/${id} and ${remote}/plan/${id} have diverged`, {
    hint: {
      [`use the version of ${remote}`]: `git plan fetch ${id} --take theirs`,
      'use the version here': `git plan fetch ${id} --take ours`,
    },
  })

/**
 * Before a command of the plan runs here: requires that no other clone runs the plan, and that records can be pushed.
 */
export async function askRemoteFirst(writing: WriteContext, { request, again }: Pushing): Promise<void> {
  if (request.takeOver === true && !isPushing(request))
    throw new PlanError('usage', '--take-over needs --push', { hint: `${again} --push --take-over` })
  if (!isPushing(request)) return refuseKnownElsewhere(writing, again)
  const { run } = writing
  const there = await remoteRefs(run.home, run.id)
  await refuseFinishedOnRemote(run, there)
  await refuseHeldElsewhere(writing, { isTakeOver: request.takeOver === true, there: there.lease, again })
  await requireBuiltOn(run.home, run.id, run.at.tip, there)
}

/**
 * Without `--push` the remote is not asked, but the last fetch is taken into account: steps that another clone has run
 * or is running would run twice, including external effects.
 */
async function refuseKnownElsewhere({ run, context }: WriteContext, again: string): Promise<void> {
  const { id, home, at } = run
  const known = await readRemoteFacts(home, { id, tip: at.tip }, { now: context.now() })
  if (known === null) return
  if (await wasKilledPushing(run))
    throw new PlanError(
      'held',
      `the last run of plan ${id} here pushed its steps and was killed: another clone may have taken it over`,
      {
        hint: `${again} --push`,
      },
    )
  if (known.holder !== null && known.until !== null)
    throw heldElsewhereError(id, { holder: known.holder, until: new Date(known.until) }, again)
  if (known.relation === 'behind') throw behindError(known.name, id)
  if (known.relation === 'diverged') throw divergedError(known.name, id)
}

export async function refuseFinishedOnRemote(
  { id, home, planPath }: Run,
  { remote, final }: RemoteRefs,
): Promise<void> {
  if (
    final === undefined ||
    ((await isCompleteHere(home, final)) && !(await isFinalCommit(home, final, { id, file: planPath })))
  )
    return
  throw new PlanError('wrong-state', `plan ${id} is finished on ${remote}`, { hint: `git plan fetch ${id}` })
}

/** For `finish --push`: the same, except that an earlier attempt may already have pushed the final ref. */
export async function askRemoteBeforeFinish({ run }: WriteContext): Promise<void> {
  const there = await remoteRefs(run.home, run.id)
  const isOurs = there.final !== undefined && there.final === (await run.home.resolve(finalRef(run.id)))
  if (!isOurs) await refuseFinishedOnRemote(run, there)
  // A branch that was deleted on the remote after the merge stays deleted.
  if (there.tip !== undefined || !isOurs) await requireBuiltOn(run.home, run.id, run.at.tip, there)
}

/** For `start FILE --push`: refuses an id that the remote already has. */
export async function refuseIdOnRemote(repo: Repository, id: PlanId): Promise<void> {
  const there = await remoteRefs(repo, id)
  if (there.tip === undefined && there.final === undefined) return
  const state = there.final === undefined ? 'has a plan' : 'has finished a plan'
  throw new PlanError('plan-exists', `${there.remote} ${state} ${id} that is not in this clone`, {
    hint: `git plan fetch ${id}`,
  })
}
