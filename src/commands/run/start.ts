// `git plan start`: proposes the plan if given a file, obtains its approval, runs the preflight checks and the steps.

import { realpath, stat } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { PlanError } from '../../errors.ts'
import { rawPath, type RawPath } from '../../git/read/raw-path.ts'
import type { Repository } from '../../git/repository.ts'
import type { Scan } from '../../git/worktree/work-tree.ts'
import { isFinal } from '../../plan/model/lifecycle.ts'
import { isBegun } from '../../plan/model/step-status.ts'
import { finalRef, isId, nameOfPlan, planBranch, type PlanId } from '../../plan/model/ids.ts'
import type { Plan } from '../../plan/model/plan.ts'
import { loadPlanAt, planFile, tipOfPlan } from '../../store/plan-at.ts'
import { resolvePlanName } from '../../store/resolve-plan.ts'
import { refuseUnknownChecks } from '../../engine/preflight/preflight.ts'
import { holdUserTree, refuseDirty, refuseUnfinished } from '../../engine/switch/enter-and-leave.ts'
import type { Run } from '../../engine/run/run.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import type { ManyRunsData } from '../../operation/results.ts'
import { dryRunResult } from '../../protocol/dry-run.ts'
import { refuseMergedFile } from '../../approval/flow/finished-elsewhere.ts'
import { showWarnings } from '../../approval/flow/judge-plan.ts'
import { adoptRevision, refuseUnapprovedCommits } from '../../approval/flow/unapproved-commits.ts'
import { choosePlan } from '../../operation/choose-plan.ts'
import { prepareProposal, propose, type Proposal } from '../../protocol/propose.ts'
import { areReviewersNeeded } from '../../approval/flow/reviews.ts'
import { refuseIdOnRemote } from '../../remote/remote-state.ts'
import { expandInput, paramOption } from '../../operation/expand-input.ts'
import { findUnproposedFile, readPlanInput, type PlanInput } from '../../operation/read-plan-input.ts'
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
  type RunRequest,
  type Shared,
} from '../../protocol/run-protocol.ts'
import type { Settings } from '../../operation/settings.ts'
import { isPushing } from '../../remote/push-request.ts'
import { hintFor, loadBranch, withPlanRun, withRepo, type WriteContext } from '../../operation/with-run.ts'

import { runMany } from './run-many.ts'

export interface StartRequest extends RunRequest {
  /** A plan or a file; the default plan if left out. */
  readonly target?: string
  /** More of them, to run at the same time. */
  readonly more?: readonly string[]
  /** `NAME=VALUE`, for a file. */
  readonly param?: readonly string[]
}

export const startPhases: readonly Phase<StartRequest>[] = [
  phase('require a plan that has not begun', refuseBegun),
  refuseFinished,
  preview('start', { asks: false }),
  phase('adopt a revision of the text', ({ run }) => adoptRevision(run)),
  phase('refuse unapproved commits', async (facts) => {
    if (!(await areReviewersNeeded(facts))) await refuseUnapprovedCommits(facts)
    facts.adopted = await sourceFiles(facts.run)
  }),
  askRemote,
  holdWorkTree,
  ensureApproved,
  enterWorkTree,
  leavePlanMode,
  requireCleanTree,
  preflight,
  runSteps,
]

export function start(
  request: StartRequest,
  context: CommandContext,
): Promise<RunAnswer | CommandResult<ManyRunsData>> {
  const { target, more = [], ...rest } = request
  return target === undefined || more.length === 0
    ? startOne(request, context)
    : runMany([target, ...more], request, context, (each, alone, shared) =>
        startOne({ ...rest, target: each, worktree: true }, alone, shared),
      )
}

