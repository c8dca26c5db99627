// Composes the text of a plan's pull request from its branch and the policy.

import { isResultAsked } from '../approval/rules/decisions.ts'
import { readersOf } from '../judge/plan/readers.ts'
import { assessRisk } from '../judge/plan/risk.ts'
import type { PlanConfig } from '../plan/config/config.ts'
import type { Finding } from '../plan/model/finding.ts'
import type { Plan } from '../plan/model/plan.ts'
import { maskValues } from '../secrets/masked.ts'
import type { RecordedEvent } from '../store/history.ts'
import { resultsIn } from '../view/step-results.ts'
import { pullRequestBody, type BodyFacts } from '../view/pull-request.ts'
import { previousText } from '../view/plan-revisions.ts'
import type { Run } from '../engine/run/run.ts'
import { checkFacts, findingsOnTree } from '../operation/check-findings.ts'
import { historyOf, type WriteContext } from '../operation/with-run.ts'

export async function pullRequestText({
  run,
  settings: { config },
}: Pick<WriteContext, 'run' | 'settings'>): Promise<string> {
  const { plan, tip } = run.at
  const { mask } = run
  const risk = assessRisk(plan, config.risk.critical, await readersOf(plan, config.safety))
  const { events } = await historyOf(run)
  const facts = {
    tip,
    requirement: config.approval.levels[risk.plan],
    isResultAsked: isResultAsked(config.approval, events),
    before: await unknownChanges(run, events),
    results: resultsIn(events, plan.steps),
    findings: isDecided(plan.status) ? [] : await findingsToReview(run, config),
  }
  // Masks before escaping, since an escaped secret is not recognized but still readable; and once more on the whole
  // text.
  const steps = new Map([...risk.steps].map(([id, of]) => [id, maskValues(of, mask)]))
  return mask(pullRequestBody(maskValues(plan, mask), { ...risk, steps }, maskValues(facts, mask)))
}

const isDecided = (status: Plan['status']): boolean => !['proposed', 'rejected'].includes(status)

/** Whether a program is on PATH here is of no use to reviewers elsewhere. */
async function findingsToReview(run: Run, config: PlanConfig): Promise<Finding[]> {
  const facts = checkFacts(run.at, { file: run.planPath, config })
  const findings = await findingsOnTree(run.home, run.at, run.world, facts)
  return findings.filter(({ rule }) => rule !== 'tool-missing')
}

/** undefined: the reader knows the current text, because it has been approved since. */
async function unknownChanges(run: Run, events: readonly RecordedEvent[]): Promise<BodyFacts['before']> {
  const { digest } = run.at.plan
  const isApproved = events.find(({ event }) => event === 'approved')?.digest === digest
  return isApproved ? undefined : previousText({ repo: run.repo, id: run.id, file: run.planPath, digest, events })
}
