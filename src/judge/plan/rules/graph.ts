// Steps of one wave can run in parallel, so the files that they write must not overlap. A gate holds back only steps
// that need it.

import type { Finding } from '../../../plan/model/finding.ts'
import { dependants, waves } from '../../../plan/graph/graph.ts'
import type { Plan, Step } from '../../../plan/model/plan.ts'
import type { PlanFacts } from '../check-plan.ts'
import { claimsOf, overlapping } from '../claims.ts'
import { stepPosition } from '../source-position.ts'

export const graph = (plan: Plan, facts: PlanFacts): Finding[] => [...overlaps(plan, facts), ...looseGates(plan, facts)]

function overlaps(plan: Plan, facts: PlanFacts): Finding[] {
  const findings: Finding[] = []
  for (const wave of waves(plan)) {
    if (wave.length < 2) continue
    const warned = new Set<Step>()
    // A step that runs alone never runs at the same time as another.
    const together = wave.filter(({ alone, effect }) => !alone && effect === 'tree')
    for (const [first, second] of overlapping(together.flatMap(claimsOf))) {
      // One warning per step: one path is enough to find the rest.
      if (warned.has(second.step)) continue
      warned.add(second.step)
      findings.push({
        rule: 'overlap',
        severity: 'warning',
        message: `${first.step.id} and ${second.step.id} can run in parallel and may both change ${first.isGlob ? second.path : first.path}`,
        ...stepPosition(plan, facts, second.step),
        advice: `add \`needs: [${first.step.id}]\` to ${second.step.id}`,
      })
    }
  }
  return findings
}

function looseGates(plan: Plan, facts: PlanFacts): Finding[] {
  return plan.steps.flatMap((step, index): Finding[] => {
    const isLoose = step.verb === 'gate' && index < plan.steps.length - 1 && dependants(plan, step.id).length === 0
    return isLoose
      ? [
          {
            rule: 'loose-gate',
            severity: 'warning',
            message: `no step needs the gate ${step.id}, so it holds nothing back`,
            ...stepPosition(plan, facts, step),
            advice: `add ${step.id} to the \`needs\` of the steps that should wait for it`,
          },
        ]
      : []
  })
}
