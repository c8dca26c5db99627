// Emits the event that ends an attempt of a step.

import { millisecondsBetween } from '../../plan/record/trailers.ts'
import type { StepId } from '../../plan/model/ids.ts'
import type { Run } from '../run/run.ts'
import type { StepOutcome } from './perform-step.ts'

export function emitOutcome(
  run: Run,
  step: StepId,
  outcome: Exclude<StepOutcome, { kind: 'waiting' }>,
  options: { readonly isRetrying: boolean } = { isRetrying: false },
): void {
  const { attempt, times } = outcome
  const durationMs = millisecondsBetween(times)
  if (outcome.kind === 'done') {
    run.world.emit({ kind: 'step-done', step, attempt, commit: outcome.commit, durationMs })
    return
  }
  const { status, reason, message, saved, changed } = outcome
  run.world.emit({
    kind: 'step-failed',
    step,
    attempt,
    status,
    reason,
    message,
    saved,
    changed,
    retrying: options.isRetrying,
    durationMs,
  })
}
