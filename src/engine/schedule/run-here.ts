// Runs one step in the plan's own checkout, and records how it ended.

import { PlanError } from '../../errors.ts'
import { describePaths } from '../../git/read/raw-path.ts'
import { readySteps } from '../../plan/graph/graph.ts'
import { statusOf, type PlanStatus, type Step } from '../../plan/model/plan.ts'
import { isDone } from '../../plan/model/step-status.ts'
import type { WaitsFor } from '../../plan/model/waits-for.ts'
import { agentOf } from '../../plan/verbs/index.ts'
import type { Result } from '../pool/results.ts'
import type { Claim } from '../../plan/model/claim.ts'
import { nextAttempt, type SavedAttempt } from '../record/restore.ts'
import { recordEvent } from '../record/record-event.ts'
import type { Run } from '../run/run.ts'
import { testFacts } from '../step/counted-tests.ts'
import { claimFacts } from '../step/commit-step.ts'
import { emitOutcome } from '../step/emit-outcome.ts'
import { scanWorkspace } from '../workspace/preserved-ignored.ts'
import { continuesAfter, type Loop } from './loop.ts'
import { performWithRetries } from './perform-with-retries.ts'
import { rivalsOf } from './rivals.ts'
import type { Failed, RunEnd } from './run-end.ts'
import { settleUnknown } from './settle-unknown.ts'

/** `result`: checks this result again instead of running the step. */
export async function runHere(loop: Loop, step: Step, result?: Result): Promise<RunEnd | undefined> {
  const { run, options, fingerprint } = loop
  loop.count += 1
  await options.permit?.(step)
  await refuseEdits(loop)
  const isChosen = loop.retry?.step === step.id
  await settleUnknown(run, step, isChosen)
  if (options.handsOut === true && agentOf(step) !== undefined) return wait(run, step, 'driver', step.title)
  const release = await loop.slots.take()
  // It may have waited long for the steps of other plans.
  if (run.world.signal.aborted) {
    release()
    return { kind: 'interrupted' }
  }
  const outcome = await performWithRetries(run.worker, step, {
    keepTree: options.keepTree,
    fingerprint,
    isChosen,
    fromAttempt: isChosen ? loop.retry?.fromAttempt : undefined,
    session: isChosen ? loop.retry?.session : undefined,
    result,
  }).finally(release)
  if (isChosen) loop.retry = undefined
  if (outcome.kind === 'waiting') return wait(run, step, outcome.for, outcome.message)
  if (outcome.kind === 'failed') return afterFailure(loop, step, outcome)
  emitOutcome(run.worker, step, outcome)
  return afterDone(loop, step)
}

/** They would become part of the step's commit. */
async function refuseEdits(loop: Loop): Promise<void> {
  if (!loop.mayBeEdited) return
  const { checkedOut, id } = loop.run
  const { dirty } = await scanWorkspace(checkedOut)
  if (dirty.length > 0)
    throw new PlanError(
      'dirty-tree',
      `files in ${checkedOut.tree.root} were changed while steps ran: ${describePaths(dirty)}`,
      { hint: { 'stash them': 'git stash --include-untracked', 'then resume': `git plan resume ${id}` } },
    )
  loop.mayBeEdited = false
}

export async function afterDone(loop: Loop, step: Step): Promise<RunEnd | undefined> {
  const { run, others, count } = loop
  await others.refuseChanges(step.id, { isLast: readySteps(run.at.plan).length === 0 })
  if (!isDone(run.at.plan, step.id)) return undefined
  const isPause = step.pause || (run.settings.pauseEvery > 0 && count % run.settings.pauseEvery === 0)
  if (!isPause || readySteps(run.at.plan).length === 0) return undefined
  const why = step.pause ? 'the plan pauses after this step' : 'the configuration pauses plans here'
  return wait(run, step, 'pause', why)
}

export async function afterFailure(loop: Loop, step: Step, outcome: Failed): Promise<RunEnd | undefined> {
  const { run, others, failed } = loop
  if (outcome.reason === 'interrupted' && !outcome.isUnknown) return { kind: 'interrupted' }
  const continues = continuesAfter(loop, step, outcome)
  await recordFailure(run, step, outcome, continues ? 'active' : 'failed')
  await others.refuseChanges(step.id, { isLast: !continues || readySteps(run.at.plan).length === 0 })
  failed.set(step.id, outcome)
  return continues
    ? undefined
    : { kind: 'failed', step: step.id, message: outcome.message, isUnknown: outcome.isUnknown }
}

async function recordFailure(run: Run, step: Step, outcome: Failed, status: PlanStatus): Promise<void> {
  const rivals = outcome.status === 'failed' ? await rivalsOf(run, step) : []
  await recordEvent(run, {
    event: 'failed',
    status,
    steps: new Map([[step.id, rivals.length > 0 ? ('conflict' as const) : outcome.status]]),
    subject: `Failed: ${step.title}`,
    facts: {
      step: step.id,
      attempt: outcome.attempt,
      ...outcome.times,
      reason: outcome.message,
      ...(rivals.length === 0 ? {} : { conflictsWith: rivals.join(', ') }),
      ...testFacts(outcome.tests),
      ...claimFacts(outcome.claim),
      ...outcome.usage,
      ...(outcome.exit === undefined ? {} : { exit: outcome.exit }),
      ...(outcome.check === undefined ? {} : { failedCheck: outcome.check }),
    },
    note: outcome.note,
  })
}

async function wait(run: Run, step: Step, reason: WaitsFor | 'pause', message: string): Promise<RunEnd> {
  const isWaiting =
    run.at.plan.status === 'waiting' && (reason === 'pause' || statusOf(run.at.plan, step.id) === 'waiting')
  if (!isWaiting) {
    await recordEvent(run, {
      event: 'waiting',
      ...(reason === 'pause' ? {} : { steps: new Map([[step.id, 'waiting' as const]]) }),
      subject: `Waiting: ${step.title}`,
      facts: { step: step.id, reason: message },
    })
  }
  run.world.emit({ kind: 'step-waiting', step: step.id, for: reason, message })
  return { kind: 'waiting', step: step.id, for: reason, message }
}

/** A driver says that the step cannot be done. */
export async function failHere(
  run: Run,
  step: Step,
  facts: {
    readonly message: string
    readonly saved: SavedAttempt | undefined
    readonly startedAt: string
    readonly claim: Claim
  },
): Promise<RunEnd> {
  const { message, saved, startedAt, claim } = facts
  const outcome: Failed = {
    kind: 'failed',
    status: 'failed',
    reason: 'agent',
    message,
    exit: undefined,
    check: undefined,
    attempt: saved?.facts.attempt ?? (await nextAttempt(run, step.id)),
    saved: saved?.ref ?? '',
    changed: saved?.changed === true,
    times: { startedAt, endedAt: run.world.now().toISOString() },
    note: new Uint8Array(),
    claim,
    tests: undefined,
    usage: {},
    isUnknown: false,
  }
  emitOutcome(run.worker, step, outcome)
  await recordFailure(run, step, outcome, step.allowFailure ? 'active' : 'failed')
  return { kind: 'failed', step: step.id, message, isUnknown: false }
}
