// `git plan resume`: goes on from the tip. After a failure the user's edits and commits are normal; a flag says what they are.

import { PlanError } from '../errors.ts'
import { Fingerprint } from '../git/fingerprint.ts'
import { blockedSteps, openNeeds, readySteps } from '../plan/graph.ts'
import { isFinal } from '../plan/lifecycle.ts'
import { statusOf } from '../plan/plan.ts'
import { attemptRef, planRefs, type Oid, type StepId } from '../plan/values.ts'
import { commitStaged, stageChanges, subjectOf, type StepCommit } from '../run/checkpoint.ts'
import { newestEffect, recordEffect } from '../run/effects.ts'
import { scanPlace } from '../run/not-ours.ts'
import { performStep } from '../run/perform-step.ts'
import { enter, holdPlace } from '../run/place.ts'
import { preflight } from '../run/preflight.ts'
import { refuseSecrets, SecretGuard } from '../run/quarantine.ts'
import { recordEvent, refuseEditedPlanFile } from '../run/record.ts'
import { requireClean } from '../run/rollback.ts'
import { isOutOfBoundsRaw } from '../run/step-files.ts'
import type { Session } from '../run/session.ts'
import { forgetUntold } from '../run/untold.ts'
import { describePaths, shown, type RawPath } from '../git/raw-path.ts'
import type { TreeChange } from '../git/tree-text.ts'
import { refuseVoid, seeToApproval } from './approval.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { dryRunOf } from './dry-run.ts'
import { judgePlan } from './judge-plan.ts'
import { isOutOfBounds } from '../check/scope.ts'
import { changesBetween } from '../report/changes.ts'
import type { ForeignCommit } from '../report/history.ts'
import { refuseForeign } from './foreign.ts'
import { rollbackBefore } from './roll-back-all.ts'
import { runResult } from './run-result.ts'
import { historyOf, stepNamed, withSession } from './with-session.ts'
import { runToEnd, type RunRequest } from './start.ts'
import type { RunData, DryRunData } from './results.ts'

export interface ResumeRequest extends RunRequest {
  readonly plan?: string
  readonly retry?: string
  readonly fromAttempt?: string
  readonly skip?: string
  readonly done?: string
  readonly fix?: boolean
  readonly message?: string
}

export function resume(request: ResumeRequest, context: CommandContext): Promise<CommandResult<RunData | DryRunData>> {
  return withSession(context, { plan: request.plan, command: 'resume', isDryRun: request.dryRun }, async (writing) => {
    const { session, settings } = writing
    refuseContradiction(request)
    refuseEnded(session)
    if (request.dryRun === true) return dryRunOf('resume', session.at.plan)
    await refuseForeignSpec(session)
    const isTaking = request.fix === true || request.done !== undefined
    const own = await foreignOnTop(session)
    // Before anybody approves: an approval on top of them must not hide them.
    if (!isTaking) refuseForeignCommits(session, own)
    await holdPlace(session, settings)
    await seeToApproval(writing, { ...request, files: isTaking })

    await enter(session, { autostash: request.autostash === true, worktree: settings.worktree })
    await refuseEditedPlanFile(session)
    const retry = await retryOf(session, request)
    if (request.fix === true) {
      await fix(session, request.message, own)
      await scanPlace(session)
      await refuseVoid(writing)
    } else if (request.done !== undefined) {
      const failure = await declareDone(session, stepNamed(session, request.done), request.message)
      if (failure !== undefined)
        return {
          ...(await runResult(writing, { kind: 'failed', step: stepNamed(session, request.done), message: failure, isUnknown: false }, { keepsTree: true })),
          exitCode: 1,
        }
      await scanPlace(session)
      await refuseVoid(writing)
    } else {
      await requireClean(session)
      if (request.skip !== undefined) await skip(session, stepNamed(session, request.skip), request.message)
    }
    // What lies further down, below an approval that does not name it.
    await refuseForeign(session)
    // A step that begins with what an earlier attempt left does not begin with the tree of the tip.
    await preflight(session, request.skipCheck ?? [], async () => (retry?.fromAttempt === undefined ? judgePlan(writing) : undefined))
    const keepTree = request.keepTree === true
    return runToEnd(writing, { keepGoing: request.keepGoing === true, keepTree, retry }, request.push === true)
  })
}

function refuseContradiction(request: ResumeRequest): void {
  const given = (['retry', 'skip', 'done', 'fix'] as const).filter((name) => request[name] !== undefined && request[name] !== false)
  const isFixAndRetry = given.length === 2 && given.includes('fix') && given.includes('retry')
  if (given.length > 1 && !isFixAndRetry) throw new PlanError('usage', `--${given.join(' and --')} contradict each other`, { hint: 'git plan resume -h' })
  if (request.fromAttempt !== undefined && request.retry === undefined)
    throw new PlanError('usage', '--from-attempt says where --retry begins', { hint: 'git plan resume --retry STEP --from-attempt N' })
}

