// Shows a plan to the person at the terminal, and asks for approval.

import { readersOf } from '../../judge/plan/readers.ts'
import { assessRisk, type RiskAssessment } from '../../judge/plan/risk.ts'
import { escapeForTerminal } from '../../plan/text/display.ts'
import type { Plan } from '../../plan/model/plan.ts'
import type { AskContext } from '../../operation/with-run.ts'
import { planAfterwards, planBefore, stepDetails } from '../../view/describe-plan.ts'

/** Only if isInteractive. `also`: lines about what the approval includes besides the plan. */
export async function askApproval(
  { run, settings, context }: AskContext,
  question: string,
  also: readonly string[] = [],
): Promise<boolean> {
  const { plan } = run.at
  const { config } = settings
  const risk = assessRisk(plan, config.risk.critical, await readersOf(plan, config.safety))
  const external = plan.steps.filter(({ effect }) => effect === 'external').length
  const effects = ['no external effects', '1 external effect'][external] ?? `${external} external effects`
  const steps = plan.steps.length === 1 ? '1 step' : `${plan.steps.length} steps`
  return context.confirm(
    [...planLines(plan, risk), ...also].join('\n'),
    // Next to the question, because the text may have scrolled away.
    `Risk ${risk.plan}, ${steps}, ${effects}. ${question}`,
  )
}

function planLines(plan: Plan, risk: RiskAssessment): string[] {
  const lines = plan.steps.flatMap((step, index) => {
    const facts = [step.effect === 'external' ? 'external effect' : '', risk.steps.get(step.id)?.risk ?? ''].filter(
      (fact) => fact !== '',
    )
    return [
      `  ${index + 1}. ${step.id} (${facts.join(', ')}): ${escapeForTerminal(step.title)}`,
      ...stepDetails(step).map((line) => `     ${line}`),
    ]
  })
  const before = planBefore(plan).map((line) => `  ${line}`)
  const after = planAfterwards(plan).map((line) => `  ${line}`)
  const prose = plan.prose.trim()
  return [
    `${escapeForTerminal(plan.title)}  (plan/${plan.id}, risk ${risk.plan}, digest ${plan.digest.slice(0, 12)})`,
    ...(before.length === 0 ? [] : ['before the first step:', ...before]),
    ...lines,
    ...(after.length === 0 ? [] : ['for the whole plan:', ...after]),
    ...(prose === '' ? [] : ['', escapeForTerminal(prose, { multiline: true })]),
  ]
}
