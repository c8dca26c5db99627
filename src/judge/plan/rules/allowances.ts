// Each entry of `allow` in a step must name an existing rule that found something there. A leftover entry would
// silently accept a later problem.

import type { Finding } from '../../../plan/model/finding.ts'
import { suggest } from '../../../plan/text/nearest.ts'
import type { Plan } from '../../../plan/model/plan.ts'
import type { PlanFacts } from '../check-plan.ts'

export interface Allowable {
  /** Rules that a step may allow. */
  readonly names: readonly string[]
  /** Rules that did not run this time, so that their findings are unknown. */
  readonly silent: ReadonlySet<string>
}

export function unusedAllowances(
  plan: Plan,
  facts: PlanFacts,
  findings: readonly Finding[],
  { names, silent }: Allowable,
): Finding[] {
  const needed = new Set(findings.map(({ rule, step }) => `${step} ${rule}`))
  return plan.steps.flatMap((step, index) =>
    facts.done?.has(step.id) === true
      ? []
      : step.allow.flatMap((rule, entry): Finding[] => {
          const isKnown = names.includes(rule)
          if (isKnown && (silent.has(rule) || needed.has(`${step.id} ${rule}`))) return []
          return [
            {
              rule: 'unused-allow',
              severity: 'warning',
              message: isKnown
                ? `nothing in ${step.id} needs \`allow: [${rule}]\``
                : `${step.id} allows \`${rule}\`, which is not a rule`,
              file: facts.file,
              step: step.id,
              ...facts.position?.(['steps', index, 'allow', entry]),
              advice: isKnown ? 'remove it' : suggest(rule, names),
            },
          ]
        }),
  )
}