function refuseEnded(session: Session): void {
  const { status, id } = session.at.plan
  if (status === 'completed') throw new PlanError('wrong-state', `plan ${id} is completed`, { hint: `git plan finish ${id}` })
  if (isFinal(status)) throw new PlanError('wrong-state', `plan ${id} is ${status}`, { hint: `propose it again: git plan clone ${id}` })
}

async function retryOf(session: Session, request: ResumeRequest): Promise<{ step: StepId; fromAttempt?: Oid } | undefined> {
  if (request.retry === undefined) return undefined
  const step = stepNamed(session, request.retry)
  const status = statusOf(session.at.plan, step)
  if (status === 'done' || status === 'skipped')
    throw new PlanError('wrong-state', `step ${step} is ${status}`, {
      hint: `${rollbackBefore((await historyOf(session)).events, step, session.id)}, then: git plan resume ${session.id}`,
    })
  await refuseNotFailed(session, step)
  if (request.fromAttempt === undefined) return { step }
  const number = /^\d{1,6}$/.test(request.fromAttempt) ? Number(request.fromAttempt) : 0
  const fromAttempt = await session.repo.resolve(attemptRef(session.id, step, number))
  if (fromAttempt === undefined) throw new PlanError('usage', `step ${step} has no attempt ${request.fromAttempt}`, { hint: `git plan attempts ${session.id}` })
  return { step, fromAttempt }
}

/** There is something to try again where a step failed, waits, was interrupted or rolled back, or where nobody knows what came of it. */
async function refuseNotFailed(session: Session, step: StepId): Promise<void> {
  const { plan } = session.at
  if (statusOf(plan, step) !== 'pending') return
  const effect = await newestEffect(session.repo, session.id, step)
  if (effect?.state === 'intended' || effect?.state === 'undoing') return
  const failed = plan.steps.find((each) => ['failed', 'timeout', 'conflict'].includes(statusOf(plan, each.id)))?.id
  const isReady = readySteps(plan).some((each) => each.id === step)
  const hasAttempt = (await session.repo.refs(`${planRefs(session.id)}attempts/${step}/`)).length > 0
  if (isReady && hasAttempt) return
  const isBlocked = blockedSteps(plan).some((each) => each.id === step)
  const why = failed === undefined ? '' : isBlocked ? `: it waits for ${failed}, which failed` : `; ${failed} has`
  throw new PlanError('wrong-state', `step ${step} has not failed${why}`, {
    hint: `git plan resume ${session.id}${failed === undefined ? '' : ` --retry ${failed}`}`,
  })
}

/** Commits of the user's are adopted or refused, but never a new text of the plan. */
async function refuseForeignSpec(session: Session): Promise<void> {
  const { events } = await historyOf(session)
  const last = events[0]
  if (last === undefined || last.commit === session.at.tip) return
  // All of the plan file, what it says of state too, and what says who may do what: none of it is a step's or a fix's to change.
  const { dir } = session.settings
  const changed = await changesBetween(session.repo, last.commit, session.at.tip)
  const outside = changed.find(({ path }) => isOutOfBounds(path, { planFile: session.planPath, dir }))
  if (outside === undefined) return
  if (outside.path !== session.planPath)
    throw new PlanError('spec-changed', `a commit on plan/${session.id} that is not the executor's changed ${outside.path}, which no plan may change`, {
      hint: `take it back: git reset --hard ${last.commit.slice(0, 12)}; it belongs on the branch that policies are read from`,
    })
  throw new PlanError('spec-changed', `a commit on plan/${session.id} that is not the executor's changed the plan file`, {
    hint: `propose the change: git show plan/${session.id}:${session.planPath} >new.md; git reset --hard ${last.commit.slice(0, 12)}; git plan replan ${session.id} --from new.md`,
  })
}

function refuseForeignCommits(session: Session, newest: readonly ForeignCommit[]): void {
  if (newest.length === 0) return
  throw new PlanError(
    'branch-moved',
    `plan/${session.id} has commits that are not the executor's: ${newest.map(({ commit, subject }) => `${commit.slice(0, 10)} ${subject}`).join('; ')}`,
    {
      hint: `keep them as a fix and go on: git plan resume ${session.id} --fix; as the result of a step: --done STEP; or drop them with git reset`,
    },
  )
}

async function foreignOnTop(session: Session): Promise<ForeignCommit[]> {
  const { events, foreign } = await historyOf(session)
  const newest = events[0]?.commit
  const above: (typeof foreign)[number][] = []
  for await (const commit of session.repo.history(session.at.tip)) {
    if (commit.oid === newest) break
    const found = foreign.find((each) => each.commit === commit.oid)
    if (found === undefined) break
    above.push(found)
  }
  return above
}

