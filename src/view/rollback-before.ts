// The command that rolls a plan back to before a step.

import type { StepId } from '../plan/model/ids.ts'
import { isStepEvent, type RecordedEvent } from '../store/history.ts'

/** `events`: newest first. */
export function rollbackBefore(events: readonly RecordedEvent[], step: StepId, plan: string): string {
  const steps = events.filter(isStepEvent)
  const before = steps[steps.findIndex((event) => event.step === step) + 1]?.step
  return `git plan rollback ${plan} ${before === undefined ? '--all' : `--to ${before}`}`
}
