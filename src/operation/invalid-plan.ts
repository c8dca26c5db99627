// Refusals of a plan's text.

import { PlanError } from '../errors.ts'
import type { Plan } from '../plan/model/plan.ts'
import { nameOfStandardInput } from './read-plan-input.ts'
import type { Settings } from './settings.ts'

/** `id`: for the text on the plan's branch. A text from standard input cannot be checked again. */
export const invalidPlan = (file: string, findings: readonly unknown[], id?: string): PlanError =>
  new PlanError('invalid-plan', `${file} is not a valid plan`, {
    ...(id === undefined && [nameOfStandardInput, nameOfSkeleton].includes(file)
      ? {}
      : { hint: `git plan check ${id ?? file}` }),
    facts: { findings },
  })

/** The text that `new TITLE` writes; no such file exists. */
export const nameOfSkeleton = 'plan.md'

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
