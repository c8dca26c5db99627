// Whether this clone may replace what the remote has of a plan's branch: only what its own branch was built on. The
// proof is the tip there that was noted when the two last agreed (`remote.json`); that a fetch has seen something is
// none.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import { finalRef, type Oid, type PlanId } from '../plan/model/ids.ts'
import { readMarks, readRemoteFacts, relationOf } from '../store/remote-facts.ts'
import type { Run } from '../engine/run/run.ts'
import { isEnd, isWholeHere, refsThere, type RefsThere } from './ask-remote.ts'
import { heldElsewhere, refuseHeldElsewhere, wasKilledPushing } from './lease.ts'
import { markBuilt } from './remote-marks.ts'
import type { Pushing } from './while-pushing.ts'
import type { WriteContext } from '../operation/with-run.ts'

/**
 * The tip there, if the branch here was built on it; undefined: there is none, and there was none before. Refuses
 * anything else.
 */
export async function requireBuiltOn(
  repo: Repository,
  id: PlanId,
  here: Oid,
  asked?: RefsThere,
): Promise<Oid | undefined> {
  const { remote, tip: there } = asked ?? (await refsThere(repo, id))
  const { built, pushing } = readMarks(repo.commonDir, id)
  if (there === undefined && built !== undefined)
    throw new PlanError('branch-moved', `plan/${id} is no longer on ${remote}`, {
      hint: `git plan fetch ${id} --take ours`,
    })
  if (there !== undefined && there !== pushing) {
    // What cannot be compared is not here, or not all of it: a fetch brings it.
    const relation = await relationOf(repo, id, { here, built, there }).catch((error: unknown) => {
      if (!(error instanceof PlanError)) throw error
      return 'behind' as const
    })
    if (relation === 'behind') throw behind(remote, id)
    if (relation === 'diverged') throw diverged(remote, id)
  }
  await markBuilt(repo, id, there)
  return there
}

const behind = (remote: string, id: PlanId): PlanError =>
  new PlanError('branch-moved', `plan/${id} is behind ${remote}/plan/${id}`, {
    hint: `git plan fetch ${id}`,
  })

const diverged = (remote: string, id: PlanId): PlanError =>
  new PlanError('branch-moved', `plan/${id} and ${remote}/plan/${id} have diverged`, {
    hint: {
      [`use the version of ${remote}`]: `git plan fetch ${id} --take theirs`,
      'use the version here': `git plan fetch ${id} --take ours`,
    },
  })

/** Before a command of the plan runs here: nobody else runs the plan, and what is recorded can be pushed. */
export async function askRemoteFirst(writing: WriteContext, { request, again }: Pushing): Promise<void> {
  if (request.takeOver === true && request.push !== true)
    throw new PlanError('usage', '--take-over needs --push', { hint: `${again} --push --take-over` })
  if (request.push !== true) return refuseKnownElsewhere(writing, again)
  const { run } = writing
  const there = await refsThere(run.home, run.id)
  await refuseFinishedThere(run, there)
  await refuseHeldElsewhere(writing, { isTaken: request.takeOver === true, there: there.lease, again })
  await requireBuiltOn(run.home, run.id, run.at.tip, there)
}

/**
 * Without `--push` the remote is not asked. What the last fetch has brought is known all the same: steps that another
 * clone has run, or runs now, would run a second time here, external effects included.
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
    throw heldElsewhere(id, { holder: known.holder, until: new Date(known.until) }, again)
  if (known.relation === 'behind') throw behind(known.name, id)
  if (known.relation === 'diverged') throw diverged(known.name, id)
}

export async function refuseFinishedThere({ id, home, planPath }: Run, { remote, final }: RefsThere): Promise<void> {
  if (final === undefined || ((await isWholeHere(home, final)) && !(await isEnd(home, final, { id, file: planPath }))))
    return
  throw new PlanError('wrong-state', `plan ${id} is finished on ${remote}`, { hint: `git plan fetch ${id}` })
}

/** `finish --push`: the same, and an earlier one may have come as far as the final ref. */
export async function askBeforeFinish({ run }: WriteContext): Promise<void> {
  const there = await refsThere(run.home, run.id)
  const isOurs = there.final !== undefined && there.final === (await run.home.resolve(finalRef(run.id)))
  if (!isOurs) await refuseFinishedThere(run, there)
  // A branch that was removed there after the plan was merged stays removed.
  if (there.tip !== undefined || !isOurs) await requireBuiltOn(run.home, run.id, run.at.tip, there)
}

/** `start FILE --push`: no plan is proposed here under the name of one that the remote has. */
export async function refuseTakenThere(repo: Repository, id: PlanId): Promise<void> {
  const there = await refsThere(repo, id)
  if (there.tip === undefined && there.final === undefined) return
  const state = there.final === undefined ? 'has a plan' : 'has finished a plan'
  throw new PlanError('plan-exists', `${there.remote} ${state} ${id} that is not in this clone`, {
    hint: `git plan fetch ${id}`,
  })
}
