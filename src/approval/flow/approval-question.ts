// The text that a person reads before being asked to approve a plan.

import { readersOf } from '../../judge/plan/readers.ts'
import { assessRisk } from '../../judge/plan/risk.ts'
import type { PlanConfig } from '../../plan/config/config.ts'
import { escapeForTerminal } from '../../plan/text/display.ts'
import type { Plan } from '../../plan/model/plan.ts'
import { planAfterwards, planBefore, stepDetails } from '../../view/describe-plan.ts'

export async function approvalQuestion(plan: Plan, config: PlanConfig): Promise<string> {
  const risk = assessRisk(plan, config.risk.critical, await readersOf(plan, config.safety))
  const lines = plan.steps.flatMap((step, index) => {
    const facts = [step.effect === 'external' ? 'external effect' : '', risk.steps.get(step.id)?.risk ?? ''].filter(
      (fact) => fact !== '',
    )
    return [
      `  ${index + 1}. ${step.id} (${facts.join(', ')}): ${escapeForTerminal(step.title)}`,
      ...stepDetails(step, { most: 12 }).map((line) => `     ${line}`),
    ]
  })
  const before = planBefore(plan).map((line) => `  ${line}`)
  const after = planAfterwards(plan).map((line) => `  ${line}`)
  return [
    `${escapeForTerminal(plan.title)}  (plan/${plan.id}, risk ${risk.plan}, digest ${plan.digest.slice(0, 12)})`,
    ...(before.length === 0 ? [] : ['before the first step:', ...before]),
    ...lines,
    ...(after.length === 0 ? [] : ['for the whole plan:', ...after]),
    `In full: git plan show ${plan.id}`,
  ].join('\n')
}
