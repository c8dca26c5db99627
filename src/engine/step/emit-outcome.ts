// Emits the event that ends an attempt of a step.

import { limitAdvice } from '../../plan/model/limit-advice.ts'
import { millisecondsBetween } from '../../plan/record/trailers.ts'
import type { StepId } from '../../plan/model/ids.ts'
import type { Worker } from '../run/worker.ts'
import type { StepOutcome } from './perform-step.ts'

export function emitOutcome(
  worker: Worker,
  step: StepId,
  outcome: Exclude<StepOutcome, { kind: 'waiting' }>,
  options: { readonly isRetrying: boolean } = { isRetrying: false },
): void {
  const { attempt, times } = outcome
  const durationMs = millisecondsBetween(times)
  if (outcome.kind === 'done') {
    const { commit, replayed } = outcome
    worker.emit({
      kind: 'step-done',
      step,
      attempt,
      commit,
      durationMs,
      ...(replayed === undefined ? {} : { replayed }),
    })
    return
  }
  const { status, reason, message, saved, changed } = outcome
  const advice = limitAdvice(reason, worker.run.id, step)
  worker.emit({
    kind: 'step-failed',
    step,
    attempt,
    status,
    reason,
    message,
    saved,
    changed,
    ...(advice === undefined ? {} : { advice }),
    retrying: options.isRetrying,
    allowed: !options.isRetrying && worker.at.plan.steps.some(({ id, allowFailure }) => id === step && allowFailure),
    durationMs,
  })
}
