// `git plan finish`: merges the completed plan into its base, returns to the user's branch, and replaces the plan's
// branch by refs/plan/<id>/final.

import { requirePermit, type Permit } from '../../approval/rules/permit.ts'
import { PlanError } from '../../errors.ts'
import { describePaths, rawPath } from '../../git/read/raw-path.ts'
import { updateBaseCommand } from '../../remote/base-behind.ts'
import { remoteOf } from '../../store/remote-name.ts'
import { WorkTree } from '../../git/worktree/work-tree.ts'
import { workTreeOf } from '../../git/worktree/worktrees.ts'
import type { FinishMode as Mode } from '../../plan/config/config.ts'
import type { Plan } from '../../plan/model/plan.ts'
import { isDone } from '../../plan/model/step-status.ts'
import { verbOf } from '../../plan/verbs/index.ts'
import { trailersOf } from '../../plan/record/trailers.ts'
import { finalRef, type Oid } from '../../plan/model/ids.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { hasPlan, tipTrailer } from '../../store/merged.ts'
import { updateStaleFiles } from '../../engine/workspace/checkout.ts'
import { maskMessage } from '../../engine/run/known-secrets.ts'
import type { Run } from '../../engine/run/run.ts'
import { refuseBehindBase } from '../../remote/base-behind.ts'
import { refuseUnfinished } from '../../engine/switch/enter-and-leave.ts'
import { dropBranch, goBack, requireWayBack } from '../../engine/switch/go-back.ts'
import { refuseFinishedElsewhere } from '../../approval/flow/finished-elsewhere.ts'
import { permitMerge, refuseForged } from '../../approval/flow/gate.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { reportProgress } from '../../remote/publish.ts'
import { keepFinal, makeReady, mergeOnForge } from '../../remote/finish-on-forge.ts'
import { reportLeftovers } from '../../remote/remote-leftovers.ts'
import { deleteRemoteBranch, publishFinished } from '../../remote/publish-finished.ts'
import { pushFinalAfterMerge, pushFinished } from '../../remote/push-finished.ts'
import { askRemoteBeforeFinish } from '../../remote/remote-state.ts'
import { hintFor, withRun, type WriteContext } from '../../operation/with-run.ts'
import type { FinishedData } from '../../operation/results.ts'

export interface FinishRequest {
  readonly plan?: string
  readonly merge?: boolean
  readonly squash?: boolean
  readonly ff?: boolean
  /** Replaces the subject and the list of steps in the commit message. */
  readonly message?: string
  readonly dryRun?: boolean
  readonly keepBranch?: boolean
  /** Only mark the pull request as ready for review. */
  readonly ready?: boolean
  /** Merge on the forge instead of here. */
  readonly remote?: boolean
  /** Push the base and the plan afterwards. */
  readonly push?: boolean
  /** With `push`: delete the plan's branch on the remote. */
  readonly deleteBranch?: boolean
}

export async function finish(request: FinishRequest, context: CommandContext): Promise<CommandResult<FinishedData>> {
  if (request.deleteBranch === true && request.push !== true)
    throw new PlanError('usage', '--delete-branch needs --push', {
      hint: 'git plan finish -h',
    })
  const published = request.push === true ? await publishFinished(request, context) : undefined
  if (published !== undefined) return published
  return withRun(context, { plan: request.plan, command: 'finish', isDryRun: request.dryRun }, (writing) =>
    writing.run.withKeptObjects(() => finishPlan(writing, request)),
  )
}

