// Decisions that are put on the branch, each bound to the text, the base and the policy.

import { isBegun } from '../../plan/model/step-status.ts'
import { nameOf, selfOf } from '../rules/identity.ts'
import { judge, objectionTo, type Decision } from '../rules/judge-decisions.ts'
import { PlanError } from '../../errors.ts'
import type { PlanEvent } from '../../plan/record/trailers.ts'
import { recordEvent } from '../../engine/record/record-event.ts'
import type { Run } from '../../engine/run/run.ts'
import { waysToApprove } from '../../operation/approval-ways.ts'
import type { CommandContext } from '../../operation/context.ts'
import type { Reviewed } from './reviews.ts'
import type { Settings } from '../../operation/settings.ts'
import { progressText, signatureOf, standingOf, type Standing } from './approval-state.ts'
import type { WriteContext } from '../../operation/with-run.ts'

export interface LocalApproval {
  readonly reason?: string | undefined
  readonly sign?: boolean | undefined
  /** Commits on the branch that are not the plan's are approved with it. */
  readonly files?: boolean | undefined
}

/** Of the person at the keyboard. Refuses one that would not count. */
export async function approveNow(
  writing: WriteContext,
  standing: Standing,
  { reason, sign, files }: LocalApproval,
): Promise<void> {
  const { run, context } = writing
  if (files !== true && standing.strangers !== undefined)
    throw new PlanError(
      'not-approved',
      `plan/${run.id} has unapproved commits, and your approval would not include them`,
      {
        hint: { 'look at them': `git log -p plan/${run.id}`, 'approve them too': `git plan approve ${run.id} --files` },
      },
    )
  const isSigned = sign === true || (!standing.requirement.from.includes('local') && (await run.objects.isSigning()))
  const source = isSigned ? 'signature' : 'local'
  const decision = await ownDecision(run, context, source)
  const objection =
    standing.requirement.count === 0 ? undefined : objectionTo(decision, standing.requirement, standing.circumstances)
  if (objection !== undefined)
    throw new PlanError(
      'not-allowed',
      `the policy does not accept your approval of ${run.id}: ${objection} (risk ${standing.circumstances.risk})`,
      {
        hint:
          sign !== true && standing.requirement.from.includes('signature')
            ? `git plan approve ${run.id} --sign`
            : [
                ...waysToApprove(
                  run.id,
                  { required: standing.requirement.count, from: standing.requirement.from },
                  run.at.plan.state.size > 0 ? 'resume' : 'start',
                ),
                'git plan config',
              ].join('\n'),
      },
    )
  await record(writing, standing, {
    source,
    by: nameOf(decision.by),
    decision,
    evidence: {
      ...(reason === undefined ? {} : { reason }),
      ...named(standing, files),
    },
  })
}

/** What the person at the keyboard would say, before it is recorded. */
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

/** The evidence: who, by which review, of which commit. The last of them makes the plan approved. */
export async function recordReviews(writing: WriteContext, reviewed: Reviewed): Promise<void> {
  const { run, settings, context } = writing
  for (const review of reviewed.news) {
    const standing = await standingOf(run, settings, context.now())
    const files = standing.strangers
    await record(
      writing,
      { ...standing, circumstances: reviewed.circumstances },
      {
        source: 'review',
        by: `@${review.by.login}`,
        decision: review,
        evidence: {
          review: `${reviewed.place}/${review.review}`,
          reviewed: review.commit,
          ...(files === undefined ? {} : { files }),
          ...(review.teams === undefined || review.teams.length === 0 ? {} : { teams: review.teams.join(', ') }),
        },
      },
    )
  }
}

/** Commits of others that are approved with the plan. */
export const named = ({ strangers }: Standing, files: boolean | undefined): { files?: string } =>
  files === true && strangers !== undefined ? { files: strangers } : {}

/** The status is what the policy makes of it: approved with the last one that it asks for. */
export async function record(
  { run, settings, context }: WriteContext,
  { decisions, circumstances, binding }: Standing,
  approval: {
    source: Decision['source']
    by: string
    decision?: Decision
    evidence?: Pick<PlanEvent, 'reason' | 'files' | 'review' | 'reviewed' | 'teams'>
  },
): Promise<void> {
  const { plan } = run.at
  const { isSatisfied } = judge(
    approval.decision === undefined ? decisions : [...decisions, approval.decision],
    circumstances,
  )
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
      ...approval.evidence,
    },
    ...(approval.source === 'signature'
      ? { signed: { judge: (commit) => refuseBadSignature(run, settings, commit) } }
      : {}),
  })
  if (isSatisfied) return
  const { decisions: recorded } = await standingOf(run, settings, context.now())
  run.world.emit({
    kind: 'notice',
    message: `${run.id} has ${progressText({ verdict: judge(recorded, circumstances), circumstances })}`,
  })
}

/** One that nobody could verify is no help to anybody. */
async function refuseBadSignature(run: Run, settings: Settings, commit: string): Promise<void> {
  const signature = await signatureOf(run, settings, commit)
  if (signature.isGood) return
  throw new PlanError('not-allowed', `the approval was signed, but would not be accepted: ${signature.why}`, {
    hint: {
      'add your key on the policy branch': '.plans/allowed_signers',
      'name another file': 'git config gpg.ssh.allowedSignersFile FILE',
    },
  })
}