function startOne(request: StartRequest, context: CommandContext, shared?: Shared): Promise<RunAnswer> {
  return withRepo(context, async (repo, settings) => {
    refuseUnknownChecks(request.skipCheck)
    const { id, proposal, input } = await findTarget(repo, settings, request, context)
    if (proposal !== undefined && request.dryRun === true) return dryRunResult('start', proposal.plan)
    let scan: Scan | undefined
    let isProposed = false
    const load = async (run: Run): Promise<void> => {
      if (proposal === undefined) return loadBranch(run)
      if ((await repo.tipOf(run.branch)) !== undefined) return loadSame(run, proposal, input)
      // Before anything is recorded, so that a refusal leaves nothing behind.
      run.at = { ...proposal, tip: proposal.baseCommit }
      if (!(request.worktree ?? settings.worktree)) scan = await refuseUnusableTree(run, request, input)
      isProposed = await proposeOrLoad(run, proposal, input)
    }
    const opened = { repo, settings, id, command: 'start', isDryRun: request.dryRun, load }
    return withPlanRun(context, opened, (writing) =>
      reportOnRefusal(writing.run, { isProposed }, () =>
        runPhases(startPhases, writing, request, { scan, isJustProposed: isProposed, ...shared }),
      ),
    )
  })
}

async function refuseUnusableTree(
  run: Run,
  { autostash, target }: StartRequest,
  input: PlanInput | undefined,
): Promise<Scan> {
  await holdUserTree(run, { worktree: false }).catch((error: unknown) => {
    throw target === undefined ? error : withTarget(error, run.id, target)
  })
  const adopted = input?.path === undefined ? [] : [await pathFromTop(run, input.path)]
  return refuseDirty(run, { autostash: autostash === true, worktree: false, adopted, target })
}

/** The plan is not proposed yet, so a hint has to name its file. */
function withTarget(error: unknown, id: string, target: string): unknown {
  if (!(error instanceof PlanError) || error.hint === undefined) return error
  const hint = error.hint.replace(`git plan start ${id} `, `git plan start ${quoteIfNeeded(target)} `)
  return new PlanError(error.code, error.message, { hint, facts: error.facts, cause: error.cause })
}

