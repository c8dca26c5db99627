// The plan's own file and the policy are out of bounds for its steps, by any spelling that a case-insensitive disk
// takes for them.

import type { Finding } from '../../../plan/model/finding.ts'
import type { Plan } from '../../../plan/model/plan.ts'
import { verbOf } from '../../../plan/verbs/index.ts'
import type { PlanFacts } from '../check-plan.ts'
import { placed } from '../source-position.ts'

export function paths(plan: Plan, facts: PlanFacts): Finding[] {
  const directory = facts.file.includes('/') ? facts.file.slice(0, facts.file.lastIndexOf('/')) : '.plans'
  const outOfBounds = new Set(
    [facts.file, `.plans/${plan.id}.md`, '.plans/config.yml', `${directory}/config.yml`].map((path) =>
      path.toLowerCase(),
    ),
  )
  return plan.steps.flatMap((step) => {
    const { writes, deletes } = verbOf(step).paths(step.spec)
    return [...new Set([...writes, ...deletes])].flatMap((path): Finding[] => {
      const plain = path.toLowerCase()
      // A path below the plan file would need a directory in its place; one above it takes the file along.
      const hit = [...outOfBounds].find(
        (target) => target === plain || target.startsWith(`${plain}/`) || plain.startsWith(`${target}/`),
      )
      if (hit === undefined) return []
      return [
        {
          rule: 'path-out-of-bounds',
          severity: 'error',
          message: `${step.id} would change ${path}, which belongs to git plan`,
          ...placed(plan, facts, step, step.verb),
          advice: 'change the plan with `git plan edit`, the policy with a separate pull request',
        },
      ]
    })
  })
}
