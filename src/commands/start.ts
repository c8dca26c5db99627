// `git plan start`: the main job. Creates the plan if given a file, sees to approval, checks, runs.

import { stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'
import { PlanError } from '../errors.ts'
import { rawPath, type RawPath } from '../git/raw-path.ts'
import type { Repository } from '../git/repository.ts'
import { isFinal } from '../plan/lifecycle.ts'
import type { Step } from '../plan/plan.ts'
import { finalRef, isId, nameOfPlan, planBranch, type PlanId } from '../plan/values.ts'
import { planNamed } from '../report/resolve-plan.ts'
import { enter, holdPlace, refuseDirty, refuseUnfinished } from '../run/place.ts'
import { preflight } from '../run/preflight.ts'
import { runPlan, type RunOptions } from '../run/run-plan.ts'
import { requireClean } from '../run/rollback.ts'
import { loadPlan, type Session } from '../run/session.ts'
import { stepPermit } from './approval.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { dryRunOf } from './dry-run.ts'
import { refuseFinishedElsewhere, refuseMergedFile } from './finished-elsewhere.ts'
import { adoptRevision, refuseForeign } from './foreign.ts'
import { permitRun } from './gate.ts'
import { judgePlan } from './judge-plan.ts'
import { planMeant } from './plan-meant.ts'
import { prepareProposal, propose } from './propose.ts'
import { areForReviewers } from './reviews.ts'
import { askRemoteFirst, refuseTakenThere } from './remote-state.ts'
import { readPlanInput } from './read-plan-input.ts'
import { runResult } from './run-result.ts'
import type { Settings } from './settings.ts'
import { whilePushing, type PushRequest } from './while-pushing.ts'
import { withPlanSession, withRepo, type Writing } from './with-session.ts'
import type { RunData, DryRunData } from './results.ts'

export interface RunRequest extends PushRequest {
  readonly approve?: boolean
  /** For reviews on the forge. */
  readonly wait?: boolean
  readonly autostash?: boolean
  readonly worktree?: boolean
  readonly keepGoing?: boolean
  readonly keepTree?: boolean
  readonly dryRun?: boolean
  readonly skipCheck?: readonly string[]
}

export interface StartRequest extends RunRequest {
  /** A plan or a file; left out: the plan that is meant. */
  readonly target?: string
}

export function start(request: StartRequest, context: CommandContext): Promise<CommandResult<RunData | DryRunData>> {
  return withRepo(context, async (repo, settings) => {
    const named = await findTarget(repo, settings, request, context)
    if ('dryRun' in named) return named.dryRun
    return withPlanSession(context, { repo, settings, id: named.id, command: 'start', isDryRun: request.dryRun }, async (writing) => {
      const { session } = writing
      const { status } = session.at.plan
      if (isFinal(status)) throw new PlanError('wrong-state', `plan ${named.id} is ${status}`, { hint: `propose it again: git plan clone ${named.id}` })
      if (!['proposed', 'approved', 'rejected'].includes(status))
        throw new PlanError('wrong-state', `plan ${named.id} has been started: it is ${status}`, { hint: `git plan resume ${named.id}` })
      await refuseFinishedElsewhere(writing)
      if (request.dryRun === true) return dryRunOf('start', session.at.plan)
      await adoptRevision(session)
      if (!(await areForReviewers(writing))) await refuseForeign(session)
      const adopted = await sourceOf(session)
      const isInPlace = session.tree === undefined && !(request.worktree ?? settings.worktree)
      await askRemoteFirst(writing, request)
      // Before the question, not after it.
      await holdPlace(session, { worktree: request.worktree ?? settings.worktree })
      if (isInPlace) await refuseDirty(session, { autostash: request.autostash === true, worktree: false, adopted })
      await permitRun(writing, request)
      return carryOut(writing, request, adopted)
    })
  })
}

/** The file that the plan was made from may lie in the work tree: it is put aside with the rest, and comes back. */
async function sourceOf(session: Session): Promise<RawPath[]> {
  const source = (await session.dir.readJson('source.json'))?.value as { path?: unknown } | undefined
  return typeof source?.path === 'string' ? [rawPath(relative(session.repo.root, source.path))] : []
}

/** From an approved plan to the end of the run. */
export async function carryOut(writing: Writing, request: RunRequest, adopted: readonly RawPath[] = []): Promise<CommandResult<RunData>> {
  const { session, settings } = writing
  await enter(session, { autostash: request.autostash === true, worktree: request.worktree ?? settings.worktree, adopted })
  await requireClean(session)
  await preflight(session, request.skipCheck ?? [], () => judgePlan(writing))
  const keepTree = request.keepTree === true
  return runToEnd(writing, { keepGoing: request.keepGoing === true, keepTree }, request)
}

/** The steps, each with permission and each, if wanted, published. */
export function runToEnd(writing: Writing, options: Omit<RunOptions, 'permit'>, request: RunRequest): Promise<CommandResult<RunData>> {
  const permit = stepPermit(writing)
  return whilePushing(writing, request, async (publish) => {
    const before = async (step: Step): Promise<void> => {
      await permit(step)
      await publish()
    }
    return runResult(writing, await runPlan(writing.session, { ...options, permit: before }), { keepsTree: options.keepTree })
  })
}

/** The plan that is meant: an id, or a file, which is proposed now. */
async function findTarget(
  repo: Repository,
  settings: Settings,
  request: StartRequest,
  context: CommandContext,
): Promise<{ id: PlanId } | { dryRun: CommandResult<DryRunData> }> {
  const name = request.target
  if (name === undefined) return { id: await planMeant(repo, { plan: undefined, command: 'start', dir: settings.dir }, context) }
  const path = isAbsolute(name) ? name : resolve(context.cwd, name)
  const isPath = name === '-' || /\.(md|markdown)$/i.test(name) || (await stat(path).catch(() => undefined))?.isFile() === true
  const id = nameOfPlan(name)
  if (!isPath || (isId(id) && (await repo.tipOf(planBranch(id as PlanId))) !== undefined)) return { id: await planNamed(repo, name) }

  const input = await readPlanInput(name, context)
  // Before there is a branch: a refusal leaves nothing behind.
  if (!(request.worktree ?? settings.worktree)) await refuseUnfinished(repo)
  const proposal = await prepareProposal(repo, settings, input.bytes, input, context)
  if (request.dryRun === true) return { dryRun: dryRunOf('start', proposal.plan) }
  const branch = planBranch(proposal.plan.id)
  if ((await repo.tipOf(branch)) === undefined) {
    await refuseMergedFile(repo, settings, proposal.plan, name)
    const isEndHere = (await repo.tipOf(finalRef(proposal.plan.id))) !== undefined
    if (request.push === true && !isEndHere) await refuseTakenThere(repo, proposal.plan.id)
  }
  const isThere =
    (await repo.tipOf(branch)) !== undefined ||
    // Another start of the same file may be first by a moment, and stop because this one holds the plan: then it is this one's to run.
    (await propose(repo, proposal, context, settings, input.path).then(
      () => false,
      async (error: unknown) => {
        if (error instanceof PlanError && error.code === 'plan-exists' && (await repo.tipOf(branch)) !== undefined) return true
        throw error
      },
    ))
  // Starting the same file again is going on with it; another text under the same name is a mistake.
  if (isThere && (await loadPlan(repo, proposal.plan.id, settings.dir)).plan.digest !== proposal.plan.digest)
    throw await differs(repo, settings, proposal.plan.id, name)
  return { id: proposal.plan.id }
}

async function differs(repo: Repository, settings: Settings, id: PlanId, file: string): Promise<PlanError> {
  const { plan } = await loadPlan(repo, id, settings.dir)
  const others = `as another plan: \`plan: another-id\` in the file; or without the old one: git plan delete ${id}, then start again`
  return new PlanError('plan-exists', `there is a plan ${id} already (${plan.status}), and its text differs from ${file === '-' ? 'this one' : file}`, {
    hint: `look at it: git plan show ${id}; ${isFinal(plan.status) ? '' : `give it the new text: git plan replan ${id} --from ${file}; `}${others}`,
  })
}
