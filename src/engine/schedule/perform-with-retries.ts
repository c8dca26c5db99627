// Performs a step, and repeats it after a failure as often as its `retries` say. A failed check is given back to an
// agent as often as its `repair` says: it then continues with its own files.

import type { FailReason } from '../../plan/model/fail-reason.ts'
import { agentOf } from '../../plan/verbs/index.ts'
import type { Step } from '../../plan/model/plan.ts'
import { forgetQuarantined } from '../record/quarantine-journal.ts'
import type { Worker } from '../run/worker.ts'
import { emitOutcome } from '../step/emit-outcome.ts'
import { performStep, type StepOptions, type StepOutcome } from '../step/perform-step.ts'

/** What an agent can repair: its work was judged, and found wanting. */
const repairable: ReadonlySet<FailReason> = new Set([
  'verify',
  'criteria',
  'test',
  'changes',
  'scope',
  'syntax',
  'hook',
])

export async function performWithRetries(worker: Worker, step: Step, options: StepOptions): Promise<StepOutcome> {
  const canRetry = step.effect === 'tree' || step.idempotent
  let left = canRetry ? step.retries : 0
  let repairs = agentOf(step)?.repair ?? 0
  let { isChosen, fromAttempt } = options
  for (;;) {
    // Only the last failure stays in the tree for inspection.
    const outcome = await performStep(worker, step, {
      ...options,
      isChosen,
      fromAttempt,
      keepTree: options.keepTree && left <= 0 && repairs <= 0,
    })
    if (outcome.kind !== 'failed') return outcome
    const isReplayed = outcome.replayed !== undefined
    const isRepairing = repairs > 0 && repairable.has(outcome.reason)
    const isRetrying =
      (isReplayed || isRepairing || left > 0) && !['interrupted', 'plan-timeout', 'base-moved'].includes(outcome.reason)
    emitOutcome(worker, step, outcome, { isRetrying })
    // The failure message has named the quarantine directory.
    await forgetQuarantined(worker.run, (each) => each.run === worker.mark)
    if (!isRetrying) return outcome
    // A cached result that fails here says nothing about the step: it runs.
    if (isReplayed) isChosen = true
    else if (isRepairing) {
      repairs -= 1
      fromAttempt = outcome.changed ? await worker.run.repo.tipOf(outcome.saved) : undefined
    } else left -= 1
  }
}
