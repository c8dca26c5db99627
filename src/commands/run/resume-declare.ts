// `git plan resume --done STEP` and `--skip STEP`: a person declares the outcome of a step.

import { PlanError } from '../../errors.ts'
import { Fingerprint } from '../../git/trust/fingerprint.ts'
import { openNeeds } from '../../plan/graph/graph.ts'
import { statusOf } from '../../plan/model/plan.ts'
import { askedBy } from '../../plan/verbs/index.ts'
import type { StepId } from '../../plan/model/ids.ts'
import { subjectOf } from '../../engine/record/checkpoint.ts'
import { newestEffect, recordEffect } from '../../engine/step/effects.ts'
import { scanWorkspace } from '../../engine/workspace/preserved-ignored.ts'
import { emitOutcome } from '../../engine/step/emit-outcome.ts'
import { performStep } from '../../engine/step/perform-step.ts'
import { refuseSecrets } from '../../engine/record/quarantine.ts'
import { recordEvent } from '../../engine/record/record-event.ts'
import type { Run } from '../../engine/run/run.ts'
import { forgetQuarantined } from '../../engine/record/quarantine-journal.ts'

/** Takes the work tree as the result of the step, after the step's own checks. Returns the failure, if there is one. */
export async function declareDone(run: Run, id: StepId, message: string | undefined): Promise<string | undefined> {
  const step = run.at.plan.steps.find((each) => each.id === id)
  if (step === undefined) throw new Error(`no step ${id}`)
  const status = statusOf(run.at.plan, id)
  if (status === 'done' || status === 'skipped')
    throw new PlanError('wrong-state', `step ${id} is ${status}`, { hint: `git plan status ${run.id}` })
  const open = openNeeds(run.at.plan, step)
  if (open.length > 0)
    throw new PlanError('wrong-state', `step ${id} needs ${open.join(', ')}, not done yet`, {
      hint: `git plan resume ${run.id}`,
    })
  const { dirty } = await scanWorkspace(run.checkedOut)
  await refuseSecrets(run.worker, step, dirty)
  if (step.effect === 'external') {
    const effect = await newestEffect(run, id)
    if (effect !== undefined && effect.state !== 'happened')
      await recordEffect(run, effect, id, 'happened', { reason: message ?? 'a person says so' })
  }
  const outcome = await performStep(run.worker, step, {
    keepTree: true,
    isDeclared: true,
    fingerprint: await Fingerprint.take(run.repo),
    reason: message,
  })
  if (outcome.kind === 'done') {
    emitOutcome(run.worker, step, outcome)
    return undefined
  }
  if (outcome.kind === 'waiting') throw new Error('a declared step cannot wait')
  emitOutcome(run.worker, step, outcome)
  await forgetQuarantined(run, (each) => each.run === run.token)
  return outcome.message
}

export async function skip(run: Run, id: StepId, message: string | undefined): Promise<void> {
  const status = statusOf(run.at.plan, id)
  if (status === 'done' || status === 'skipped')
    throw new PlanError('wrong-state', `step ${id} is ${status}`, { hint: `git plan status ${run.id}` })
  const step = run.at.plan.steps.find((each) => each.id === id)
  // Nobody would have decided, and the steps behind the gate would run.
  if (step !== undefined && askedBy(step) === 'decision')
    throw new PlanError('usage', `${id} is a gate, which cannot be skipped: its answer is yes or no`, {
      hint: { yes: `git plan resume ${run.id} --done ${id}`, no: `git plan cancel ${run.id} -m WHY` },
    })
  const title = step?.title ?? id
  const commit = await recordEvent(run, {
    event: 'skipped',
    steps: new Map([[id, 'skipped']]),
    subject: `Skipped: ${subjectOf(run, title, id)}`,
    facts: { step: id, ...(message === undefined ? {} : { reason: message }) },
  })
  run.world.emit({ kind: 'step-skipped', step: id, commit })
}
