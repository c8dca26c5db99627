// Tells whether the external effect of a step happened, and records it.

import type { Step } from '../../plan/model/plan.ts'
import { discard, stageChanges, treeOf } from '../record/checkpoint.ts'
import { SecretGuard } from '../record/quarantine.ts'
import type { Worker } from '../run/worker.ts'
import { recordEffect, type Effect } from './effects.ts'
import { stepFailure, type Failure } from './step-failure.ts'
import type { Shell } from './step-shell.ts'

/**
 * If a secret was removed from the tree, the effect has happened but the step has failed: the remaining files must not
 * pass for its result.
 */
export async function settleEffect(
  worker: Worker,
  step: Step,
  effect: Effect,
  failure: Failure | undefined,
  shell: Shell,
): Promise<{ readonly effect: Effect; readonly failure?: Failure }> {
  if (failure === undefined) {
    return worker.withKeptObjects(async () => {
      const guard = new SecretGuard(worker, step)
      const staged = await stageChanges(worker, guard)
      await discard(staged)
      const happened = await recordEffect(worker.run, effect, step.id, 'happened', {
        tree: await treeOf(worker, staged),
      })
      return guard.taken.length === 0
        ? { effect: happened }
        : { effect: happened, failure: stepFailure({ reason: 'secret', message: guard.message }) }
    })
  }
  const answer = await probeEffect(worker, step, shell)
  if (answer === 'happened')
    return { effect: await recordEffect(worker.run, effect, step.id, 'happened', { reason: 'the probe says so' }) }
  if (answer === 'not')
    return { effect: await recordEffect(worker.run, effect, step.id, 'failed', { reason: 'the probe says so' }) }
  // Without a probe, a command that exited with an error counts as failed; one that was killed is unknown. A probe that
  // cannot tell leaves it unknown too, unless it may be repeated anyway.
  const isFailed = failure.reason === 'exit' && (step.probe === undefined || step.idempotent)
  return {
    effect: isFailed ? await recordEffect(worker.run, effect, step.id, 'failed', { reason: failure.message }) : effect,
  }
}

export async function probeEffect(worker: Worker, step: Step, shell: Shell): Promise<'happened' | 'not' | 'unknown'> {
  if (step.probe === undefined) return 'unknown'
  worker.emit({ kind: 'phase', name: 'probe', command: step.probe, step: step.id })
  const result = await shell(step.probe)
  if (result.kind !== 'exited') return 'unknown'
  return result.code === 0 ? 'happened' : result.code === 1 ? 'not' : 'unknown'
}
