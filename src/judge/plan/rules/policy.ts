// Limits that the configuration sets for every plan.

import { allowsBase } from '../../../plan/config/config.ts'
import type { Finding } from '../../../plan/model/finding.ts'
import type { Plan } from '../../../plan/model/plan.ts'
import type { PlanFacts } from '../check-plan.ts'

export function policy(plan: Plan, { file, config, position }: PlanFacts): Finding[] {
  if (config === undefined) return []
  const findings: Finding[] = []
  if (plan.steps.length > config.limits.steps) {
    findings.push({
      rule: 'too-many-steps',
      severity: 'error',
      message: `the plan has ${plan.steps.length} steps; limits.steps allows ${config.limits.steps}`,
      file,
      ...position?.(['steps'], { key: true }),
      advice: 'split the plan, or raise limits.steps in the configuration',
    })
  }
  if (plan.base !== undefined && !allowsBase(config, plan.base)) {
    findings.push({
      rule: 'base-not-allowed',
      severity: 'error',
      message: `the base ${plan.base} is not one of ${config.bases.join(', ')}`,
      file,
      ...position?.(['base']),
      advice: 'set `base` to one of them',
    })
  }
  return findings
}
