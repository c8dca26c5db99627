// True if a step of a new text equals one of the old text. Its wave may differ, since the steps around it may have
// changed.

import { isDeepStrictEqual } from 'node:util'
import type { Step } from './plan.ts'

export const isSameStep = (one: Step, other: Step): boolean =>
  isDeepStrictEqual({ ...one, wave: 0 }, { ...other, wave: 0 })
