// `git plan resume --done STEP` and `--skip STEP`: what a person says of a step.

import { PlanError } from '../../errors.ts'
import { Fingerprint } from '../../git/trust/fingerprint.ts'
import { openNeeds } from '../../plan/graph/graph.ts'
import { statusOf } from '../../plan/model/plan.ts'
import type { StepId } from '../../plan/model/ids.ts'
import { subjectOf } from '../../engine/record/checkpoint.ts'
import { newestEffect, recordEffect } from '../../engine/step/effects.ts'
import { scanWorkspace } from '../../engine/workspace/preserved-ignored.ts'
import { performStep } from '../../engine/step/perform-step.ts'
import { refuseSecrets } from '../../engine/record/quarantine.ts'
import { recordEvent } from '../../engine/record/record-event.ts'
import type { Run } from '../../engine/run/run.ts'
import { forgetUntold } from '../../engine/record/quarantine-journal.ts'

/** A person says that a step is done: the tree as it is, after the step's own checks. Answers with what is wrong. */
export async function declareDone(session: Run, id: StepId, message: string | undefined): Promise<string | undefined> {
  const step = session.at.plan.steps.find((each) => each.id === id)
  if (step === undefined) throw new Error(`no step ${id}`)
  const status = statusOf(session.at.plan, id)
  if (status === 'done' || status === 'skipped') throw new PlanError('wrong-state', `step ${id} is ${status}`, { hint: `git plan status ${session.id}` })
  const open = openNeeds(session.at.plan, step)
  if (open.length > 0) throw new PlanError('wrong-state', `step ${id} needs ${open.join(', ')}, not done yet`, { hint: `git plan resume ${session.id}` })
  const { dirty } = await scanWorkspace(session.checkedOut)
  await refuseSecrets(session.worker, step, dirty)
  if (step.effect === 'external') {
    const effect = await newestEffect(session, id)
    if (effect !== undefined && effect.state !== 'happened') await recordEffect(session, effect, id, 'happened', { reason: message ?? 'a person says so' })
  }
  const outcome = await performStep(session.worker, step, {
    keepTree: true,
    isDeclared: true,
    fingerprint: await Fingerprint.take(session.repo),
    reason: message,
  })
  if (outcome.kind === 'done') {
    session.world.emit({ kind: 'step-done', step: id, attempt: outcome.attempt, commit: outcome.commit, durationMs: outcome.durationMs })
    return undefined
  }
  if (outcome.kind === 'waiting') throw new Error('a declared step cannot wait')
  session.world.emit({
    kind: 'step-failed',
    step: id,
    attempt: outcome.attempt,
    status: outcome.status,
    reason: outcome.reason,
    message: outcome.message,
    saved: outcome.saved,
    retrying: false,
    durationMs: outcome.durationMs,
  })
  await forgetUntold(session, ({ run }) => run === session.token)
  return outcome.message
}

export async function skip(session: Run, id: StepId, message: string | undefined): Promise<void> {
  const status = statusOf(session.at.plan, id)
  if (status === 'done' || status === 'skipped') throw new PlanError('wrong-state', `step ${id} is ${status}`, { hint: `git plan status ${session.id}` })
  const title = session.at.plan.steps.find((step) => step.id === id)?.title ?? id
  const commit = await recordEvent(session, {
    event: 'skipped',
    steps: new Map([[id, 'skipped']]),
    subject: `Skipped: ${subjectOf(session, title, id)}`,
    facts: { step: id, ...(message === undefined ? {} : { reason: message }) },
  })
  session.world.emit({ kind: 'step-skipped', step: id, commit })
}
