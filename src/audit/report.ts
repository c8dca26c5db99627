// The report of an audit.

import type { PlanStatus } from '../plan/model/plan.ts'
import type { Oid } from '../plan/model/ids.ts'
import type { HandWork } from '../store/by-hand.ts'

export const auditRules = {
  incomplete: 'the history is incomplete or does not begin with a proposal',
  shape: 'a commit of a plan has one parent',
  foreign: 'every commit was made by git plan, or was adopted or approved',
  'plan-file': 'the plan file is as git plan writes it',
  order: 'a step runs once, after the steps it needs',
  scope: 'a commit changes only what it may',
  approval: 'everything that ran was approved as the policy requires',
  signature: 'signatures are valid',
  effect: 'external effects are accounted for',
  merged: 'the merge has the changes of the plan and no others',
  check: 'checks pass on the recorded trees',
} as const
export type AuditRule = keyof typeof auditRules

export interface AuditFinding {
  readonly rule: AuditRule
  /** null: the finding is about the whole plan. */
  readonly commit: Oid | null
  readonly subject: string
  readonly step: string | null
  readonly message: string
  /** For a check that was run again: the end of its output. */
  readonly output?: string
}

export interface AuditReport {
  readonly id: string
  readonly tip: Oid
  readonly digest: string
  readonly status: PlanStatus | 'unreadable'
  /** The commit that the plan starts from. */
  readonly base: string | null
  readonly commits: number
  readonly steps: number
  /** Work of people that the executor only recorded, oldest first. */
  readonly byHand: readonly HandWork[]
  readonly approvals: readonly {
    readonly by: string
    readonly from: string
    readonly commit: string
    readonly policy: string
  }[]
  readonly signatures: { readonly good: number; readonly unknown: number }
  readonly effects: number
  /** The commit of the base that took the plan over. */
  readonly mergedAs: Oid | null
  /** Oldest commit first; empty: the audit passed. */
  readonly findings: readonly AuditFinding[]
  /** Facts that are not problems but worth knowing. */
  readonly notes: readonly string[]
}
