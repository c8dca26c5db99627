// Steps must not change their plan file or the policy, in any spelling that a case-insensitive file system accepts.

import type { Finding } from '../../../plan/model/finding.ts'
import type { Plan } from '../../../plan/model/plan.ts'
import { verbOf } from '../../../plan/verbs/index.ts'
import type { PlanFacts } from '../check-plan.ts'
import { stepPosition } from '../source-position.ts'

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
      // A path below the plan file would replace it by a directory; a path above it would remove it.
      const hit = [...outOfBounds].find(
        (target) => target === plain || target.startsWith(`${plain}/`) || plain.startsWith(`${target}/`),
      )
      if (hit === undefined) return []
      return [
        {
          rule: 'path-out-of-bounds',
          severity: 'error',
          message: `${step.id} would change ${path}, which belongs to git plan`,
          ...stepPosition(plan, facts, step, step.verb),
          advice: 'change the plan with `git plan edit`, the policy with a separate pull request',
        },
      ]
    })
  })
}
