// `git plan resume`: continues from the tip. After a failure the user's edits and commits are expected; an option says
// what they are.

import { PlanError } from '../../errors.ts'
import { refuseAgentShell } from '../../approval/rules/agent-shell.ts'
import { isFinal } from '../../plan/model/lifecycle.ts'
import type { ForeignCommit } from '../../store/history.ts'
import { readOpenStep } from '../../store/open-step.ts'
import { scanWorkspace } from '../../engine/workspace/preserved-ignored.ts'
import { refuseEditedPlanFile } from '../../engine/record/plan-file-in-tree.ts'
import type { Run } from '../../engine/run/run.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import type { ManyRunsData } from '../../operation/results.ts'
import {
  commitsSinceLastEvent,
  refuseCommitsSinceLastEvent,
  refusePlanFileCommits,
} from '../../approval/flow/commits-since-last-event.ts'
import { permitAgain, refuseForeignAttempt } from '../../approval/flow/gate.ts'
import { declareDone, skip } from './resume-declare.ts'
import { fix } from './resume-fix.ts'
import { runMany } from './run-many.ts'
import { findRetry, type RetryRequest } from './resume-retry.ts'
import { runResult } from '../../protocol/run-result.ts'
import {
  askRemote,
  ensureApproved,
  enterWorkTree,
  holdWorkTree,
  leavePlanMode,
  phase,
  preflight,
  preview,
  refuseFinished,
  requireCleanTree,
  runPhases,
  runSteps,
  type Phase,
  type RunAnswer,
  type RunFacts,
  type RunRequest,
  type Shared,
} from '../../protocol/run-protocol.ts'
import { hintFor, stepNamed, withRun, type WriteContext } from '../../operation/with-run.ts'

export interface ResumeRequest extends RunRequest, RetryRequest {
  readonly plan?: string
  /** More plans, to run at the same time. */
  readonly more?: readonly string[]
  readonly skip?: string
  readonly done?: string
  readonly fix?: boolean
  readonly message?: string
}

export const resumePhases: readonly Phase<ResumeRequest>[] = [
  phase('require a plan that has not ended', async (facts) => {
    const { request, run, context } = facts
    refuseContradiction(request)
    for (const name of ['done', 'skip'] as const)
      if (request[name] !== undefined)
        refuseAgentShell(
          context.env,
          'declares the outcome of a step',
          `git plan resume ${run.id} --${name} ${request[name]}`,
        )
    await refuseEnded(facts)
  }),
  { name: 'leave the step to its driver', run: leaveToDriver },
  refuseFinished,
  preview('resume', { asks: true }),
  phase('refuse a changed plan file', ({ run }) => refusePlanFileCommits(run)),
  phase('find the commits of a person', async (facts) => {
    const { run, request } = facts
    facts.takesWork = request.fix === true || request.done !== undefined
    facts.commits = await commitsSinceLastEvent(run)
    // Before anybody approves: an approval on top of these commits must not hide them.
    if (!facts.takesWork) refuseCommitsSinceLastEvent(run, facts.commits)
  }),
  askRemote,
  holdWorkTree,
  ensureApproved,
  enterWorkTree,
  leavePlanMode,
  phase('find the step to retry', async (facts) => {
    const { run, request } = facts
    await refuseEditedPlanFile(run.worker)
    facts.retry = await findRetry(run, request)
    const attempt = facts.retry?.fromAttempt
    if (facts.retry !== undefined && attempt !== undefined) await refuseForeignAttempt(facts, facts.retry.step, attempt)
  }),
  { name: 'take over the work of a person', run: adoptWork },
  preflight,
  runSteps,
]

export function resume(
  request: ResumeRequest,
  context: CommandContext,
): Promise<RunAnswer | CommandResult<ManyRunsData>> {
  const { plan, more = [], ...rest } = request
  if (plan === undefined || more.length === 0) return resumeOne(request, context)
  refuseForMany(request)
  return runMany([plan, ...more], request, context, (each, alone, shared) =>
    resumeOne({ ...rest, plan: each, worktree: true }, alone, shared),
  )
}

