// Records decisions on the branch, each bound to the text, the base and the policy.

import { isBegun } from '../../plan/model/step-status.ts'
import { isSamePerson, nameOf, selfOf } from '../rules/identity.ts'
import { refuseAgentShell } from '../rules/agent-shell.ts'
import { judge, objectionTo, type Decision } from '../rules/judge-decisions.ts'
import { PlanError } from '../../errors.ts'
import type { PlanEvent } from '../../plan/record/trailers.ts'
import { recordEvent } from '../../engine/record/record-event.ts'
import type { Run } from '../../engine/run/run.ts'
import { waysToApprove } from '../../operation/approval-ways.ts'
import type { CommandContext } from '../../operation/context.ts'
import type { Reviewed } from './reviews.ts'
import type { Settings } from '../../operation/settings.ts'
import { approvalNeeded, signatureOf, readApprovalState, verifyNow, type ApprovalState } from './approval-state.ts'
import type { WriteContext } from '../../operation/with-run.ts'

export interface LocalApproval {
  readonly reason?: string | undefined
  readonly sign?: boolean | undefined
  /** Approve the foreign commits on the branch too. */
  readonly files?: boolean | undefined
  /** Called once nothing but the person stands against the approval; throws if that person says no. */
  readonly ask?: () => Promise<void>
}

/** Records an approval by the person at the keyboard. Refuses one that would not be valid. */
export async function approveNow(
  writing: WriteContext,
  state: ApprovalState,
  { reason, sign, files, ask }: LocalApproval,
): Promise<void> {
  const { run, context } = writing
  refuseAgentShell(context.env, `can approve ${run.id}`, `git plan approve ${run.id}`)
  if (files !== true && state.foreignDigest !== undefined)
    throw new PlanError(
      'not-approved',
      `plan/${run.id} has unapproved commits, and your approval would not include them`,
      {
        hint: { 'look at them': `git log -p plan/${run.id}`, 'approve them too': `git plan approve ${run.id} --files` },
      },
    )
  const isSigned = sign === true || (!state.requirement.from.includes('local') && (await run.objects.isSigning()))
  const source = isSigned ? 'signature' : 'local'
  const decision = await ownDecision(run, context, source)
  const objection =
    state.requirement.count === 0 ? undefined : objectionTo(decision, state.requirement, state.circumstances)
  if (objection !== undefined)
    throw new PlanError(
      'not-allowed',
      `the policy does not accept your approval of ${run.id}: ${objection} (risk ${state.circumstances.risk})`,
      {
        hint: [
          ...waysToApprove(
            run.id,
            await approvalNeeded(run, state),
            isBegun(run.at.plan.status) || run.at.plan.state.size > 0 ? 'resume' : 'start',
          ),
          'git plan config',
        ].join('\n'),
      },
    )
  await ask?.()
  await recordApproval(writing, state, {
    source,
    by: nameOf(decision.by),
    decision,
    evidence: {
      ...(reason === undefined ? {} : { reason }),
      ...approvedFiles(state, files),
    },
  })
}

/** What `git plan fleet` leaves for `git plan approve --campaign`. */
export interface CampaignFile {
  /** `<address of the control repository>@<commit>` */
  readonly campaign: string
  readonly proof: string
}

/** Records the approval of a campaign. Refuses one that the gate would not accept: nobody at the keyboard answers for it. */
export async function approveByCampaign(
  writing: WriteContext,
  state: ApprovalState,
  { campaign, proof }: CampaignFile,
): Promise<void> {
  const { run, settings, context } = writing
  const claimed = {
    ...(await ownDecision(run, context, 'campaign')),
    campaign: { at: campaign, proof, digest: run.at.plan.digest },
  }
  const decision = await verifyNow(run, settings, claimed, context.now())
  const objection =
    state.foreignDigest === undefined
      ? objectionTo(decision, state.requirement, state.circumstances)
      : 'its branch has commits that no campaign can approve'
  if (objection !== undefined)
    throw new PlanError('not-approved', `the campaign does not approve ${run.id}: ${objection}`, {
      hint: { 'see the policy': 'git plan config', 'approve it here': `git plan approve ${run.id}` },
    })
  await recordApproval(writing, state, {
    source: 'campaign',
    by: nameOf(decision.by),
    decision,
    evidence: { campaign, campaignProof: proof },
  })
}