async function finishPlan(writing: WriteContext, request: FinishRequest) {
  const { run, settings } = writing
  const mode = modeOf(request, settings.config.finish.mode)
  const { plan } = run.at
  if (plan.status !== 'completed') await refuseFinishedElsewhere(writing)
  if (plan.status !== 'completed')
    throw new PlanError(
      'wrong-state',
      `plan ${plan.id} is ${plan.status === 'active' ? '' : `${plan.status}, `}not completed`,
      {
        hint: await hintFor(writing),
      },
    )
  if (request.push === true && request.dryRun !== true) await askRemoteBeforeFinish(writing)
  if (plan.base === undefined)
    throw new PlanError('wrong-state', `plan ${plan.id} has no base to merge into`, {
      hint: `git merge plan/${plan.id}`,
    })
  if (request.ready === true && request.remote !== true) return markReady(writing, request, mode, plan.base)
  if (request.remote === true) return finishOnForge(writing, request, mode, plan.base)
  const baseRef = `refs/heads/${plan.base}`
  const base = await run.repo.tipOf(baseRef)
  if (base === undefined)
    throw new PlanError('wrong-state', `the base ${plan.base} is not a branch here`, {
      hint: `git branch ${plan.base} origin/${plan.base}`,
    })
  await refuseBehindBase(
    run,
    { name: plan.base, tip: base },
    { isPushed: request.push === true && request.dryRun !== true },
  )
  // If the base already contains the plan, no permit is needed; the branch is still audited, since it may be pushed.
  const isThere = await hasPlan(run.repo, base, run.at.tip, run.planPath)
  if (isThere) await refuseForged(writing, { sparesTop: false })
  else await refuseUnfinishedMerge(run, baseRef)
  const permit = isThere ? undefined : await permitMerge(writing)
  // The gate may have recorded a review of the result.
  const { tip } = run.at
  const isMerged = permit === undefined
  const isFileDropped = settings.config.finish.planFile === 'drop'
  const result = isMerged ? base : await mergeCommit(run, base, mode, { text: request.message, isFileDropped })
  const summary = { id: plan.id, base: plan.base, mode, tip, result, isMerged }
  if (request.dryRun === true)
    return dryRun(
      summary,
      isMerged
        ? `${plan.base} already has ${plan.id}`
        : `finish would ${mode === 'ff' ? `move ${plan.base} to ${tip.slice(0, 10)}` : `${mode} plan/${plan.id} into ${plan.base}`}`,
    )
  await run.objects.flush()
  await requireWayBack(run, { ref: baseRef, to: result })
  // Before the user's own changes are restored, so that they are not in the way when the base moves.
  const final = await run.repo.resolve(finalRef(run.id))
  if (final !== undefined && !(await run.repo.isAncestor(final, tip)))
    throw new PlanError(
      'wrong-state',
      `plan ${plan.id} was already finished at ${final.slice(0, 10)}, and plan/${plan.id} does not descend from it`,
      {
        hint: `git plan clone ${plan.id}`,
      },
    )
  const keepFinal = final === tip ? [] : [{ ref: finalRef(run.id), from: final, to: tip }]
  if (permit === undefined) await run.moveRefsWithIntent(() => run.repo.moveRefs(keepFinal))
  else await moveBase(run, permit, { ref: baseRef, from: base, to: result }, keepFinal)
  const back = await goBack(run)
  // The branch is pushed too: the pull request shows it, and the forge deletes it as configured.
  if (request.push === true) {
    await pushFinished(run.home, run.id, plan.base)
    await reportProgress(writing)
    await (request.deleteBranch === true ? deleteRemoteBranch(run.home, run.id, tip) : reportLeftovers(writing, mode))
  }
  if (request.keepBranch !== true) await dropBranch(run, tip)
  return {
    kind: 'finished',
    exitCode: 0,
    data: { ...summary, message: `Finished ${plan.id}: ${plan.base} is at ${result.slice(0, 10)}${back}` },
    next: [`git plan report ${plan.id}`],
  }
}

/** Asks for a review of the result and merges nothing. */
async function markReady(writing: WriteContext, request: FinishRequest, mode: Mode, base: string) {
  const { id, at } = writing.run
  await refuseForged(writing, { sparesTop: false })
  const data = { id, base, mode, tip: at.tip, result: at.tip, isMerged: false }
  if (request.dryRun === true) return dryRun(data, `finish would mark the pull request of ${id} as ready for review`)
  const { url } = await makeReady(writing)
  await reportProgress(writing)
  return {
    kind: 'finished',
    exitCode: 0,
    data: { ...data, message: `${url} is ready for review, with the result of ${id}` },
    next: [`git plan finish ${id} --remote`],
  }
}