/** A refused command says what it has recorded. */
async function reportOnRefusal<T>(run: Run, before: { isProposed: boolean }, work: () => Promise<T>): Promise<T> {
  const [wasApproved, wasHere] = [run.at.plan.status === 'approved', run.tree !== undefined]
  return work().catch((error: unknown) => {
    const made = [
      ...(before.isProposed ? ['proposed'] : []),
      ...(!wasApproved && run.at.plan.status === 'approved' ? ['approved'] : []),
      ...(!wasHere && run.tree !== undefined ? ['checked out'] : []),
    ]
    if (error instanceof PlanError && made.length > 0 && run.at.plan.state.size === 0)
      run.world.emit({ kind: 'notice', message: `plan/${run.id} was ${listed(made)} before the refusal` })
    throw error
  })
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/** Returns false if another process has proposed the same text meanwhile. */
async function proposeOrLoad(run: Run, proposal: Proposal, input: PlanInput | undefined): Promise<boolean> {
  try {
    await propose(run, proposal, input?.path)
    showWarnings(run, proposal.findings)
    return true
  } catch (error) {
    if (!(error instanceof PlanError) || error.code !== 'plan-exists') throw error
    if ((await run.repo.tipOf(run.branch)) === undefined) throw error
    await loadSame(run, proposal, input)
    return false
  }
}

/** Starting the same file again continues its plan; another text under the same id is refused. */
async function loadSame(run: Run, proposal: Proposal, input: PlanInput | undefined): Promise<void> {
  await loadBranch(run)
  if (run.at.plan.digest !== proposal.plan.digest)
    throw differentTextError(run, input?.path === undefined ? '-' : input.file)
}

async function refuseBegun(writing: WriteContext): Promise<void> {
  const { status, id } = writing.run.at.plan
  if (!isBegun(status)) return
  const what = isFinal(status) ? `is ${status}` : 'has already been started'
  throw new PlanError('wrong-state', `plan ${id} ${what}`, { hint: await hintFor(writing) })
}

/** The source file of the plan may lie untracked in the work tree: it is stashed with the rest and restored. */
async function sourceFiles(run: Run): Promise<RawPath[]> {
  const source = (await run.dir.readJson('source.json'))?.value as { path?: unknown } | undefined
  return typeof source?.path === 'string' ? [rawPath(relative(run.repo.root, source.path))] : []
}

const pathFromTop = async ({ repo }: Run, path: string): Promise<RawPath> =>
  rawPath(relative(repo.root, await realpath(path)))

interface Target {
  readonly id: PlanId
  /** For a file: it is proposed once the plan is locked. */
  readonly proposal?: Proposal
  readonly input?: PlanInput
}

/** Resolves the target to an id or a file. */
async function findTarget(
  repo: Repository,
  settings: Settings,
  request: StartRequest,
  context: CommandContext,
): Promise<Target> {
  const { param = [] } = request
  const name = request.target === undefined ? undefined : await findFile(repo, settings, request.target, context)
  if (name === undefined) {
    const id =
      request.target === undefined
        ? await choosePlan(repo, { plan: undefined, command: 'start', dir: settings.dir }, context)
        : await resolvePlanName(repo, request.target)
    if (param.length > 0) await refuseParams(repo, settings, id, param)
    return { id }
  }

  const input = await expandInput(await readPlanInput(name, context), {
    repo,
    dir: settings.dir,
    context,
    param,
    command: `git plan start ${quoteIfNeeded(name)}`,
  })
  // Before the branch is created, so that a refusal leaves nothing behind.
  if (!(request.worktree ?? settings.worktree)) await refuseUnfinished(repo)
  const proposal = await prepareProposal(repo, settings, input.bytes, input, {
    context,
    checksTree: request.skipCheck?.includes('plan') !== true,
    runAnyway: `git plan start ${quoteIfNeeded(name)} --skip-check plan`,
    refuse: async (plan) => {
      if (request.dryRun === true || (await repo.tipOf(planBranch(plan.id))) !== undefined) return
      await refuseMergedFile(repo, settings, plan, name)
      const isEndHere = (await repo.tipOf(finalRef(plan.id))) !== undefined
      if (isPushing(request) && !isEndHere) await refuseIdOnRemote(repo, plan.id)
    },
  })
  return { id: proposal.plan.id, proposal, input }
}

/** The values are part of the text that was proposed: other values are another plan, or a new text of this one. */
async function refuseParams(repo: Repository, { dir }: Settings, id: PlanId, param: readonly string[]): Promise<void> {
  const { plan } = await loadPlanAt(repo, (await tipOfPlan(repo, id)).tip, { id, file: planFile(dir, id) })
  const template = plan.sources.find((source) => source.step === undefined)?.template
  throw new PlanError('usage', `plan ${id} has its values already: they are part of its text`, {
    hint: {
      ...(template === undefined
        ? { 'copy it, then edit the copy': `git plan clone ${id}` }
        : {
            'a plan with other values': [
              `git plan new --template ${template} --id ${id}-2`,
              ...valuesOf(plan, param).map(paramOption),
            ].join(' '),
          }),
      'change this one': `git plan edit ${id}`,
    },
  })
}

const valuesOf = ({ params }: Plan, param: readonly string[]): string[] => [
  ...Object.entries(params)
    .filter(([name]) => !param.some((each) => each.startsWith(`${name}=`)))
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? (value as string[]) : [value]).map((each) => `${name}=${String(each)}`),
    ),
  ...param,
]

/** Returns the name of the file that the target means; undefined if it means a plan. */
async function findFile(
  repo: Repository,
  { dir }: Settings,
  target: string,
  context: CommandContext,
): Promise<string | undefined> {
  const id = nameOfPlan(target)
  if (isId(id) && (await repo.tipOf(planBranch(id as PlanId))) !== undefined) return undefined
  const isPath =
    target === '-' ||
    /\.(md|markdown)$/i.test(target) ||
    (await stat(resolve(context.cwd, target)).catch(() => undefined))?.isFile() === true
  return isPath ? target : findUnproposedFile(repo, { name: target, dir }, context)
}

function differentTextError({ id, at }: Run, file: string): PlanError {
  const { status } = at.plan
  // A step that is done cannot be replaced.
  const isReplaceable = !isFinal(status) && at.plan.state.size === 0 && file !== '-'
  return new PlanError(
    'plan-exists',
    `plan ${id} already exists (${status}), and its text differs from ${file === '-' ? 'this one' : file}`,
    {
      hint: {
        'show it': `git plan show ${id}`,
        ...(isReplaceable ? { 'replace its text': `git plan replan ${id} --from ${file}` } : {}),
        'what to do with it': `git plan status ${id}`,
        'use another id in the file': 'plan: ANOTHER-ID',
      },
    },
  )
}
