// The gate decides whether this plan, at this commit, under the policy in force, may run commands or be merged. It
// replays the branch as `audit` does, consults the policy, the forge and the pusher, and returns a permit. All code
// that runs a command of a plan or merges its result goes through here.

import { isResultAsked } from '../rules/decisions.ts'
import { Permit } from '../rules/permit.ts'
import { auditPlan } from '../../audit/audit-plan.ts'
import type { AuditFinding } from '../../audit/report.ts'
import { PlanError } from '../../errors.ts'
import { isFinal } from '../../plan/model/lifecycle.ts'
import { ObjectWriter } from '../../git/write/objects.ts'
import type { Repository } from '../../git/repository.ts'
import type { Plan } from '../../plan/model/plan.ts'
import type { Oid, PlanId, StepId } from '../../plan/model/ids.ts'
import { isStepEvent, type RecordedEvent } from '../../store/history.ts'
import { rollbackBefore } from '../../view/rollback-before.ts'
import { loadPlanAt, planFile } from '../../store/plan-at.ts'
import type { RollbackPermits } from '../../engine/rollback/rollback.ts'
import { readMade } from '../../engine/run/made-here.ts'
import { notApprovedError, obtainApproval, type ApprovalRequest } from './ensure-approved.ts'
import { refuseUnapprovedCommits, refuseStrayBase } from './unapproved-commits.ts'
import { isLocalEnough, refuseUntrustedPushes } from './untrusted-pushes.ts'
import { recordReviews } from './record-approval.ts'
import { mayBeReviewed, withReviews } from './reviews.ts'
import {
  approvalNeeded,
  progressText,
  refuseUnknownPolicy,
  readApprovalState,
  type ApprovalState,
} from './approval-state.ts'
import { historyOf, type AskContext, type Subject, type WriteContext } from '../../operation/with-run.ts'

/** Before a run: obtains missing approvals. `adopts`: commits on top are about to be adopted as a person's own. */
export async function permitRun(
  writing: WriteContext,
  request: ApprovalRequest & { readonly adopts?: boolean },
): Promise<void> {
  const { run, settings, context } = writing
  const state = await readApprovalState(run, settings, context.now())
  // Those who approved a campaign have seen its text, not the base here.
  const isByCampaign = state.verdict.counted.some(({ source }) => source === 'campaign')
  await refuseStrayBase(run, { isShallowEnough: !isLocalEnough(state.requirement) && !isByCampaign })
  await refuseAuditFindings(writing, { sparesTop: true })
  await obtainApproval(writing, state, { ...request, files: request.adopts })
  await permitAgain(writing, { adopts: request.adopts === true, known: state })
}

/** Renews the permit in the same command after a person's edits and commits were adopted, without asking again. */
export async function permitAgain(
  writing: WriteContext,
  { adopts, known }: { readonly adopts: boolean; readonly known?: ApprovalState },
): Promise<void> {
  const { run, settings, context } = writing
  if (!adopts) await refuseUnapprovedCommits(writing)
  const state = known?.tip === run.at.tip ? known : await readApprovalState(run, settings, context.now())
  if (!state.verdict.isSatisfied) throw await notApprovedError(writing, state)
  run.trustsRecords = isLocalEnough(state.requirement)
  run.permit = new Permit(run.at.plan)
  run.risk = state.circumstances.risk
}

/** Before a completed plan is merged into its base, here or on the forge. */
export async function permitMerge(writing: WriteContext): Promise<Permit> {
  const { run, settings, context } = writing
  await refuseStrayBase(run)
  const first = await firstFinding(writing, { isTakenOver: true })
  // The history is fine, but the policy in force requires more: an approval of the result resolves it.
  const isMissing = first?.rule === 'approval' && first.commit === null
  if (first?.rule === 'effect') throw openEffectError(run.id, first, (await historyOf(run)).events)
  if (first !== undefined && !isMissing) throw findingError(run.id, first)
  const result = await readApprovalState(run, settings, context.now())
  const isAsked = isMissing || isResultAsked(settings.config.approval, result.history.events)
  const isReviewed = await isResultApproved(writing, result, { isAsked })
  if (!isReviewed && isAsked) throw await resultNotApprovedError(run, result, first?.message)
  if (!isReviewed) await refuseUnprovenAt(writing, run.at.tip)
  return new Permit(run.at.plan)
}

