// What an audit has to say.

import type { PlanStatus } from '../plan/model/plan.ts'
import type { Oid } from '../plan/model/ids.ts'
import type { HandWork } from '../store/by-hand.ts'

export const auditRules = {
  incomplete: 'the history is not all here, or does not begin with a proposal',
  shape: 'a commit of a plan has one parent',
  foreign: "every commit is the executor's, or was adopted or approved by name",
  'plan-file': 'the plan file is the one that the executor would have written',
  order: 'a step follows what it needs, once',
  scope: 'a commit changes what it may',
  approval: 'what ran was approved, as the policy asks',
  signature: 'a signature holds',
  effect: 'what happened outside is accounted for',
  merged: 'what was merged is what the plan made',
  check: 'a check holds on the tree that was recorded',
} as const
export type AuditRule = keyof typeof auditRules

export interface AuditFinding {
  readonly rule: AuditRule
  /** null: of the plan as a whole. */
  readonly commit: Oid | null
  readonly subject: string
  readonly step: string | null
  readonly message: string
  /** Of a check that was run again: the end of what it printed. */
  readonly output?: string
}

export interface AuditReport {
  readonly id: string
  readonly tip: Oid
  readonly digest: string
  readonly status: PlanStatus | 'unreadable'
  /** The commit that the plan was put on. */
  readonly base: string | null
  readonly commits: number
  readonly steps: number
  /** What people made, and the executor only recorded; oldest first. */
  readonly byHand: readonly HandWork[]
  readonly approvals: readonly { readonly by: string; readonly from: string; readonly commit: string; readonly policy: string }[]
  readonly signatures: { readonly good: number; readonly unknown: number }
  readonly effects: number
  /** The commit of the base that took the plan over. */
  readonly mergedAs: Oid | null
  /** Oldest commit first; empty: all of it holds. */
  readonly findings: readonly AuditFinding[]
  /** What is no fault, and worth knowing. */
  readonly notes: readonly string[]
}
