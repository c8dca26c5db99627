// The results of the writing commands. `message` is for people, the rest for programs.

import type { Finding } from '../plan/model/finding.ts'
import type { PlanStatus } from '../plan/model/plan.ts'
import type { PlanSummary } from '../view/plan-view.ts'

export interface ProposedData {
  readonly id: string
  readonly title: string
  readonly branch: string
  readonly commit: string
  readonly digest: string
  /** The warnings of `git plan check`. */
  readonly findings: readonly Finding[]
  readonly message: string
}

export interface DecidedData {
  readonly id: string
  readonly digest: string
  readonly tip: string
  /** For an approval: the number that the policy requires, and the number that is valid now. */
  readonly required?: number
  readonly given?: number
  /** For an approval: the warnings of `git plan check`. */
  readonly findings?: readonly Finding[]
  readonly message: string
}

/** The outcome of a run, with all fields of `status`. */
export interface RunData extends PlanSummary {
  readonly end: 'completed' | 'failed' | 'waiting' | 'interrupted'
  /** The work tree. */
  readonly where: string | null
  readonly message: string
}

/** A step in the hands of a driver. */
export interface HandedStep {
  readonly step: string
  readonly title: string
  readonly attempt: number
  /** null: nobody has it. */
  readonly holder: string | null
  readonly until: string | null
  /** The task, with everything that the driver needs to know. */
  readonly prompt: string
  /** Globs of the files that it may change; null: any. */
  readonly files: readonly string[] | null
  readonly changes: 'any' | 'some' | 'none'
  readonly criteria: readonly string[]
  readonly tools: readonly string[] | null
}

export interface NextData extends Omit<RunData, 'end'> {
  readonly end: RunData['end'] | 'handed-out' | 'released'
  readonly handed: HandedStep | null
}

/** The step that a driver has or would get. */
export interface PeekedData {
  readonly id: string
  readonly status: PlanStatus
  /** The next step, whoever does it. */
  readonly next: string | null
  /** null: it is not for an agent. */
  readonly handed: HandedStep | null
}

/** Several plans that one command ran. */
export interface ManyRunsData {
  readonly plans: readonly {
    readonly target: string
    readonly id?: string
    readonly exitCode: number
    readonly end?: NextData['end']
    /** The code of the refusal, and the command to type next. */
    readonly error?: string
    readonly hint?: string
    readonly message: string
    readonly nextCommands: readonly string[]
  }[]
  readonly message: readonly string[]
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
  /** The step that is kept; null for the state before the first step. */
  readonly step: string | null
  /** The ref that saves the previous tip; null if nothing moved. */
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
  /** Commits that would leave the branch; a tag keeps them. */
  readonly lost: readonly string[]
  /** The `undo` commands that would run, in this order. */
  readonly undos: readonly { readonly step: string; readonly command: string }[]
  readonly message: readonly string[]
}

export interface ReplannedData {
  readonly id: string
  readonly digest: string
  readonly changed: boolean
  readonly status: PlanStatus
  /** The warnings of `git plan check`. */
  readonly findings: readonly Finding[]
  readonly message: string
}

export interface ArchivedData {
  readonly id: string
  readonly archived: boolean
  /** The record; null: nothing changed. */
  readonly ref: string | null
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
  /** The tip of the base afterwards. */
  readonly result: string
  /** The base already contained the plan. */
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
  /** `plan` is null for data that belongs to no single plan. */
  readonly removed: readonly { readonly plan: string | null; readonly what: string }[]
  readonly message: string | readonly string[]
}

/** The result of a rebase that ran no step. */
export interface RebasedData {
  readonly id: string
  readonly base: string
  readonly changed: boolean
  readonly message: string
}
