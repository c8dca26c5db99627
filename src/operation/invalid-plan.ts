// Refusals of a plan's text.

import { PlanError } from '../errors.ts'
import type { Plan } from '../plan/model/plan.ts'
import { nameOfStandardInput } from './read-plan-input.ts'
import type { Settings } from './settings.ts'

export const invalidPlan = (file: string, findings: readonly unknown[]): PlanError =>
  new PlanError('invalid-plan', `${file} is not a valid plan`, {
    hint: file === nameOfStandardInput ? 'git plan check -' : `git plan check ${file}`,
    facts: { findings },
  })

export function refuseTooManySteps({ steps }: Plan, { config, dir }: Settings): void {
  if (steps.length <= config.limits.steps) return
  throw new PlanError(
    'invalid-plan',
    `the plan has ${steps.length} steps; the configuration allows ${config.limits.steps}`,
    {
      hint: `split the plan, or raise limits.steps in ${dir}/config.yml`,
    },
  )
}
