// An external effect without a probe or an undo leaves a person to find out or clean up after a crash or a rollback.

import type { Finding } from '../../../plan/model/finding.ts'
import type { Plan } from '../../../plan/model/plan.ts'
import type { PlanFacts } from '../check-plan.ts'
import { stepPosition } from '../source-position.ts'

export function effects(plan: Plan, facts: PlanFacts): Finding[] {
  return plan.steps.flatMap((step): Finding[] => {
    if (step.effect !== 'external') return []
    const at = stepPosition(plan, facts, step, 'effect')
    const findings: Finding[] = []
    if (step.probe === undefined) {
      findings.push({
        rule: 'effect-without-probe',
        severity: 'warning',
        message: `${step.id} has no \`probe\` that tells whether its external effect happened`,
        ...at,
        advice: 'add `probe`, a command that exits with 0 if it did and 1 if not',
      })
    }
    if (step.undo === undefined) {
      findings.push({
        rule: 'effect-without-undo',
        severity: 'warning',
        message: `${step.id} has no \`undo\` for its external effect`,
        ...at,
        advice: 'add `undo`, a command for a rollback',
      })
    }
    return findings
  })
}