/** The forge moves the base; here the branch is replaced by its final ref once it is merged. */
async function finishOnForge(writing: WriteContext, request: FinishRequest, mode: Mode, base: string) {
  const { run } = writing
  const permit = await permitMerge(writing)
  const { id, tip } = { id: run.id, tip: run.at.tip }
  const data = { id, base, mode, tip, isMerged: false }
  if (request.dryRun === true) return dryRun({ ...data, result: tip }, `finish would merge the pull request of ${id}`)
  await requireWayBack(run)
  if (writing.settings.config.finish.planFile === 'drop')
    run.world.emit({
      kind: 'notice',
      message: `the forge merges ${run.planPath} too: \`finish.plan_file: drop\` has no effect there`,
    })
  const { url, commit } = await mergeOnForge(writing, permit, {
    method: mode === 'ff' ? 'rebase' : mode,
    text: request.message,
  })
  await keepFinal(run)
  // The forge may have deleted the branch with the merge.
  await pushFinalAfterMerge(run.home, id)
  const back = await goBack(run)
  if (request.keepBranch !== true) await dropBranch(run, tip)
  return {
    kind: 'finished',
    exitCode: 0,
    data: { ...data, isMerged: true, result: commit ?? tip, message: `Merged ${url}${back}` },
    next: [await updateBaseCommand(run.home, await remoteOf(run.home), base), `git plan report ${id}`],
  }
}

const dryRun = (data: Omit<FinishedData, 'message'>, message: string) => ({
  kind: 'dry-run',
  exitCode: 0,
  data: { command: 'finish', ...data, message },
})

function modeOf(request: FinishRequest, configured: Mode): Mode {
  const given = (['merge', 'squash', 'ff'] as const).filter((mode) => request[mode] === true)
  if (given.length > 1)
    throw new PlanError('usage', `--${given.join(' and --')} cannot be combined`, { hint: 'git plan finish -h' })
  const mode = given[0] ?? configured
  if (request.message !== undefined && (mode === 'ff' || request.message.trim() === ''))
    throw new PlanError('usage', mode === 'ff' ? 'a fast-forward creates no commit for -m' : '-m needs a message', {
      hint: 'git plan finish -h',
    })
  return mode
}

async function mergeCommit(
  run: Run,
  base: Oid,
  mode: Mode,
  { text, isFileDropped }: { readonly text: string | undefined; readonly isFileDropped: boolean },
): Promise<Oid> {
  const { plan, tip } = run.at
  const isAhead = await run.repo.isAncestor(base, tip)
  if (mode === 'ff') {
    if (isFileDropped)
      throw new PlanError('usage', `--ff cannot leave out ${run.planPath}, as \`finish.plan_file: drop\` demands`, {
        hint: `git plan finish ${plan.id} --merge`,
      })
    if (isAhead) return tip
    throw new PlanError(
      'merge-conflict',
      `${plan.base} cannot be fast-forwarded: it has commits that plan/${plan.id} does not have`,
      {
        hint: { 'merge it': `git plan finish ${plan.id} --merge`, 'rebase it first': `git plan rebase ${plan.id}` },
      },
    )
  }
  const merged = isAhead ? await run.repo.resolve(tip, 'tree') : await mergeTrees(run, base)
  if (merged === undefined) throw new Error(`${tip} has no tree`)
  const tree = isFileDropped ? await run.objects.treeWith(merged, run.planPath, undefined) : merged
  const message = maskMessage(run.mask, {
    ...messageText(plan, mode, text),
    trailers: [
      ...trailersOf({ event: 'completed', plan: plan.id, run: run.token, digest: plan.digest }),
      ...(isFileDropped ? [[tipTrailer, tip] as [string, string]] : []),
    ],
  })
  return run.objects.commit({ tree, parents: mode === 'squash' ? [base] : [base, tip], message })
}

/** Lists the steps that made the result: not the gates, whose question means nothing later, and not the skipped ones. */
function messageText(
  plan: Plan,
  mode: Mode,
  text: string | undefined,
): { readonly subject: string; readonly body: string } {
  if (text !== undefined) {
    const [subject = '', ...rest] = text.trim().split('\n')
    return { subject, body: rest.join('\n').trim() }
  }
  const steps = plan.steps.filter((step) => verbOf(step).name !== 'gate' && isDone(plan, step.id))
  return {
    subject: mode === 'squash' ? plan.title : `Merge plan ${plan.id}: ${plan.title}`,
    body: steps.map((step) => `- ${step.title}`).join('\n'),
  }
}