/**
 * The step is done but its external effect is not: a rollback undid it and was itself undone, or it was undone in
 * another clone.
 */
function openEffectError(id: PlanId, { step, message }: AuditFinding, events: readonly RecordedEvent[]): PlanError {
  const isDone = step !== null && events.some((event) => event.step === step && isStepEvent(event))
  return new PlanError('not-approved', `the external effect of ${step ?? id} does not match the plan: ${message}`, {
    hint: isDone ? `${rollbackBefore(events, step as StepId, id)} && git plan resume ${id}` : `git plan audit ${id}`,
  })
}

/** Before the undo of a step: requires the approval that was valid when the step ran, at `commit`. */
async function permitUndo(asking: AskContext, commit: Oid): Promise<Permit> {
  const subject = await subjectAt(asking.run, commit)
  const at = { ...asking, run: subject }
  try {
    await refuseAuditFindings(at, { isTakenOver: true })
    await refuseUnprovenAt(at, commit)
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    const { id } = asking.run
    throw new PlanError(error.code, `the undo of ${id} was not run: ${error.message}`, {
      hint: `undo its effects by hand, then: git plan rollback ${id} --keep-effects`,
      cause: error,
    })
  }
  return new Permit(subject.at.plan)
}

/**
 * Before the checks of a plan run again on recorded trees: returns a permit for each of its texts. A text that is
 * merged into the policy branch already passed a gate.
 */
export async function permitChecks(
  asking: AskContext,
  { isMerged }: { readonly isMerged: boolean },
): Promise<(plan: Plan) => Permit> {
  await refuseAuditFindings(asking, { isTakenOver: !isMerged })
  if (!isMerged) await refuseUnprovenAt(asking, asking.run.at.tip)
  return (plan) => new Permit(plan)
}

/**
 * A step that starts from the tree of an attempt runs in files that nobody approved. If a push is not an approval, only
 * attempts of this clone are allowed.
 */
export async function refuseForeignAttempt(
  { run, settings, context }: WriteContext,
  step: string,
  attempt: Oid,
): Promise<void> {
  const { requirement } = await readApprovalState(run, settings, context.now())
  if (isLocalEnough(requirement) || readMade(run.repo.commonDir, run.id).has(attempt)) return
  throw new PlanError('not-approved', `the attempt ${attempt.slice(0, 10)} of ${step} was made in another clone`, {
    hint: `git plan resume ${run.id} --retry ${step}`,
  })
}

/** Before a rollback reads the records of effects: limits whose records are trusted. */
export async function limitTrust({ run, settings, context }: WriteContext): Promise<void> {
  run.trustsRecords = isLocalEnough((await readApprovalState(run, settings, context.now())).requirement)
}

/**
 * Returns the objection that `permitRun` would raise, without asking anybody; undefined if there is none. For reading
 * commands and dry runs.
 */
export async function objectionToRun(asking: AskContext): Promise<PlanError | undefined> {
  try {
    await refuseUnready(asking)
    return undefined
  } catch (error) {
    if (error instanceof PlanError) return error
    throw error
  }
}

async function refuseUnready(asking: AskContext): Promise<void> {
  await refuseAuditFindings(asking, { sparesTop: true })
  await refuseUnapprovedCommits(asking)
  const state = await readApprovalState(asking.run, asking.settings, asking.context.now())
  if (!state.verdict.isSatisfied) throw await notApprovedError(asking, state)
  await refuseUntrustedPushes(asking, state, null)
}

/**
 * `sparesTop`: ignores commits on top of the newest event, which an approval may name or a person is about to adopt.
 */
