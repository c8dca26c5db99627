// `git plan resume --retry STEP`: determines the step to retry and the files it starts from.

import { hasFailed, isPending } from '../../plan/model/step-status.ts'
import { PlanError } from '../../errors.ts'
import { blockedSteps, readySteps } from '../../plan/graph/graph.ts'
import { numberedRefs } from '../../plan/record/numbered-refs.ts'
import { statusOf } from '../../plan/model/plan.ts'
import { attemptRef, planRefs, type StepId } from '../../plan/model/ids.ts'
import { newestEffect } from '../../engine/step/effects.ts'
import type { Run } from '../../engine/run/run.ts'
import { rollbackBefore } from '../../view/rollback-before.ts'
import type { RunOptions } from '../../engine/schedule/loop.ts'
import { claimFromText } from '../../plan/model/claim.ts'
import { agentOf } from '../../plan/verbs/index.ts'
import { historyOf, stepNamed } from '../../operation/with-run.ts'

export interface RetryRequest {
  readonly retry?: string
  readonly fromAttempt?: string
  /** Continue the agent's session of the last attempt, with its files. */
  readonly continueSession?: boolean
}

export async function findRetry(run: Run, request: RetryRequest): Promise<RunOptions['retry']> {
  if (request.retry === undefined) {
    if (request.continueSession === true)
      throw new PlanError('usage', '--continue-session needs --retry STEP', { hint: 'git plan resume -h' })
    return undefined
  }
  const step = stepNamed(run, request.retry)
  const status = statusOf(run.at.plan, step)
  if (status === 'done' || status === 'skipped')
    throw new PlanError('wrong-state', `step ${step} is ${status}`, {
      hint: `${rollbackBefore((await historyOf(run)).events, step, run.id)} && git plan resume ${run.id}`,
    })
  await refuseNotFailed(run, step)
  if (request.continueSession === true) return continueSession(run, step, request)
  if (request.fromAttempt === undefined) return { step }
  const number = /^\d{1,6}$/.test(request.fromAttempt) ? Number(request.fromAttempt) : 0
  const fromAttempt = await run.repo.resolve(attemptRef(run.id, step, number))
  if (fromAttempt === undefined)
    throw new PlanError('usage', `step ${step} has no attempt ${request.fromAttempt}`, {
      hint: `git plan attempts ${run.id}`,
    })
  return { step, fromAttempt }
}

/** The agent remembers the files of its last attempt, so the step starts with them. Never falls back to a new session. */
async function continueSession(run: Run, id: StepId, { fromAttempt }: RetryRequest): Promise<RunOptions['retry']> {
  const again = `git plan resume ${run.id} --retry ${id}`
  if (fromAttempt !== undefined)
    throw new PlanError('usage', '--continue-session starts with the files of the last attempt', { hint: again })
  const { events } = await historyOf(run)
  const last = events.find(({ step, event }) => step === id && event === 'failed')
  const claim = claimFromText(last?.claim)
  const step = run.at.plan.steps.find((each) => each.id === id)
  const isOfAgent = step !== undefined && agentOf(step)?.agent === claim?.by
  const session = isOfAgent ? claim?.session : undefined
  if (session === undefined || last === undefined)
    throw new PlanError('wrong-state', `no session of an agent is recorded for the last attempt of ${id}`, {
      hint: { 'start a new session': again },
    })
  const ref = attemptRef(run.id, id, last.attempt ?? 1)
  const oid = await run.repo.resolve(ref)
  const isChanged =
    oid !== undefined && (await run.repo.resolve(ref, 'tree')) !== (await run.repo.resolve(`${ref}^`, 'tree'))
  return { step: id, session, ...(isChanged ? { fromAttempt: oid } : {}) }
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
