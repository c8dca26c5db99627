// The refusal of a plan's text.

import { PlanError } from '../errors.ts'
import type { Finding } from '../plan/model/finding.ts'
import { quoteIfNeeded } from '../process/shell-words.ts'
import { nameOfStandardInput } from './read-plan-input.ts'

/**
 * `hint`: for a text that is not in `file` but on the branch of a plan. A text from standard input cannot be checked
 * again.
 */
export const invalidPlan = (file: string, findings: readonly Finding[], hint?: string): PlanError => {
  const command = hint ?? (file === nameOfStandardInput ? undefined : `git plan check ${quoteIfNeeded(file)}`)
  return new PlanError('invalid-plan', `${file} is not a valid plan`, {
    ...(command === undefined ? {} : { hint: command }),
    facts: { findings },
  })
}
