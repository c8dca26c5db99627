// Where in the file a finding about a step points.

import type { Finding } from '../../plan/model/finding.ts'
import type { Plan, Step } from '../../plan/model/plan.ts'
import type { PlanFacts } from './check-plan.ts'

export function placed(
  plan: Plan,
  facts: PlanFacts,
  step: Step,
  key?: string,
): Pick<Finding, 'file' | 'line' | 'column' | 'step'> {
  const index = plan.steps.indexOf(step)
  const place = facts.place?.(key === undefined ? ['steps', index] : ['steps', index, key], { key: key !== undefined })
  return { file: facts.file, step: step.id, ...place }
}
