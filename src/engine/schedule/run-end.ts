// How a run ends.

import type { StepId } from '../../plan/model/ids.ts'
import type { WaitsFor } from '../../plan/model/waits-for.ts'
import type { StepOutcome } from '../step/perform-step.ts'

export type Failed = StepOutcome & { kind: 'failed' }

export type RunEnd =
  | { readonly kind: 'completed'; readonly outcome: 'complete' | 'partial' }
  | {
      readonly kind: 'failed'
      readonly step: StepId | undefined
      readonly message: string
      readonly isUnknown: boolean
    }
  | {
      readonly kind: 'waiting'
      readonly step: StepId
      readonly for: WaitsFor | 'pause'
      readonly message: string
    }
  | { readonly kind: 'interrupted' }
