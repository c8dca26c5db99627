// The approval of a plan, as the gate would judge it.

import { decisionsFrom, isResultAsked, peopleOf, unapprovedCommits } from '../approval/rules/decisions.ts'
import { isMember, type Identity } from '../approval/rules/identity.ts'
import { judge, mayApprove, type Decision } from '../approval/rules/judge-decisions.ts'
import type { Repository } from '../git/repository.ts'
import { defaultPolicy, type ApprovalPolicy, type Source } from '../plan/config/approval-policy.ts'
import type { Plan, Risk } from '../plan/model/plan.ts'
import { approvalSource, type History, type RecordedEvent } from '../store/history.ts'
import { verifyDecision } from '../store/policy-facts.ts'

export interface ApprovalSettings {
  /** The ref that the allowed signers are read from. */
  readonly signersRef?: string | undefined
  readonly approval?: ApprovalPolicy
  /** Object id of the configuration, which approvals name. */
  readonly policyBlob?: string
}

export interface Approval {
  /** `outdated`: the approval was for another text, base or policy. `pending`: the policy needs more approvals. */
  readonly state: 'approved' | 'rejected' | 'outdated' | 'pending' | 'none'
  readonly by: string | null
  readonly digest: string | null
  readonly at: string | null
  readonly commit: string | null
  /** Where the approval comes from: local, signature, review or policy. */
  readonly source: string | null
  /** Number of approvals that the policy requires at this risk, and of valid ones. */
  readonly required: number
  readonly given: number
  /** Sources that the policy accepts: anybody's commit, a signed commit, a review. */
  readonly from: readonly Source[]
  /** People whose approval is not valid. */
  readonly not: readonly string[]
  /** The owners of the changed paths have to approve too. */
  readonly codeowners: boolean
  /** The policy would accept an approval by the person at the keyboard. */
  readonly isYours: boolean
  /** The policy lets the person at the keyboard roll back external effects. */
  readonly isEffectYours: boolean
  /** There is a remote to submit it to. */
  readonly isSubmittable: boolean
  /** The result of a completed plan still needs an approval. */
  readonly isResultOpen: boolean
  /** For an outdated approval: what changed. */
  readonly why: string | null
}

export async function approvalOf(
  repo: Repository,
  plan: Plan,
  { events, foreign }: History,
  facts: {
    dir: string
    risk: Risk
    now: Date
    settings: ApprovalSettings
    self: Identity | undefined
    isSubmittable: boolean
  },
): Promise<Approval> {
  const { dir, risk, now, settings, self, isSubmittable } = facts
  const policy = settings.approval ?? defaultPolicy
  const binding = {
    digest: plan.digest,
    base: events.at(-1)?.parent ?? 'none',
    policy: settings.policyBlob ?? 'none',
  }
  const source = { ref: settings.signersRef, dir }
  const decisions: Decision[] = []
  for (const decision of decisionsFrom({ events, foreign }, binding, policy))
    decisions.push(
      await verifyDecision(repo, source, decision, {
        base: events.at(-1)?.parent,
        branch: plan.base,
        campaigns: policy.campaigns,
        now,
      }),
    )
  // Code owners are checked when it matters: before a run.
  const circumstances = { risk, policy, now, ...peopleOf({ events, foreign }), starter: [], owned: [] }
  const verdict = judge(decisions, circumstances)
  const sinceEnd = events.slice(
    0,
    events.findIndex(({ event }) => event === 'completed'),
  )
  const isResultOpen =
    plan.status === 'completed' && isResultAsked(policy, events) && !sinceEnd.some(({ event }) => event === 'approved')
  const isUndecided = isResultOpen || unapprovedCommits({ events, foreign }).length > 0
  const approvalFrom = (
    event: RecordedEvent | undefined,
    state: Approval['state'],
    why: string | null = null,
  ): Approval => ({
    state,
    by: event === undefined ? null : (event.approvedBy ?? event.by),
    digest: event?.digest ?? null,
    at: event?.at ?? null,
    commit: event?.commit ?? null,
    source: event === undefined ? null : (approvalSource(event) ?? null),
    required: verdict.required,
    given: verdict.counted.length,
    from: policy.levels[risk].from,
    not: policy.levels[risk].not,
    codeowners: policy.levels[risk].codeowners,
    isYours: self === undefined || mayApprove(self, isUndecided ? [] : verdict.counted, circumstances),
    isEffectYours: policy.effectRollback.length === 0 || self === undefined || isMember(policy.effectRollback, self),
    isSubmittable,
    isResultOpen,
    why,
  })
  const rejected = events.find((event) => event.event === 'rejected')
  if (plan.status === 'rejected' && rejected !== undefined) return approvalFrom(rejected, 'rejected')
  const newest = events.find((event) => event.event === 'approved')
  if (newest === undefined) return approvalFrom(undefined, 'none')
  const counted = events.find(({ commit }) => verdict.counted.at(-1)?.commit === commit)
  if (counted === undefined) return approvalFrom(newest, 'outdated', verdict.notCounted.at(-1)?.why ?? null)
  return approvalFrom(counted, verdict.isSatisfied ? 'approved' : 'pending')
}
