// `git plan resume`: goes on from the tip. After a failure the user's edits and commits are normal; a flag says what they are.

import { PlanError } from '../errors.ts'
import { isFinal } from '../plan/lifecycle.ts'
import type { ForeignCommit } from '../report/history.ts'
import { scanPlace } from '../run/not-ours.ts'
import { enter, holdPlace } from '../run/place.ts'
import { preflight } from '../run/preflight.ts'
import { refuseEditedPlanFile } from '../run/record.ts'
import { requireClean } from '../run/rollback.ts'
import type { Session } from '../run/session.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { dryRunOf } from './dry-run.ts'
import { refuseFinishedElsewhere } from './finished-elsewhere.ts'
import { foreignOnTop, refuseForeignCommits, refuseForeignSpec } from './foreign-on-top.ts'
import { objectionToRun, permitAgain, permitRun, refuseForeignAttempt } from './gate.ts'
import { judgePlan } from './judge-plan.ts'
import type { DryRunData, RunData } from './results.ts'
import { declareDone, skip } from './resume-declare.ts'
import { fix } from './resume-fix.ts'
import { askRemoteFirst } from './remote-state.ts'
import { retryOf, type RetryRequest } from './resume-retry.ts'
import { runResult } from './run-result.ts'
import { runToEnd, type RunRequest } from './start.ts'
import { stepNamed, withSession } from './with-session.ts'

export interface ResumeRequest extends RunRequest, RetryRequest {
  readonly plan?: string
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
    await refuseFinishedElsewhere(writing)
    if (request.dryRun === true) {
      const objection = await objectionToRun(writing)
      if (objection !== undefined) throw objection
      return dryRunOf('resume', session.at.plan)
    }
    await refuseForeignSpec(session)
    const isTaking = request.fix === true || request.done !== undefined
    const own = await foreignOnTop(session)
    // Before anybody approves: an approval on top of them must not hide them.
    if (!isTaking) refuseForeignCommits(session, own)
    await askRemoteFirst(writing, request)
    await holdPlace(session, settings)
    await permitRun(writing, { ...request, adopts: isTaking })

    await enter(session, { autostash: request.autostash === true, worktree: settings.worktree })
    await refuseEditedPlanFile(session)
    const retry = await retryOf(session, request)
    if (retry?.fromAttempt !== undefined) await refuseForeignAttempt(writing, retry.step, retry.fromAttempt)
    if (request.fix === true) {
      await fix(session, request.message, own)
      await scanPlace(session)
      await permitAgain(writing, { adopts: false })
    } else if (request.done !== undefined) {
      const failure = await declareDone(session, stepNamed(session, request.done), request.message)
      if (failure !== undefined)
        return {
          ...(await runResult(writing, { kind: 'failed', step: stepNamed(session, request.done), message: failure, isUnknown: false }, { keepsTree: true })),
          exitCode: 1,
        }
      await scanPlace(session)
      await permitAgain(writing, { adopts: false })
      tellAdopted(session, request.done, own)
    } else {
      await requireClean(session)
      if (request.skip !== undefined) await skip(session, stepNamed(session, request.skip), request.message)
    }
    // A step that begins with what an earlier attempt left does not begin with the tree of the tip.
    await preflight(session, request.skipCheck ?? [], async () => (retry?.fromAttempt === undefined ? judgePlan(writing) : undefined))
    const keepTree = request.keepTree === true
    return runToEnd(writing, { keepGoing: request.keepGoing === true, keepTree, retry }, request)
  })
}

/** Commits that somebody put on the branch are now part of a step. */
function tellAdopted({ world }: Session, step: string, commits: readonly ForeignCommit[]): void {
  if (commits.length === 0) return
  const list = commits.map(({ commit, subject, by }) => `${commit.slice(0, 10)} ${subject} (${by})`).join('; ')
  world.emit({ kind: 'notice', message: `adopted as the result of ${step}: ${list}` })
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
