// A scope that the test command does not use.

import type { Finding } from '../../../plan/model/finding.ts'
import type { Plan } from '../../../plan/model/plan.ts'
import { usesScope } from '../../../plan/model/test-command.ts'
import type { PlanFacts } from '../check-plan.ts'
import { stepPosition } from '../source-position.ts'

export const tests = (plan: Plan, facts: PlanFacts): Finding[] =>
  plan.steps.flatMap((step): Finding[] => {
    const { test, counted } = step
    if (test === undefined || counted === undefined || counted.scope === '' || usesScope(test)) return []
    return [
      {
        rule: 'unused-scope',
        severity: 'warning',
        message: `the test of ${step.id} has a \`scope\`, which its command does not use`,
        ...stepPosition(plan, facts, step, 'test'),
        advice: 'add {scope} to the command where a pattern of tests is expected',
      },
    ]
  })