interface ReplayOptions {
  readonly sparesTop?: boolean
  readonly isTakenOver?: boolean
}

async function refuseAuditFindings(asking: AskContext, options: ReplayOptions): Promise<void> {
  const first = await firstFinding(asking, options)
  if (first !== undefined) throw findingError(asking.run.id, first)
}

async function firstFinding(asking: AskContext, options: ReplayOptions): Promise<AuditFinding | undefined> {
  await refuseUnknownPolicy(asking.run, asking.settings)
  const findings = await replay(asking, options)
  return findings.find(({ rule }) => rule !== 'approval') ?? findings[0]
}

function findingError(id: PlanId, finding: AuditFinding): PlanError {
  if (finding.rule !== 'approval') return forgedCommitError(id, finding)
  const commit = finding.commit === null ? '' : `${finding.commit.slice(0, 10)}: `
  return new PlanError('not-approved', `plan ${id} is not approved: ${commit}${finding.message}`, {
    hint: `git plan audit ${id}`,
  })
}

async function replay({ run, settings }: AskContext, options: ReplayOptions): Promise<AuditFinding[]> {
  const history = await historyOf(run)
  const { findings, status } = await auditPlan({
    repo: run.repo,
    id: run.id,
    dir: settings.dir,
    tip: run.at.tip,
    history,
    policy: { blob: settings.policyBlob, config: settings.config, ref: settings.policyRef },
    ...(options.isTakenOver === true ? { isTakenOver: true } : {}),
  })
  const top = new Set<string | null>(history.foreign.flatMap(({ depth, commit }) => (depth === 0 ? [commit] : [])))
  return findings.filter(({ rule, commit }) => {
    // While a plan is in progress, an effect may be intended or unknown.
    if (rule === 'effect') return status !== 'unreadable' && isFinal(status)
    return !(options.sparesTop === true && rule === 'foreign' && top.has(commit))
  })
}

/**
 * Refuses commits that claim to be the executor's but are not what it would have made. For callers that build on the
 * branch without running anything.
 */
export async function refuseForged(asking: AskContext, options: { sparesTop: boolean }): Promise<void> {
  const forged = (await replay(asking, options)).find(({ rule }) =>
    ['foreign', 'shape', 'plan-file', 'order', 'scope'].includes(rule),
  )
  if (forged !== undefined) throw forgedCommitError(asking.run.id, forged)
}

const forgedCommitError = (id: string, { commit, message, rule, subject }: AuditFinding): PlanError => {
  const name = commit?.slice(0, 10)
  if (rule === 'foreign')
    return new PlanError(
      'not-approved',
      `plan/${id} has a commit that git plan did not make and nobody has adopted: ${name} ${subject}`,
      {
        hint: `git branch after-${id} plan/${id} && git checkout plan/${id} && git reset --hard ${name}~1`,
      },
    )
  // Only these findings are faults of a commit on the branch and go away with it.
  if (name === undefined || !['shape', 'plan-file', 'order', 'scope'].includes(rule))
    return new PlanError('not-approved', `plan ${id} fails the audit: ${message} (${rule})`, {
      hint: `git plan audit ${id}`,
    })
  return new PlanError('not-approved', `${name} on plan/${id} is not a commit that git plan would make: ${message}`, {
    hint: { 'inspect it': `git plan audit ${id}`, 'drop it': `git checkout plan/${id} && git reset --hard ${name}~1` },
  })
}

/**
 * Reviews recorded on the branch are verified on the forge, and commits on top of an approval need proof that the
 * executor made them.
 */