const resumeOne = (request: ResumeRequest, context: CommandContext, shared?: Shared): Promise<RunAnswer> =>
  withRun(context, { plan: request.plan, command: 'resume', isDryRun: request.dryRun }, (writing) =>
    runPhases(resumePhases, writing, request, shared),
  )

/** These are about one step of one plan. */
function refuseForMany(request: ResumeRequest): void {
  const given = (['retry', 'continueSession', 'skip', 'done', 'fix', 'message'] as const).find(
    (name) => request[name] !== undefined,
  )
  if (given !== undefined) throw new PlanError('usage', `--${given} is for one plan`, { hint: 'git plan resume -h' })
}

/** Only after a change of the driver was accepted: otherwise the step is closed by now, or the command is refused. */
async function leaveToDriver(facts: RunFacts<ResumeRequest>): Promise<RunAnswer | undefined> {
  const { run, request } = facts
  const open = request.dryRun === true ? undefined : await readOpenStep(run.repo, run.id)
  if (open === undefined) return undefined
  const { step, holder, until } = open
  const result = await runResult(facts, { kind: 'waiting', step, for: 'driver', message: '' }, { keepsTree: true })
  return { ...result, exitCode: 0, data: { ...result.data, message: `${step} is with ${holder} until ${until}` } }
}

/** Handles `--fix`, `--done` and `--skip`; without them the work tree must be clean. */
async function adoptWork(facts: RunFacts<ResumeRequest>): Promise<RunAnswer | undefined> {
  const { run, request, commits } = facts
  if (!facts.takesWork) {
    await requireCleanTree.run(facts)
    if (request.skip !== undefined) await skip(run, stepNamed(run, request.skip), request.message)
    return undefined
  }
  if (request.done === undefined)
    await fix(run, request.message, commits, async (tree) => {
      facts.fix = tree
      await preflight.run(facts)
    })
  else {
    const step = stepNamed(run, request.done)
    const failure = await declareDone(run, step, request.message)
    if (failure !== undefined)
      return {
        ...(await runResult(facts, { kind: 'failed', step, message: failure, isUnknown: false }, { keepsTree: true })),
        exitCode: 1,
      }
    reportAdopted(run, request.done, commits)
  }
  await scanWorkspace(run.checkedOut)
  await permitAgain(facts, { adopts: false })
  return undefined
}

/** Reports the commits that became part of a step. */
function reportAdopted({ world }: Run, step: string, commits: readonly ForeignCommit[]): void {
  if (commits.length === 0) return
  const list = commits.map(({ commit, subject, by }) => `${commit.slice(0, 10)} ${subject} (${by})`).join('; ')
  world.emit({ kind: 'notice', message: `adopted as the result of ${step}: ${list}` })
}

function refuseContradiction(request: ResumeRequest): void {
  const given = (['retry', 'skip', 'done', 'fix'] as const).filter(
    (name) => request[name] !== undefined && request[name] !== false,
  )
  const isFixAndRetry = given.length === 2 && given.includes('fix') && given.includes('retry')
  if (given.length > 1 && !isFixAndRetry)
    throw new PlanError('usage', `--${given.join(' and --')} cannot be combined`, { hint: 'git plan resume -h' })
  if (request.dryRun === true && given.some((name) => name !== 'retry'))
    throw new PlanError('usage', `--dry-run cannot be combined with --${given[0]}`, {
      hint: 'git plan resume -h',
    })
  if (request.fromAttempt !== undefined && request.retry === undefined)
    throw new PlanError('usage', '--from-attempt needs --retry STEP', {
      hint: 'git plan resume -h',
    })
}

async function refuseEnded(writing: WriteContext): Promise<void> {
  const { status, id } = writing.run.at.plan
  if (isFinal(status)) throw new PlanError('wrong-state', `plan ${id} is ${status}`, { hint: await hintFor(writing) })
}
