// Whether a step of a new text is the one of the old text: where it stands among the others may differ.

import { isDeepStrictEqual } from 'node:util'
import type { Step } from './plan.ts'

export const isSameStep = (one: Step, other: Step): boolean =>
  isDeepStrictEqual({ ...one, wave: 0 }, { ...other, wave: 0 })
