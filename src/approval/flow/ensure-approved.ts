// Permission to run: what is on the branch, what the policy lets run unasked, what reviewers and the person at the
// keyboard say.

import { isBegun } from '../../plan/model/step-status.ts'
import { unnamed } from '../rules/decisions.ts'
import { PlanError } from '../../errors.ts'
import type { Step } from '../../plan/model/plan.ts'
import type { Run } from '../../engine/run/run.ts'
import { describe } from './approval-question.ts'
import { waysToApprove } from '../../operation/approval-ways.ts'
import { askForge } from './ask-forge.ts'
import { described } from './unapproved-commits.ts'
import { objectionsTo } from './judge-plan.ts'
import { invalidPlan, refuseTooManySteps } from '../../operation/invalid-plan.ts'
import { refusePushedAbove } from './untrusted-pushes.ts'
import { approveNow, named, record, recordReviews } from './record-approval.ts'
import { mayBeReviewed, withReviews, type Reviewed } from './reviews.ts'
import { readSettings, type Settings } from '../../operation/settings.ts'
import { progressText, standingOf, type Standing } from './approval-state.ts'
import type { AskContext, WriteContext } from '../../operation/with-run.ts'

export interface ApprovalRequest {
  readonly approve?: boolean
  readonly wait?: boolean
  /** Commits of others on the branch are approved with it. */
  readonly files?: boolean | undefined
}

/**
 * Where the approvals on the branch are not enough: what the policy lets run unasked, `--approve`, reviews on the
 * forge, or a person who says yes.
 */
export async function obtainApproval(
  writing: WriteContext,
  standing: Standing,
  request: ApprovalRequest,
): Promise<void> {
  const { run, settings, context } = writing
  const { status } = run.at.plan
  const isOpen = status === 'proposed' || status === 'rejected'
  const byReview = standing.verdict.counted.some(({ source }) => source === 'review')
  if (standing.verdict.isSatisfied && !isOpen && !byReview) return refusePushedAbove(writing, standing)
  if (status === 'rejected')
    throw new PlanError('not-approved', `plan ${run.id} was rejected`, {
      hint: {
        'see why': `git plan log ${run.id}`,
        'change it': `git plan edit ${run.id}`,
        'approve it anyway': `git plan approve ${run.id}`,
      },
    })
  await refuseFindings(run, settings)
  if (standing.requirement.count === 0)
    return record(writing, standing, { source: 'policy', by: 'the policy', evidence: named(standing, request.files) })
  const isLocal = standing.requirement.from.includes('local')
  if (isLocal && request.approve === true) return approveNow(writing, standing, { files: request.files })
  if (request.wait === true || (await mayBeReviewed(run, standing))) {
    const reviewed = await askForge(writing, standing, request)
    if (reviewed?.verdict.isSatisfied === true) {
      await refusePushedAbove(writing, reviewed, reviewed.forge)
      return recordReviews(writing, reviewed)
    }
    if (reviewed !== undefined && !(isLocal && context.isInteractive)) throw notApproved(writing, reviewed)
  }
  if (
    isLocal &&
    context.isInteractive &&
    (await context.confirm(await describe(run.at.plan, settings.config), `Approve this plan and run it?`))
  )
    return approveNow(writing, standing, { files: request.files })
  throw notApproved(writing, standing)
}

/**
 * Before each step of a run: what cannot be taken back is asked about once more at the last moment, and whoever
 * withdraws a review stops it.
 */
export function stepPermit(writing: WriteContext): (step: Step) => Promise<void> {
  const clock = (): number => writing.context.now().getTime()
  let askedAt = clock()
  return async (step) => {
    const isExternal = step.effect === 'external'
    if (!isExternal && clock() - askedAt < reviewsAreFreshMs) return
    const settings = await readSettings(writing.run.home)
    const standing = await standingOf(writing.run, settings, writing.context.now())
    // Long plans have long histories: where there is no review to ask about, they are not read at every step either.
    askedAt = clock()
    const { verdict, decisions } = standing
    const byReview = (verdict.isSatisfied ? verdict.counted : decisions).some(({ source }) => source === 'review')
    if (!isExternal && !byReview) return
    const now = byReview ? await withReviews({ ...writing, settings }, standing) : standing
    if (!now.verdict.isSatisfied) throw notApproved(writing, now)
  }
}

const reviewsAreFreshMs = 2000

export function notApproved(
  { run }: Pick<AskContext, 'run'>,
  { verdict, circumstances, requirement, history, pullRequest, isPushed }: Standing & Partial<Reviewed>,
): PlanError {
  const url = isPushed === true ? pullRequest?.url : undefined
  const strangers = unnamed(history)
  const { id, at } = run
  const hasBegun = isBegun(at.plan.status)
  const changed = verdict.notCounted.find(({ decision }) => decision.problem !== undefined)
  const why = changed === undefined ? '' : `: ${changed.why}`
  const rest = verdict.notCounted.filter((each) => each !== changed)
  const isPlain =
    verdict.counted.length === 0 &&
    verdict.notCounted.length === 0 &&
    requirement.from.includes('local') &&
    requirement.count === 1
  const message = isPlain
    ? `plan ${id} is not approved yet; nothing was run`
    : `plan ${id} is ${why === '' ? 'not' : 'no longer'} approved${why}; it has ${progressText({ verdict: { ...verdict, notCounted: rest }, circumstances })}${strangers.length === 0 ? '' : `; plan/${id} has unapproved commits: ${described(strangers)}`}`
  const verb = hasBegun ? 'resume' : 'start'
  // Where it is open already, with all that is here, its address says more than how to open it.
  const ways = waysToApprove(id, { required: verdict.required, from: requirement.from }, verb).filter(
    (way) => url === undefined || way !== `git plan submit ${id}`,
  )
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
        ways.map((way) => [
          Object.entries(labels).find(([word]) => ` ${way} `.includes(` ${word} `))?.[1] ?? 'run it',
          way,
        ]),
      ),
    },
    facts: { required: verdict.required, given: verdict.counted.length, missing: verdict.missing },
  })
}

/** A branch can be written by hand: what `check` finds wrong is not approved, whoever says so. */
export async function refuseFindings(run: Run, settings: Settings): Promise<void> {
  const findings = await objectionsTo(run, settings)
  if (findings !== undefined) throw invalidPlan(run.planPath, findings)
  refuseTooManySteps(run.at.plan, settings)
}

/** A decision about something else than what was shown is no decision. */
export function refuseOtherDigest(run: Run, digest: string | undefined): void {
  if (digest === undefined || (digest.length >= 8 && run.at.plan.digest.startsWith(digest.toLowerCase()))) return
  throw new PlanError(
    'spec-changed',
    `plan ${run.id} has digest ${run.at.plan.digest.slice(0, 12)}, not ${digest.slice(0, 80)}`,
    {
      hint: `git plan show ${run.id}`,
    },
  )
}
