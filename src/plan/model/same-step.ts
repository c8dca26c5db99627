// True if a step of a new text equals one of the old text. Its wave may differ, since the steps around it may have
// changed.

import { isDeepStrictEqual } from 'node:util'
import type { Plan, Step } from './plan.ts'
import { hasFailed, isSettled } from './step-status.ts'
import type { StepId } from './ids.ts'

export const isSameStep = (one: Step, other: Step): boolean =>
  isDeepStrictEqual({ ...one, wave: 0 }, { ...other, wave: 0 })

/**
 * True if a new text leaves the status of a step: it is done or skipped, or it was allowed to fail, has failed, and is
 * unchanged.
 */
export function keepsStatus(before: Plan, after: Plan, id: StepId): boolean {
  if (isSettled(before, id)) return true
  const [old, now] = [before, after].map(({ steps }) => steps.find((step) => step.id === id))
  return hasFailed(before, id) && old?.allowFailure === true && now !== undefined && isSameStep(old, now)
}
