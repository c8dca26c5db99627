// All rules there are: those of check-plan.ts, and those that bring a parser or tables along, which are loaded here and nowhere else.

import type { Validation } from '../plan/config.ts'
import type { Finding } from '../plan/finding.ts'
import type { Plan } from '../plan/plan.ts'
import { checkPlan, inOrder, type PlanFacts, type Rule } from './check-plan.ts'
import { commandsOf } from './commands-of.ts'

interface HeavyRule {
  /** The key below `validation` in the configuration that switches it off. */
  readonly validation: Validation
  /** False where there is nothing for it to judge, and so nothing to load. */
  readonly concerns: (plan: Plan) => boolean
  /** `names`: the rules that it has findings of, and that a step may `allow`. */
  readonly load: () => Promise<{ readonly find: Rule; readonly names: readonly string[] }>
}

/** One more rule is one more entry. */
const heavyRules: readonly HeavyRule[] = [
  {
    validation: 'patterns',
    concerns: (plan) => commandsOf(plan).length > 0,
    load: async () => {
      const { patterns, patternNames } = await import('./rules/patterns.ts')
      return { find: patterns, names: patternNames }
    },
  },
]

export async function checkWhole(plan: Plan, facts: PlanFacts): Promise<Finding[]> {
  const findings = checkPlan(plan, facts)
  const hasAllowances = plan.steps.some(({ allow }) => allow.length > 0)
  const names: string[] = []
  const silent = new Set<string>()
  for (const { validation, concerns, load } of heavyRules) {
    const isOn = facts.config?.validation[validation] !== false
    if (!hasAllowances && !(isOn && concerns(plan))) continue
    const rule = await load()
    names.push(...rule.names)
    if (isOn) findings.push(...rule.find(plan, facts))
    else for (const name of rule.names) silent.add(name)
  }
  if (hasAllowances) findings.push(...(await import('./rules/allowances.ts')).unusedAllowances(plan, facts, findings, { names, silent }))
  return inOrder(findings)
}