/** The user's edits become a commit, their commits are adopted; the failed step is to run again. */
async function fix(session: Session, message: string | undefined, adopted: readonly ForeignCommit[]): Promise<void> {
  const { plan } = session.at
  const failed = plan.steps.filter((step) => ['failed', 'timeout', 'conflict', 'waiting'].includes(statusOf(plan, step.id)) && !step.allowFailure)
  const steps = new Map(failed.map((step) => [step.id, 'pending' as const]))
  const [first] = failed
  const { dirty } = await scanPlace(session)
  if (dirty.length === 0 && adopted.length === 0)
    throw new PlanError('usage', 'there is nothing to take as a fix: no edits and no commits of yours', {
      hint: `edit files, then: git plan resume ${session.id} --fix; or just: git plan resume ${session.id}`,
    })
  await refuseSecrets(session, undefined, dirty)
  const facts = { ...(first === undefined ? {} : { step: first.id }), ...(message === undefined ? {} : { reason: message }) }
  const subject = message ?? (first === undefined ? 'Fix by hand' : `Fix for ${first.title}`)
  if (dirty.length === 0) {
    await recordEvent(session, { event: 'fixed', steps, subject, facts })
    tellFix(session, [], adopted)
    return
  }
  const changes = await session.undisturbed(() => commitFix(session, { steps, subject, facts }))
  tellFix(
    session,
    changes.map(({ path }) => path),
    adopted,
  )
}

async function commitFix(session: Session, request: Pick<StepCommit, 'steps' | 'subject' | 'facts'>): Promise<readonly TreeChange[]> {
  await session.intend({ kind: 'event', input: session.at.tip })
  const staged = await stageChanges(session, new SecretGuard(session, undefined, { isOfPerson: true }))
  const touched = staged.changes.find(({ path }) => isOutOfBoundsRaw(session, path))
  if (staged.scan.nested.length > 0)
    throw new PlanError('cannot-save', `there is a repository inside the work tree: ${staged.scan.nested.map(shown).join(', ')}`, {
      hint: 'move it out of the work tree',
    })
  if (touched !== undefined) throw new PlanError('spec-changed', `a fix cannot change ${shown(touched.path)}`, { hint: `git plan replan ${session.id}` })
  const committed = await commitStaged(session, staged, { event: 'fixed', step: undefined, ...request, withHooks: false }, () => undefined)
  await session.settle()
  if (!committed.ok)
    throw new PlanError('step-failed', `the fix could not be committed: ${committed.message}`, {
      hint: `git status; then again: git plan resume ${session.id} --fix`,
    })
  return staged.changes
}

function tellFix(session: Session, paths: readonly RawPath[], adopted: readonly { readonly commit: string; readonly subject: string }[]): void {
  const commits = adopted.map(({ commit, subject }) => `${commit.slice(0, 10)} ${subject}`).join('; ')
  const taken = [...(paths.length === 0 ? [] : [describePaths(paths)]), ...(commits === '' ? [] : [`your commits ${commits}`])].join('; and ')
  session.world.emit({ kind: 'notice', message: `taken as the fix: ${taken}` })
}

/** A person says that a step is done: the tree as it is, after the step's own checks. Answers with what is wrong. */
async function declareDone(session: Session, id: StepId, message: string | undefined): Promise<string | undefined> {
  const step = session.at.plan.steps.find((each) => each.id === id)
  if (step === undefined) throw new Error(`no step ${id}`)
  const status = statusOf(session.at.plan, id)
  if (status === 'done' || status === 'skipped') throw new PlanError('wrong-state', `step ${id} is ${status}`, { hint: `git plan status ${session.id}` })
  const open = openNeeds(session.at.plan, step)
  if (open.length > 0) throw new PlanError('wrong-state', `step ${id} needs ${open.join(', ')}, not done yet`, { hint: `git plan resume ${session.id}` })
  const { dirty } = await scanPlace(session)
  await refuseSecrets(session, step, dirty)
  if (step.effect === 'external') {
    const effect = await newestEffect(session.repo, session.id, id)
    if (effect !== undefined && effect.state !== 'happened') await recordEffect(session, effect, id, 'happened', { reason: message ?? 'a person says so' })
  }
  const outcome = await performStep(session, step, { keepTree: true, isDeclared: true, fingerprint: await Fingerprint.take(session.repo), reason: message })
  if (outcome.kind === 'done') {
    session.world.emit({ kind: 'step-done', step: id, attempt: outcome.attempt, commit: outcome.commit, durationMs: outcome.durationMs })
    return undefined
  }
  if (outcome.kind === 'waiting') throw new Error('a declared step cannot wait')
  session.world.emit({
    kind: 'step-failed',
    step: id,
    attempt: outcome.attempt,
    status: outcome.status,
    reason: outcome.reason,
    message: outcome.message,
    saved: outcome.saved,
    retrying: false,
    durationMs: outcome.durationMs,
  })
  await forgetUntold(session, ({ run }) => run === session.run)
  return outcome.message
}

async function skip(session: Session, id: StepId, message: string | undefined): Promise<void> {
  const status = statusOf(session.at.plan, id)
  if (status === 'done' || status === 'skipped') throw new PlanError('wrong-state', `step ${id} is ${status}`, { hint: `git plan status ${session.id}` })
  const title = session.at.plan.steps.find((step) => step.id === id)?.title ?? id
  const commit = await recordEvent(session, {
    event: 'skipped',
    steps: new Map([[id, 'skipped']]),
    subject: `Skipped: ${subjectOf(session, title, id)}`,
    facts: { step: id, ...(message === undefined ? {} : { reason: message }) },
  })
  session.world.emit({ kind: 'step-skipped', step: id, commit })
}
