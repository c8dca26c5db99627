// Settles an external effect in an unknown state, before its step runs again.

import { PlanError } from '../../errors.ts'
import type { Step } from '../../plan/model/plan.ts'
import { nextAttempt } from '../record/restore.ts'
import type { Run } from '../run/run.ts'
import { effectsOf, newestEffect, recordEffect, type Effect } from '../step/effects.ts'
import { probeEffect } from '../step/settle-effect.ts'
import { StepOutput } from '../step/step-output.ts'
import { shellFor } from '../step/step-shell.ts'

/**
 * A retry states that the effect did not happen or was undone. Unrecorded, its outcome would stay unknown. An outcome
 * that another clone has recorded stays, even if it is not trusted here.
 */
async function settleByRetry(run: Run, step: Step, effect: Effect): Promise<void> {
  const recorded = (await effectsOf({ id: run.id, repo: run.repo }, step.id)).find(({ ref }) => ref === effect.ref)
  const state = recorded?.state === 'intended' ? 'failed' : recorded?.state === 'undoing' ? 'undone' : undefined
  if (state !== undefined) await recordEffect(run, effect, step.id, state, { reason: 'a person retried the step' })
}

/** An effect in an unknown state is never repeated automatically: a probe or a person settles it. */
export async function settleUnknown(run: Run, step: Step, isChosen: boolean): Promise<void> {
  if (step.effect !== 'external') return
  const effect = await newestEffect(run, step.id)
  if (effect === undefined || effect.state === 'happened' || effect.state === 'undone') return
  if (isChosen) return settleByRetry(run, step, effect)
  if (effect.state === 'failed' && (step.idempotent || step.probe !== undefined)) return
  const intent = await run.intend({ kind: 'step', step: step.id, input: run.at.tip })
  const output = new StepOutput(run.worker, `${step.id}-probe`, await nextAttempt(run, step.id))
  const answer = await probeEffect(run.worker, step, shellFor(run.worker, { intent, output, step }))
  await output.end()
  await run.settle()
  if (answer === 'happened') await recordEffect(run, effect, step.id, 'happened', { reason: 'the probe says so' })
  else if (answer === 'not') await recordEffect(run, effect, step.id, 'failed', { reason: 'the probe says so' })
  else {
    const what =
      { failed: 'ended with an error and is not declared idempotent', kept: 'was kept by a rollback' }[
        effect.state as string
      ] ?? 'may or may not have happened'
    run.world.emit({ kind: 'step-unknown', step: step.id, message: `its external effect ${what}` })
    throw new PlanError('unknown-effect', `the external effect of ${step.id} ${what}`, {
      hint: {
        'if it happened': `git plan resume ${run.id} --done ${step.id}`,
        'if it did not, run it again': `git plan resume ${run.id} --retry ${step.id}`,
        'continue without it': `git plan resume ${run.id} --skip ${step.id}`,
      },
      facts: { step: step.id, effect: effect.ref },
    })
  }
}
