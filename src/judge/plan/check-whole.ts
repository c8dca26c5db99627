// Runs all rules: those of check-plan.ts, and those that need a parser or tables, which are loaded only here.

import type { Validation } from '../../plan/config/config.ts'
import type { Finding } from '../../plan/model/finding.ts'
import type { Plan } from '../../plan/model/plan.ts'
import { checkPlan, inOrder, type PlanFacts } from './check-plan.ts'
import { commandsOf } from './commands-of.ts'
import { unusedAllowances } from './rules/allowances.ts'

interface HeavyRule {
  /** Key below `validation` in the configuration that turns the rule off. */
  readonly validation?: Validation
  /** False if the plan has nothing that the rule judges, so that it need not be loaded. */
  readonly concerns?: (plan: Plan) => boolean
  /** The fact that the rule needs. */
  readonly needs?: 'text' | 'repository'
  /** `names`: the rules whose findings it reports and that a step may `allow`. */
  readonly load: () => Promise<{
    readonly find: (plan: Plan, facts: PlanFacts) => readonly Finding[] | Promise<readonly Finding[]>
    readonly names: readonly string[]
  }>
}

/** A new rule is one new entry. */
const heavyRules: readonly HeavyRule[] = [
  {
    validation: 'patterns',
    concerns: (plan) => commandsOf(plan).length > 0,
    load: async () => {
      const { patterns, patternNames } = await import('./rules/patterns.ts')
      return { find: patterns, names: patternNames }
    },
  },
  {
    validation: 'secrets',
    needs: 'text',
    load: async () => ({ find: (await import('./rules/secrets.ts')).secrets, names: ['secret'] }),
  },
  {
    needs: 'repository',
    load: async () => ({ find: (await import('./check-tree.ts')).checkTree, names: ['syntax'] }),
  },
]

export async function checkWhole(plan: Plan, facts: PlanFacts): Promise<Finding[]> {
  const findings = facts.isTextJudged === true ? [] : checkPlan(plan, facts)
  const hasAllowances = plan.steps.some(({ allow }) => allow.length > 0)
  const names: string[] = []
  const silent = new Set<string>()
  for (const { validation, concerns, needs, load } of heavyRules) {
    if (facts.isTextJudged === true && needs !== 'repository') continue
    const isOn =
      (validation === undefined || facts.config?.validation[validation] !== false) &&
      (needs === undefined || facts[needs] !== undefined)
    if (!hasAllowances && !(isOn && concerns?.(plan) !== false)) continue
    const rule = await load()
    names.push(...rule.names)
    if (isOn) findings.push(...(await rule.find(plan, facts)))
    else for (const name of rule.names) silent.add(name)
  }
  // `validation.syntax` turns off only this part of the rules about the repository.
  if (facts.config?.validation.syntax === false) silent.add('syntax')
  if (hasAllowances && facts.isTextJudged !== true)
    findings.push(...unusedAllowances(plan, facts, findings, { names, silent }))
  return inOrder(hasAllowances ? findings.map((finding) => downgradeAllowed(plan, finding, names)) : findings)
}

/** Turns an allowed error into a warning: it is shown and does not stop the plan. */
function downgradeAllowed(plan: Plan, finding: Finding, names: readonly string[]): Finding {
  const step =
    finding.severity === 'error' && names.includes(finding.rule)
      ? plan.steps.find(({ id }) => id === finding.step)
      : undefined
  if (step?.allow.includes(finding.rule) !== true) return finding
  return {
    ...finding,
    severity: 'warning',
    advice: `the step allows it with \`allow: [${finding.rule}]\`: review it before you approve`,
  }
}
