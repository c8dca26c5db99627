// The position in the plan file of a finding about a step.

import type { Finding } from '../../plan/model/finding.ts'
import type { Plan, Step } from '../../plan/model/plan.ts'
import type { SpecPlace } from '../../plan/model/verb.ts'
import type { PlanFacts } from './check-plan.ts'

export function stepPosition(
  plan: Plan,
  facts: PlanFacts,
  step: Step,
  key?: string,
): Pick<Finding, 'file' | 'line' | 'column' | 'step'> {
  const index = plan.steps.indexOf(step)
  const position = facts.position?.(key === undefined ? ['steps', index] : ['steps', index, key], {
    key: key !== undefined,
  })
  return { file: facts.file, step: step.id, ...position }
}

/** The position of a place inside a step. */
export function placePosition(
  plan: Plan,
  facts: PlanFacts,
  step: Step,
  { path, line }: SpecPlace,
): Pick<Finding, 'line' | 'column'> {
  const at = ['steps', plan.steps.indexOf(step), ...path]
  return facts.position?.(at, line === undefined ? { key: true } : { within: { line, column: 1 } }) ?? {}
}
