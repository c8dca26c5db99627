// Obtains the approval to run: from the branch, from the policy, from reviewers, or from the person at the keyboard.

import { isBegun } from '../../plan/model/step-status.ts'
import { unapprovedCommits } from '../rules/decisions.ts'
import { PlanError } from '../../errors.ts'
import { hasErrors, type Finding } from '../../plan/model/finding.ts'
import type { Step } from '../../plan/model/plan.ts'
import type { Run } from '../../engine/run/run.ts'
import { askApproval } from './approval-question.ts'
import { waysToApprove } from '../../operation/approval-ways.ts'
import { askForge } from './ask-forge.ts'
import { describeCommits } from './unapproved-commits.ts'
import { judgeForDecision, showWarnings } from './judge-plan.ts'
import { invalidPlan } from '../../operation/invalid-plan.ts'
import { refuseUntrustedPushes } from './untrusted-pushes.ts'
import { approveNow, approvedFiles, recordApproval, recordReviews } from './record-approval.ts'
import { mayBeReviewed, withReviews, type Reviewed } from './reviews.ts'
import { readSettings } from '../../operation/settings.ts'
import { approvalNeeded, progressText, readApprovalState, type ApprovalState } from './approval-state.ts'
import type { AskContext, WriteContext } from '../../operation/with-run.ts'

export interface ApprovalRequest {
  readonly approve?: boolean
  readonly wait?: boolean
  /** Approve the foreign commits on the branch too. */
  readonly files?: boolean | undefined
  /** Refuse a plan whose steps would fail in the tree of its branch. */
  readonly checksTree?: boolean
  /** Checks that the user skips: `approve` would make them. */
  readonly skipCheck?: readonly string[]
}

/**
 * If the approvals on the branch are not enough, tries in turn: a policy that requires none, `--approve`, reviews on
 * the forge, and a prompt.
 */
export async function obtainApproval(
  writing: WriteContext,
  state: ApprovalState,
  request: ApprovalRequest,
): Promise<void> {
  const { run, context } = writing
  const { status } = run.at.plan
  const isOpen = status === 'proposed' || status === 'rejected'
  const byReview = state.verdict.counted.some(({ source }) => source === 'review')
  if (state.verdict.isSatisfied && !isOpen && !byReview) return refuseUntrustedPushes(writing, state)
  if (status === 'rejected')
    throw new PlanError('not-approved', `plan ${run.id} was rejected`, {
      hint: {
        'see why': `git plan log ${run.id}`,
        'change it': `git plan edit ${run.id}`,
        'approve it anyway': `git plan approve ${run.id}`,
      },
    })
  const findings = await judgeForDecision(writing, { checksTree: request.checksTree === true })
  refuseErrors(run, findings)
  showWarnings(run, findings)
  if (state.requirement.count === 0)
    return recordApproval(writing, state, {
      source: 'policy',
      by: 'the policy',
      evidence: approvedFiles(state, request.files),
    })
  const isLocal = state.requirement.from.includes('local')
  if (isLocal && request.approve === true) return approveNow(writing, state, { files: request.files })
  if (request.wait === true || (await mayBeReviewed(run, state))) {
    const reviewed = await askForge(writing, state, request)
    if (reviewed?.verdict.isSatisfied === true) {
      await refuseUntrustedPushes(writing, reviewed, reviewed.forge)
      return recordReviews(writing, reviewed)
    }
    if (reviewed !== undefined && !(isLocal && context.isInteractive)) throw await notApprovedError(writing, reviewed)
  }
  if (isLocal && context.isInteractive && (await askApproval(writing, 'Approve this plan and run it?')))
    return approveNow(writing, state, { files: request.files })
  throw await notApprovedError(writing, state, { isUnchecked: request.skipCheck?.includes('plan') === true })
}

/**
 * Runs before each step. An effect that cannot be undone is checked at the last moment, and withdrawing a review stops
 * the run.
 */