async function refuseUnprovenAt(asking: AskContext, commit: Oid): Promise<void> {
  const { run, settings, context } = asking
  const { events } = await historyOf(run)
  const completed = run.at.plan.status === 'completed' ? events.find(({ event }) => event === 'completed') : undefined
  // The approval of the plan, not of its result.
  const at = completed?.parent === undefined ? run : await subjectAt(run, completed.parent)
  const state = await readApprovalState(at, settings, context.now())
  const isReview = state.decisions.some(({ source }) => source === 'review')
  const reviewed = isReview ? await withReviews({ ...asking, run: at }, state) : undefined
  if (reviewed !== undefined && !reviewed.verdict.isSatisfied)
    throw await notApprovedError({ ...asking, run: at }, reviewed)
  // Commits pushed on top are judged by the risk of the result, which may be higher than that of the text.
  const { requirement } = completed === undefined ? state : await readApprovalState(run, settings, context.now())
  const above: ApprovalState = { ...(reviewed ?? state), requirement, history: await historyOf(run) }
  await refuseUntrustedPushes({ ...asking, run: await subjectAt(run, commit) }, above, reviewed?.forge)
}

/**
 * True if the result was approved. Recorded reviews are verified on the forge: they may have been withdrawn, or may
 * never have existed.
 */
async function isResultApproved(
  writing: WriteContext,
  state: ApprovalState,
  { isAsked }: { readonly isAsked: boolean },
): Promise<boolean> {
  const { requirement, verdict, decisions } = state
  if (!isAsked && requirement.count === 0) return true
  const isDecided =
    requirement.count > 0 || decisions.some(({ source, problem }) => source !== 'policy' && problem === undefined)
  const isReview = verdict.counted.some(({ source }) => source === 'review')
  if (verdict.isSatisfied && isDecided && !isReview) return true
  if (!isAsked || !(await mayBeReviewed(writing.run, state))) return false
  const reviewed = await withReviews(writing, state)
  if (reviewed.verdict.isSatisfied) await recordReviews(writing, reviewed)
  return reviewed.verdict.isSatisfied
}

/** `missing`: what the policy in force requires beyond the approval of the plan. */
async function resultNotApprovedError(run: Subject, state: ApprovalState, missing?: string): Promise<PlanError> {
  const { id } = run
  const { from, isYours } = await approvalNeeded(run, state)
  const message =
    missing === undefined
      ? `the result of plan ${id} is not approved${state.requirement.count === 0 ? '' : `: it has ${progressText(state)}`}`
      : `plan ${id} is not approved: ${missing}`
  return new PlanError('not-approved', message, {
    hint:
      from.includes('review') && !(isYours && from.includes('local'))
        ? { 'have it reviewed': `git plan finish ${id} --ready`, 'after the review': `git plan finish ${id}` }
        : {
            'review it': `git plan diff ${id}`,
            ...(isYours ? { 'approve it': `git plan approve ${id}${from.includes('local') ? '' : ' --sign'}` } : {}),
          },
  })
}

/** Loads a plan from its branch, for a command that only reads. */
export async function subjectOf(
  repo: Repository,
  plan: { readonly id: PlanId; readonly dir: string; readonly tip: Oid },
): Promise<Subject> {
  const { id, dir, tip } = plan
  const at = { tip, ...(await loadPlanAt(repo, tip, { id, file: planFile(dir, id) })) }
  return { id, repo, home: repo, planPath: planFile(dir, id), objects: new ObjectWriter(repo), at }
}

/** Returns the same plan at another commit, which need not have a ref. */
export async function subjectAt(run: Subject, commit: Oid): Promise<Subject> {
  const { id, repo, home, planPath, objects } = run
  if (commit === run.at.tip) return run
  return {
    id,
    repo,
    home,
    planPath,
    objects,
    at: { tip: commit, ...(await loadPlanAt(repo, commit, { id, file: planPath })) },
  }
}

export const rollbackPermits = (writing: WriteContext): RollbackPermits => ({
  undo: (commit) => permitUndo(writing, commit),
  setup: async () => {
    try {
      await refuseUnready(writing)
      await refuseUnprovenAt(writing, writing.run.at.tip)
      return new Permit(writing.run.at.plan)
    } catch (error) {
      if (error instanceof PlanError) return undefined
      throw error
    }
  },
})
