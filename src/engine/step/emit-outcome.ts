// Emits the event that ends an attempt of a step.

import { limitAdvice } from '../../plan/model/limit-advice.ts'
import { millisecondsBetween } from '../../plan/record/trailers.ts'
import type { Step } from '../../plan/model/plan.ts'
import type { Worker } from '../run/worker.ts'
import type { StepOutcome } from './perform-step.ts'

export function emitOutcome(
  worker: Worker,
  { id: step, allowFailure }: Pick<Step, 'id' | 'allowFailure'>,
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
    allowed: !options.isRetrying && allowFailure,
    durationMs,
  })
}
