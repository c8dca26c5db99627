// What a report says about a plan.

import type { DecisionView, HandWork } from '../store/by-hand.ts'
import type { FileChange } from '../store/changes.ts'
import type { CheckView } from './checks.ts'
import type { CriticalPath } from './critical-path.ts'
import type { PlanSummary } from './plan-view.ts'
import type { Highlight, Outlook, PreflightView } from './report-summary.ts'

export interface Totals {
  readonly created: number
  readonly modified: number
  readonly deleted: number
  /** Numbers of lines. */
  readonly added: number
  readonly removed: number
}

export interface ReportData {
  readonly plan: PlanSummary
  /** The sum of the durations of the steps. */
  readonly workedMs: number
  readonly criticalPath: CriticalPath
  /** By steps that ran at the same time. */
  readonly savedMs: number
  /** From the first step to the end, or to the newest event; null before the first step. */
  readonly elapsedMs: number | null
  /** The whole plan compared to its base. */
  readonly files: readonly FileChange[]
  readonly totals: Totals
  /** The changes of each step's commit, and how often the step failed before. */
  readonly steps: readonly {
    readonly id: string
    readonly failures: number
    readonly totals: Totals
    readonly files: readonly FileChange[]
  }[]
  /** What a reader should know first. */
  readonly highlights: readonly Highlight[]
  readonly preflight: readonly PreflightView[]
  readonly checks: readonly CheckView[]
  /** Manual work, oldest first, with the files of each. */
  readonly byHand: readonly (HandWork & { readonly files: readonly FileChange[] })[]
  /** Approvals, rejections, reasons for changes of the text, and a cancellation; oldest first. */
  readonly decisions: readonly DecisionView[]
  /** What is still to be done, judged and answered. */
  readonly outlook: Outlook
  /** The commands to type next. */
  readonly next: readonly string[]
}
