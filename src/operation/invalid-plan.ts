// The refusal of a plan's text.

import { PlanError } from '../errors.ts'
import type { Finding } from '../plan/model/finding.ts'
import { nameOfStandardInput } from './read-plan-input.ts'

/** `hint`: for a text that is not in `file` but on the branch of a plan. */
export const invalidPlan = (file: string, findings: readonly Finding[], hint?: string): PlanError =>
  new PlanError('invalid-plan', `${file} is not a valid plan`, {
    hint: hint ?? (file === nameOfStandardInput ? 'git plan check -' : `git plan check ${file}`),
    facts: { findings },
  })