export function stepPermit(writing: WriteContext): (step: Step) => Promise<void> {
  const clock = (): number => writing.context.now().getTime()
  let askedAt = clock()
  return async (step) => {
    const isExternal = step.effect === 'external'
    if (!isExternal && clock() - askedAt < reviewsAreFreshMs) return
    const settings = await readSettings(writing.run.home)
    const state = await readApprovalState(writing.run, settings, writing.context.now())
    // Long plans have long histories: without a review to ask about, they are not read before every step either.
    askedAt = clock()
    const { verdict, decisions } = state
    const byReview = (verdict.isSatisfied ? verdict.counted : decisions).some(({ source }) => source === 'review')
    if (!isExternal && !byReview) return
    const now = byReview ? await withReviews({ ...writing, settings }, state) : state
    if (!now.verdict.isSatisfied) throw await notApprovedError(writing, now)
  }
}

const reviewsAreFreshMs = 2000

export async function notApprovedError(
  { run }: Pick<AskContext, 'run'>,
  state: ApprovalState & Partial<Reviewed>,
  { isUnchecked = false } = {},
): Promise<PlanError> {
  const { verdict, circumstances, requirement, history, pullRequest, isPushed } = state
  const url = isPushed === true ? pullRequest?.url : undefined
  const unapproved = unapprovedCommits(history)
  const { id, at } = run
  const hasBegun = isBegun(at.plan.status)
  const changed = verdict.notCounted.find(({ decision }) => decision.problem !== undefined)
  const why = changed === undefined ? '' : `: ${changed.why}`
  const wasApproved = why !== '' && history.events.some(({ event }) => event === 'approved')
  const rest = verdict.notCounted.filter((each) => each !== changed)
  const isPlain =
    verdict.counted.length === 0 &&
    verdict.notCounted.length === 0 &&
    requirement.from.includes('local') &&
    requirement.count === 1
  const message = isPlain
    ? `plan ${id} is not approved yet; nothing was run`
    : `plan ${id} is ${wasApproved ? 'no longer' : 'not'} approved${why}; it has ${progressText({ verdict: { ...verdict, notCounted: rest }, circumstances })}${unapproved.length === 0 ? '' : `; plan/${id} has unapproved commits: ${describeCommits(unapproved)}`}`
  const verb = hasBegun || at.plan.state.size > 0 ? 'resume' : 'start'
  // For an open pull request that is up to date, its address is more useful than the command that opens one.
  const ways = waysToApprove(id, { ...(await approvalNeeded(run, state)), isSubmitted: url !== undefined }, verb)
  const labels = {
    approve: 'approve it',
    submit: 'open a pull request',
    '--approve': 'approve and run it',
    '--wait': 'wait for the review',
  }
  return new PlanError('not-approved', message, {
    hint: {
      'read it': `git plan show ${id}`,
      ...(url === undefined ? {} : { 'have it reviewed': url }),
      ...Object.fromEntries(
        ways
          .filter((way) => !(isUnchecked && way.startsWith('git plan approve ')))
          .map((way) => [
            Object.entries(labels).find(([word]) => ` ${way} `.includes(` ${word} `))?.[1] ?? 'run it',
            way,
          ]),
      ),
    },
    facts: { required: verdict.required, given: verdict.counted.length, missing: verdict.missing },
  })
}

/** A branch can be written by hand: a plan with errors of `check` is not approved, no matter who asks. */
export function refuseErrors({ id, planPath }: Run, findings: readonly Finding[]): void {
  if (hasErrors(findings)) throw invalidPlan(planPath, findings, `git plan edit ${id}`)
}

/** A decision about another text than the one shown is not valid. */
export function refuseOtherDigest(run: Run, digest: string | undefined): void {
  if (digest === undefined) return
  if (digest.length < 8)
    throw new PlanError('usage', `--digest needs at least 8 digits, not ${JSON.stringify(digest)}`, {
      hint: `git plan show ${run.id}`,
    })
  if (run.at.plan.digest.startsWith(digest.toLowerCase())) return
  throw new PlanError(
    'spec-changed',
    `plan ${run.id} has digest ${run.at.plan.digest.slice(0, 12)}, not ${digest.slice(0, 80)}`,
    {
      hint: `git plan show ${run.id}`,
    },
  )
}