/** Returns the decision of the person at the keyboard, before it is recorded. */
export const ownDecision = async (
  { objects }: Run,
  context: CommandContext,
  source: Decision['source'],
): Promise<Decision> => ({
  source,
  by: selfOf(await objects.committer()),
  at: context.now().toISOString(),
  commit: '',
})

/** Records who approved, in which review and for which commit. The last review makes the plan approved. */
export async function recordReviews(writing: WriteContext, reviewed: Reviewed): Promise<void> {
  const { run, settings, context } = writing
  for (const review of reviewed.news) {
    const state = await readApprovalState(run, settings, context.now())
    const files = state.foreignDigest
    await recordApproval(
      writing,
      { ...state, circumstances: reviewed.circumstances },
      {
        source: 'review',
        by: `@${review.by.login}`,
        decision: review,
        evidence: {
          review: `${reviewed.reviewPrefix}/${review.review}`,
          reviewed: review.commit,
          ...(files === undefined ? {} : { files }),
          ...(review.teams === undefined || review.teams.length === 0 ? {} : { teams: review.teams.join(', ') }),
        },
      },
    )
  }
}

/** The digest of the foreign commits that are approved together with the plan. */
export const approvedFiles = ({ foreignDigest }: ApprovalState, files: boolean | undefined): { files?: string } =>
  files === true && foreignDigest !== undefined ? { files: foreignDigest } : {}

/** The policy determines the status: the last required approval makes the plan approved. */
export async function recordApproval(
  { run, settings }: WriteContext,
  state: ApprovalState,
  approval: {
    source: Decision['source']
    by: string
    decision?: Decision
    evidence?: Pick<PlanEvent, 'reason' | 'files' | 'review' | 'reviewed' | 'teams' | 'campaign' | 'campaignProof'>
  },
): Promise<void> {
  const { plan } = run.at
  const { decisions, circumstances, binding } = state
  const { decision } = approval
  const { isSatisfied } = judge(decision === undefined ? decisions : [...decisions, decision], circumstances)
  const isOpen = !isBegun(plan.status)
  await recordEvent(run, {
    event: 'approved',
    status: isOpen ? (isSatisfied ? 'approved' : 'proposed') : plan.status,
    subject: `Approved: ${plan.title}`,
    facts: {
      approvedBy: approval.by,
      approval: approval.source,
      base: binding.base,
      policy: binding.policy,
      risk: circumstances.risk,
      ...approval.evidence,
    },
    ...(approval.source === 'signature' && decision !== undefined
      ? {
          signed: {
            judge: (commit) => refuseBadSignature(run, settings, { commit, decision, state }),
          },
        }
      : {}),
  })
}

/** Refuses a signature that nobody can verify, or whose owner's approval is not valid: it belongs to the signer. */
async function refuseBadSignature(
  run: Run,
  settings: Settings,
  { commit, decision, state }: { commit: string; decision: Decision; state: ApprovalState },
): Promise<void> {
  const signature = await signatureOf(run, settings, commit)
  if (!signature.isGood)
    throw new PlanError('not-allowed', `the approval was signed, but would not be accepted: ${signature.why}`, {
      hint: { 'add your key on the policy branch': '.plans/allowed_signers' },
    })
  const signer = { email: signature.by }
  if (isSamePerson(signer, decision.by)) return
  const objection =
    objectionTo({ ...decision, by: signer }, state.requirement, state.circumstances) ??
    (state.verdict.counted.some(({ by }) => isSamePerson(by, signer)) ? `${signature.by} has approved it` : undefined)
  if (objection === undefined) return
  throw new PlanError(
    'not-allowed',
    `your key is that of ${signature.by}, whose approval of ${run.id} the policy does not accept: ${objection}`,
    { hint: { 'see your key': 'git config user.signingkey', 'see the policy': 'git plan config' } },
  )
}
