// Performs a step, and repeats it after a failure as often as its `retries` say.

import type { Step } from '../../plan/model/plan.ts'
import { forgetQuarantined } from '../record/quarantine-journal.ts'
import type { Worker } from '../run/worker.ts'
import { emitOutcome } from '../step/emit-outcome.ts'
import { performStep, type StepOptions, type StepOutcome } from '../step/perform-step.ts'

export async function performWithRetries(worker: Worker, step: Step, options: StepOptions): Promise<StepOutcome> {
  const canRetry = step.effect === 'tree' || step.idempotent
  let left = canRetry ? step.retries : 0
  let { isChosen } = options
  for (;;) {
    // Only the last failure stays in the tree for inspection.
    const outcome = await performStep(worker, step, { ...options, isChosen, keepTree: options.keepTree && left <= 0 })
    if (outcome.kind !== 'failed') return outcome
    const isReplayed = outcome.replayed !== undefined
    const isRetrying = (isReplayed || left > 0) && !['interrupted', 'plan-timeout'].includes(outcome.reason)
    emitOutcome(worker, step, outcome, { isRetrying })
    // The failure message has named the quarantine directory.
    await forgetQuarantined(worker.run, (each) => each.run === worker.mark)
    if (!isRetrying) return outcome
    // A cached result that fails here says nothing about the step: it runs.
    if (isReplayed) isChosen = true
    else left -= 1
  }
}
