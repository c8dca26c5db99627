// `git plan resume --retry STEP`: determines the step to retry and the files it starts from.

import { hasFailed, isPending } from '../../plan/model/step-status.ts'
import { PlanError } from '../../errors.ts'
import { blockedSteps, readySteps } from '../../plan/graph/graph.ts'
import { numberedRefs } from '../../plan/record/numbered-refs.ts'
import { statusOf } from '../../plan/model/plan.ts'
import { attemptRef, planRefs, type Oid, type StepId } from '../../plan/model/ids.ts'
import { newestEffect } from '../../engine/step/effects.ts'
import type { Run } from '../../engine/run/run.ts'
import { rollbackBefore } from '../../view/rollback-before.ts'
import { historyOf, stepNamed } from '../../operation/with-run.ts'

export interface RetryRequest {
  readonly retry?: string
  readonly fromAttempt?: string
}

export async function findRetry(
  run: Run,
  request: RetryRequest,
): Promise<{ step: StepId; fromAttempt?: Oid } | undefined> {
  if (request.retry === undefined) return undefined
  const step = stepNamed(run, request.retry)
  const status = statusOf(run.at.plan, step)
  if (status === 'done' || status === 'skipped')
    throw new PlanError('wrong-state', `step ${step} is ${status}`, {
      hint: `${rollbackBefore((await historyOf(run)).events, step, run.id)} && git plan resume ${run.id}`,
    })
  await refuseNotFailed(run, step)
  if (request.fromAttempt === undefined) return { step }
  const number = /^\d{1,6}$/.test(request.fromAttempt) ? Number(request.fromAttempt) : 0
  const fromAttempt = await run.repo.resolve(attemptRef(run.id, step, number))
  if (fromAttempt === undefined)
    throw new PlanError('usage', `step ${step} has no attempt ${request.fromAttempt}`, {
      hint: `git plan attempts ${run.id}`,
    })
  return { step, fromAttempt }
}

/**
 * A step can be retried if it failed, waits, was interrupted or rolled back, or if its effect is in an unknown state.
 */
async function refuseNotFailed(run: Run, step: StepId): Promise<void> {
  const { plan } = run.at
  if (!isPending(plan, step)) return
  const effect = await newestEffect(run, step)
  if (effect?.state === 'intended' || effect?.state === 'undoing') return
  const failed = plan.steps.find((each) => hasFailed(plan, each.id))?.id
  const isReady = readySteps(plan).some((each) => each.id === step)
  const hasAttempt = numberedRefs(run.id, await run.repo.refs(`${planRefs(run.id)}attempts/${step}/`)).length > 0
  if (isReady && hasAttempt) return
  const isBlocked = blockedSteps(plan).some((each) => each.id === step)
  const why = failed === undefined ? '' : isBlocked ? `: it waits for ${failed}, which failed` : `; ${failed} has`
  throw new PlanError('wrong-state', `step ${step} has not failed${why}`, {
    hint: `git plan resume ${run.id}${failed === undefined ? '' : ` --retry ${failed}`}`,
  })
}
