// What the writing commands answer with. `message` is for people, the rest for programs.

import type { PlanStatus } from '../plan/model/plan.ts'
import type { PlanSummary } from '../view/plan-view.ts'

export interface ProposedData {
  readonly id: string
  readonly title: string
  readonly branch: string
  readonly commit: string
  readonly digest: string
  readonly message: string
}

export interface DecidedData {
  readonly id: string
  readonly digest: string
  readonly tip: string
  /** Of an approval: how many the policy asks for, and how many count now. */
  readonly required?: number
  readonly given?: number
  readonly message: string
}

/** How a run ended, and the whole of `status`. */
export interface RunData extends PlanSummary {
  readonly end: 'completed' | 'failed' | 'waiting' | 'interrupted'
  /** The work tree. */
  readonly where: string | null
  readonly message: string
}

export interface DryRunData {
  readonly command: string
  readonly id: string
  readonly status: PlanStatus
  readonly done: readonly string[]
  readonly skipped: readonly string[]
  readonly remaining: readonly string[]
  readonly next: string | null
  readonly percent: number
  readonly message: readonly string[]
}

export interface RolledBackData {
  readonly id: string
  readonly from: string
  readonly to: string
  /** The step that is kept; null for the beginning. */
  readonly step: string | null
  /** The ref that keeps the tip that was left; null where nothing moved. */
  readonly kept: string | null
  readonly status: PlanStatus
  readonly progress: PlanSummary['progress']
  readonly message: string
}

export interface RollbackPreview {
  readonly command: 'rollback'
  readonly id: string
  readonly from: string
  readonly to: string
  readonly step: string | null
  /** Commits that would be out of view, kept under a tag. */
  readonly lost: readonly string[]
  readonly message: readonly string[]
}

export interface ReplannedData {
  readonly id: string
  readonly digest: string
  readonly changed: boolean
  readonly status: PlanStatus
  readonly message: string
}

export interface CancelledData {
  readonly id: string
  readonly tip: string
  readonly message: string
}

export interface FinishedData {
  readonly id: string
  readonly base: string
  readonly mode: 'merge' | 'squash' | 'ff'
  readonly tip: string
  /** Where the base is now. */
  readonly result: string
  /** The base had the plan already. */
  readonly isMerged: boolean
  readonly message: string
}

export interface DeletedData {
  readonly id: string
  readonly tip: string
  readonly refs: readonly string[]
  readonly message: string
}

export interface PrunedData {
  /** `plan` is null for what is kept of all of them. */
  readonly removed: readonly { readonly plan: string | null; readonly what: string }[]
  readonly message: string | readonly string[]
}

/** Of a rebase that ran nothing. */
export interface RebasedData {
  readonly id: string
  readonly base: string
  readonly changed: boolean
  readonly message: string
}
