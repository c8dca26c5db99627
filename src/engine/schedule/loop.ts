// The loop over the steps of a plan: its options and its state.

import type { Fingerprint } from '../../git/trust/fingerprint.ts'
import type { Oid, StepId } from '../../plan/model/ids.ts'
import type { Step } from '../../plan/model/plan.ts'
import type { Pool } from '../pool/pool.ts'
import type { Result } from '../pool/results.ts'
import type { OtherPlans } from '../run/other-plans.ts'
import type { Run } from '../run/run.ts'
import type { Failed } from './run-end.ts'
import type { Slots } from './slots.ts'

export interface RunOptions {
  readonly keepGoing: boolean
  /** After a failure, end the steps that still run. */
  readonly failFast?: boolean | undefined
  /** The number of steps that may run at the same time; default: 1. */
  readonly jobs?: number | undefined
  /** Shared with other plans. */
  readonly slots?: Slots | undefined
  readonly keepTree: boolean
  /** Every step of an agent waits for a driver, who asked for it. */
  readonly handsOut?: boolean | undefined
  /** The step that the user asked to run again, whatever is known about its effect. */
  readonly retry?:
    | {
        readonly step: StepId
        readonly fromAttempt?: Oid | undefined
        /** The session of an agent to continue. */
        readonly session?: string | undefined
      }
    | undefined
  /** Called before each step; throws if the step may no longer run. */
  readonly permit?: ((step: Step) => Promise<void>) | undefined
}

export interface Loop {
  readonly run: Run
  readonly options: RunOptions
  readonly slots: Slots
  readonly pool: Pool
  readonly fingerprint: Fingerprint
  readonly others: OtherPlans
  readonly failed: Map<StepId, Failed>
  /** Results of steps that ran in the pool of an earlier run. */
  readonly results: Map<StepId, Result>
  retry: RunOptions['retry']
  /** Steps that were run. */
  count: number
  /** True after a wave: the user may have edited files in the plan's own checkout meanwhile. */
  mayBeEdited: boolean
}

/** True if later steps run although this one failed. */
export const continuesAfter = ({ options }: Loop, step: Step, outcome: Failed): boolean =>
  step.allowFailure || (options.keepGoing && !outcome.isUnknown)
