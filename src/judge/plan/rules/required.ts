// Keys that the configuration requires of every step.

import type { Finding } from '../../../plan/model/finding.ts'
import type { Plan, Step } from '../../../plan/model/plan.ts'
import type { Requirement } from '../../../plan/config/config.ts'
import type { PlanFacts } from '../check-plan.ts'
import { stepPosition } from '../source-position.ts'

interface Demand {
  /** The key that a step must have. */
  readonly key: string
  readonly has: (step: Step) => boolean
  readonly advice: string
}

const demands: Readonly<Record<Requirement, Demand>> = {
  owner: { key: 'owner', has: (step) => step.owner !== undefined, advice: 'set its owner: `owner: team`' },
  files: { key: 'files', has: (step) => step.files !== undefined, advice: 'set what it may change: `files: [src/**]`' },
  criteria: {
    key: 'criteria',
    has: (step) => step.criteria.length > 0,
    advice: 'set what must be true afterwards: `criteria: [the limits are documented]`',
  },
  tests: {
    key: 'test',
    // A design is judged by what it leaves.
    has: (step) => step.test !== undefined || step.phase === 'design',
    advice: 'set a test command, or `test: true` for that of the plan',
  },
}

export const required = (plan: Plan, facts: PlanFacts): Finding[] =>
  plan.steps.flatMap((step) =>
    (facts.config?.require ?? []).flatMap((name): Finding[] => {
      const { key, has, advice } = demands[name]
      if (has(step) || facts.done?.has(step.id) === true) return []
      return [
        {
          rule: 'required-key',
          severity: 'error',
          message: `${step.id} has no \`${key}\`, which the configuration requires of every step`,
          ...stepPosition(plan, facts, step),
          advice,
        },
      ]
    }),
  )
