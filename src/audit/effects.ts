// Audits external effects: each has a record, each record has an outcome, and a completed step accounts for it.

import { isDone } from '../plan/model/step-status.ts'
import { isFinal } from '../plan/model/lifecycle.ts'
import { statusOf, type Plan } from '../plan/model/plan.ts'
import type { RecordedEvent } from '../store/history.ts'
import type { Effect } from '../store/attempts-and-rollbacks.ts'
import type { AuditFinding } from './report.ts'

export function effectFindings(
  plan: Plan,
  events: readonly RecordedEvent[],
  effects: readonly Effect[],
): AuditFinding[] {
  const findings: AuditFinding[] = []
  const say = (step: string, message: string, commit: AuditFinding['commit'] = null, subject = ''): void =>
    void findings.push({ rule: 'effect', commit, subject, step, message })
  for (const step of plan.steps.filter(({ effect }) => effect === 'external')) {
    const done = events.find((event) => event.step === step.id && event.event === 'step')
    const records = effects.filter((effect) => effect.step === step.id)
    if (isDone(plan, step.id) && done !== undefined && !records.some(({ state }) => state === 'happened'))
      say(
        step.id,
        records.length === 0
          ? 'it is done, but there is no record of its effect here: git plan fetch'
          : 'it is done, but no record says that its effect happened',
        done.commit,
        done.subject,
      )
  }
  for (const { step, state, number, chain } of effects) {
    const of = `effect ${number} of ${step}`
    const found = plan.steps.find(({ id }) => id === step)?.id
    const wasDone = found !== undefined && isDone(plan, found)
    // A person who skips the step takes responsibility for its effect.
    if (found !== undefined && statusOf(plan, found) === 'skipped') continue
    const isLast = !effects.some((each) => each.step === step && each.number > number && each.state !== 'kept')
    if (chain.at(-1)?.state !== 'intended') say(step, `${of} has no recorded intent`, chain.at(-1)?.commit ?? null)
    if (state === 'intended' || state === 'undoing')
      say(
        step,
        `the outcome of ${of} is unknown: it was ${state === 'intended' ? 'intended' : 'about to be undone'}, and no result is recorded`,
        chain[0]?.commit ?? null,
      )
    // While the plan runs, the step may still complete.
    if (state === 'happened' && !(wasDone && isLast) && (isFinal(plan.status) || !isLast))
      say(step, `${of} happened, but no completed step accounts for it`, chain[0]?.commit ?? null)
  }
  return findings
}
