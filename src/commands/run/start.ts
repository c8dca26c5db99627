// `git plan start`: proposes the plan if given a file, obtains its approval, runs the preflight checks and the steps.

import { stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'
import { PlanError } from '../../errors.ts'
import { rawPath, type RawPath } from '../../git/read/raw-path.ts'
import type { Repository } from '../../git/repository.ts'
import { isFinal } from '../../plan/model/lifecycle.ts'
import { isBegun } from '../../plan/model/step-status.ts'
import { finalRef, isId, nameOfPlan, planBranch, type PlanId } from '../../plan/model/ids.ts'
import { resolvePlanName } from '../../store/resolve-plan.ts'
import { refuseUnfinished } from '../../engine/switch/enter-and-leave.ts'
import type { Run } from '../../engine/run/run.ts'
import type { CommandContext } from '../../operation/context.ts'
import { dryRunResult } from '../../protocol/dry-run.ts'
import { refuseMergedFile } from '../../approval/flow/finished-elsewhere.ts'
import { adoptRevision, refuseUnapprovedCommits } from '../../approval/flow/unapproved-commits.ts'
import { choosePlan } from '../../operation/choose-plan.ts'
import { prepareProposal, propose, type Proposal } from '../../protocol/propose.ts'
import { areReviewersNeeded } from '../../approval/flow/reviews.ts'
import { refuseIdOnRemote } from '../../remote/remote-state.ts'
import { readPlanInput, type PlanInput } from '../../operation/read-plan-input.ts'
import {
  askRemote,
  ensureApproved,
  enterWorkTree,
  holdWorkTree,
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
} from '../../protocol/run-protocol.ts'
import type { Settings } from '../../operation/settings.ts'
import { hintFor, loadBranch, withPlanRun, withRepo, type WriteContext } from '../../operation/with-run.ts'

export interface StartRequest extends RunRequest {
  /** A plan or a file; the default plan if left out. */
  readonly target?: string
}

export const startPhases: readonly Phase<StartRequest>[] = [
  phase('require a plan that has not begun', refuseBegun),
  refuseFinished,
  preview('start', { asks: false }),
  phase('adopt a revision of the text', ({ run }) => adoptRevision(run)),
  phase('refuse unapproved commits', async (facts) => {
    if (!(await areReviewersNeeded(facts))) await refuseUnapprovedCommits(facts.run)
    facts.adopted = await sourceFiles(facts.run)
  }),
  askRemote,
  holdWorkTree,
  ensureApproved,
  enterWorkTree,
  requireCleanTree,
  preflight,
  runSteps,
]

export function start(request: StartRequest, context: CommandContext): Promise<RunAnswer> {
  return withRepo(context, async (repo, settings) => {
    const { id, proposal, input } = await findTarget(repo, settings, request, context)
    if (proposal !== undefined && request.dryRun === true) return dryRunResult('start', proposal.plan)
    const load = proposal === undefined ? undefined : (run: Run) => proposeOrLoad(run, proposal, input)
    const opened = { repo, settings, id, command: 'start', isDryRun: request.dryRun, load }
    return withPlanRun(context, opened, (writing) => runPhases(startPhases, writing, request))
  })
}

/** Starting the same file again continues its plan; another text under the same id is refused. */
async function proposeOrLoad(run: Run, proposal: Proposal, input: PlanInput | undefined): Promise<void> {
  if ((await run.repo.tipOf(run.branch)) === undefined) {
    const isFirst = await propose(run, proposal, input?.path).then(
      () => true,
      async (error: unknown) => {
        if (
          !(error instanceof PlanError) ||
          error.code !== 'plan-exists' ||
          (await run.repo.tipOf(run.branch)) === undefined
        )
          throw error
        return false
      },
    )
    if (isFirst) return
  }
  await loadBranch(run)
  if (run.at.plan.digest !== proposal.plan.digest)
    throw differentTextError(run, input?.path === undefined ? '-' : input.file)
}

async function refuseBegun(writing: WriteContext): Promise<void> {
  const { status, id } = writing.run.at.plan
  if (!isBegun(status)) return
  const what = isFinal(status) ? `is ${status}` : `has already been started (status: ${status})`
  throw new PlanError('wrong-state', `plan ${id} ${what}`, { hint: await hintFor(writing) })
}

/** The source file of the plan may lie untracked in the work tree: it is stashed with the rest and restored. */
async function sourceFiles(run: Run): Promise<RawPath[]> {
  const source = (await run.dir.readJson('source.json'))?.value as { path?: unknown } | undefined
  return typeof source?.path === 'string' ? [rawPath(relative(run.repo.root, source.path))] : []
}

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
  const name = request.target
  if (name === undefined)
    return { id: await choosePlan(repo, { plan: undefined, command: 'start', dir: settings.dir }, context) }
  const path = isAbsolute(name) ? name : resolve(context.cwd, name)
  const isPath =
    name === '-' || /\.(md|markdown)$/i.test(name) || (await stat(path).catch(() => undefined))?.isFile() === true
  const id = nameOfPlan(name)
  if (!isPath || (isId(id) && (await repo.tipOf(planBranch(id as PlanId))) !== undefined))
    return { id: await resolvePlanName(repo, name) }

  const input = await readPlanInput(name, context)
  // Before the branch is created, so that a refusal leaves nothing behind.
  if (!(request.worktree ?? settings.worktree)) await refuseUnfinished(repo)
  const proposal = await prepareProposal(repo, settings, input.bytes, input)
  const target = { id: proposal.plan.id, proposal, input }
  if (request.dryRun === true || (await repo.tipOf(planBranch(target.id))) !== undefined) return target
  await refuseMergedFile(repo, settings, proposal.plan, name)
  const isEndHere = (await repo.tipOf(finalRef(target.id))) !== undefined
  if (request.push === true && !isEndHere) await refuseIdOnRemote(repo, target.id)
  return target
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