async function mergeTrees(run: Run, base: Oid): Promise<Oid> {
  const settings = { 'merge.renames': 'true', 'merge.directoryRenames': 'conflict' }
  // As in a bare repository, so that no .gitattributes names a merge driver: the plan may have written it.
  const answer = await run.repo.git.run(['merge-tree', '--write-tree', '--name-only', base, run.at.tip], {
    ok: [0, 1],
    settings,
    isBare: true,
    cwd: run.repo.commonDir,
  })
  const [tree = '', ...rest] = answer.stdout.toString().split('\n')
  if (answer.code === 0) return tree as Oid
  const files = rest.slice(0, rest.indexOf('')).filter((line) => line !== '')
  const { base: name = '' } = run.at.plan
  throw new PlanError('merge-conflict', `plan/${run.id} and ${name} conflict in ${files.join(', ')}`, {
    hint: {
      'merge it by hand': await mergeCommand(run, name),
      [`or run it again on ${name}`]: `git plan rebase ${run.id}`,
    },
    facts: { files },
  })
}

/** The user may be about to resolve the conflicts of that merge, or to bring the plan up to date. */
async function refuseUnfinishedMerge(run: Run, baseRef: string): Promise<void> {
  for (const ref of [baseRef, run.branch]) {
    const tree = await workTreeOf(run.repo, ref)
    if (tree !== undefined) await refuseUnfinished(tree, run.home)
  }
}

/** The ordinary merge, in the work tree in which it has to be typed. */
async function mergeCommand(run: Run, base: string): Promise<string> {
  const tree = await workTreeOf(run.repo, `refs/heads/${base}`)
  const merge = `merge plan/${run.id}`
  if (tree === undefined) return `git switch ${quoteIfNeeded(base)} && git ${merge}`
  return tree.root === run.home.root ? `git ${merge}` : `git -C ${quoteIfNeeded(tree.root)} ${merge}`
}

interface BaseMove {
  readonly ref: string
  readonly from: Oid
  readonly to: Oid
}

async function moveBase(
  run: Run,
  permit: Permit,
  { ref: baseRef, from, to }: BaseMove,
  keep: readonly { ref: string; from: Oid | undefined; to: Oid }[],
): Promise<void> {
  requirePermit(permit, run.at.plan)
  const moves = [...keep, { ref: baseRef, from, to }]
  const checkedOut = await workTreeOf(run.repo, baseRef)
  if (checkedOut === undefined) return run.moveRefsWithIntent(() => run.repo.moveRefs(moves), [baseRef])
  const repo = run.repo.at(checkedOut.root, checkedOut.gitDir)
  try {
    const tree = new WorkTree(repo, run.dir.path)
    await refuseUnfinished(repo)
    const scan = await tree.scan()
    const touched = new Set((await tree.changesBetween(from, to)).map(({ path }) => path))
    const obstructing = await tree.filesInTheWay(from, to)
    // The file that `start --worktree` was given is still untracked there; from now on the base tracks it.
    const given = obstructing.filter((path) => path === rawPath(run.planPath) && scan.untracked.includes(path))
    const inTheWay = [
      ...new Set([
        ...scan.changed.filter((path) => touched.has(path)),
        ...obstructing.filter((path) => !given.includes(path)),
      ]),
    ]
    if (inTheWay.length > 0) {
      throw new PlanError(
        'dirty-tree',
        `${checkedOut.root} has ${baseRef.replace('refs/heads/', '')} checked out, with changes that the merge would overwrite: ${describePaths(inTheWay)}`,
        { hint: `commit or stash them there, then: git plan finish ${run.id}` },
      )
    }
    if (given.length > 0) {
      const aside = await run.dir.newAside('finish')
      await tree.moveAside(given, aside)
      run.world.emit({
        kind: 'notice',
        message: `${run.planPath} is now tracked; the untracked file of that name was moved to ${aside}`,
      })
    }
    await run.intend({ kind: 'base', input: run.at.tip, start: from, target: to, refs: [baseRef] }, repo)
    const { isSilent } = await tree.goFrom(from, to, () => repo.moveRefs(moves))
    if (!isSilent) await updateStaleFiles(tree, { from, to })
    await run.settle()
  } finally {
    repo.close()
  }
}
