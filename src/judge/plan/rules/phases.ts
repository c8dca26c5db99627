// Design steps that nothing judges.

import type { Finding } from '../../../plan/model/finding.ts'
import type { Plan, Step } from '../../../plan/model/plan.ts'
import { verbOf } from '../../../plan/verbs/index.ts'
import type { PlanFacts } from '../check-plan.ts'
import { stepPosition } from '../source-position.ts'

export const phases = (plan: Plan, facts: PlanFacts): Finding[] =>
  plan.steps.flatMap((step): Finding[] =>
    step.phase !== 'design' || isJudged(step)
      ? []
      : [
          {
            rule: 'design-unjudged',
            severity: 'warning',
            message: `${step.id} is a design step without \`files\` and \`deliverables\`, so nothing judges its result`,
            ...stepPosition(plan, facts, step, 'phase'),
            advice: 'name the files that it has to leave: `deliverables: [docs/design.md]`',
          },
        ],
  )

/** A person judges a gate and a manual step, and a verb that names its files fails without them. */
const isJudged = (step: Step): boolean =>
  step.files !== undefined ||
  step.test !== undefined ||
  step.deliverables.length + step.verify.length > 0 ||
  step.criteria.some(({ verify }) => verify.length > 0) ||
  // Has a rule of its own.
  ['gate', 'manual', 'agent'].includes(step.verb) ||
  verbOf(step).paths(step.spec).writes.length > 0
