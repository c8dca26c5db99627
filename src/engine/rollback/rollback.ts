// Moves the plan back to an earlier commit. A tag keeps the old tip, external effects are undone newest first, and
// files of the user that are in the way are moved aside.

import type { Permit } from '../../approval/rules/permit.ts'
import { PlanError } from '../../errors.ts'
import { describePaths, shown, type RawPath } from '../../git/read/raw-path.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { nextStep } from '../../plan/graph/graph.ts'
import { isFinal } from '../../plan/model/lifecycle.ts'
import { isBegun } from '../../plan/model/step-status.ts'
import { globMatcher } from '../../plan/text/glob.ts'
import { nextNumber, numberedRefs } from '../../plan/record/numbered-refs.ts'
import type { Step } from '../../plan/model/plan.ts'
import { rollbackRef, type Oid, type StepId } from '../../plan/model/ids.ts'
import { updateStaleFiles } from '../workspace/checkout.ts'
import { discard, stageChanges, treeOf } from '../record/checkpoint.ts'
import { effectsOf, isOpen, recordEffect, type Effect } from '../step/effects.ts'
import { recallPreserved, rememberIgnored, scanWorkspace, stageable } from '../workspace/preserved-ignored.ts'
import { keepResults } from '../pool/results.ts'
import { maskMessage } from '../run/known-secrets.ts'
import { newSecrets } from '../record/secret-search.ts'
import { probeEffect } from '../step/settle-effect.ts'
import { runSetup, setupInputs } from '../step/plan-command.ts'
import { refuseEditedPlanFile } from '../record/plan-file-in-tree.ts'
import { nextAttempt, restoreTip, saveAttempt } from '../record/restore.ts'
import { readPlanAt } from '../../store/plan-at.ts'
import type { Run } from '../run/run.ts'
import { StepOutput } from '../step/step-output.ts'
import { describeResult, shellFor } from '../step/step-shell.ts'

export interface Move {
  readonly to: Oid
  /** The step that the branch is at afterwards. */
  readonly step: StepId | undefined
  readonly kind: 'rollback' | 'undo' | 'rebase'
  readonly reason: string | undefined
  /** The number of the rollback that this one undoes. */
  readonly undoes?: number
}

/** A step commit that the rollback removes from the branch; newest first. */
export interface CrossedStep {
  readonly step: StepId
  readonly commit: Oid
}

/** Permits for the undo of a step, by its commit, and for the setup of the resulting plan; undefined: do not run it. */
export interface RollbackPermits {
  undo(commit: Oid): Promise<Permit>
  setup(): Promise<Permit | undefined>
}

export async function moveBack(
  run: Run,
  move: Move,
  crossed: readonly CrossedStep[],
  options: { keepEffects: boolean; permits: RollbackPermits; again: string },
): Promise<{ tag: string }> {
  if (run.tree !== undefined) await requireClean(run)
  const effects = await effectsAcross(run, crossed, options)
  const permits = new Map<Oid, Permit>()
  for (const { action, commit } of effects)
    if (action === 'undo') permits.set(commit, await options.permits.undo(commit))
  const from = run.at.tip
  const isUndoing = effects.some((effect) => effect.action === 'undo')
  if (isUndoing && run.tree === undefined)
    throw new PlanError('wrong-state', `an external effect must be undone, but plan/${run.id} is not checked out`, {
      hint: `git checkout plan/${run.id} && ${options.again}`,
    })
  await keepResults(run)
  const tag = await run.withKeptObjects(async () => {
    const { ref, oid } = await tagFor(run, move)
    const keep = [{ ref, from: undefined, to: oid }]
    for (const effect of effects.filter(({ action }) => action === 'keep'))
      await recordEffect(run, effect.effect, effect.step.id, 'kept', { reason: move.reason ?? 'a rollback kept it' })
    // An undo command may take long: a ref names the old tip before it begins.
    if (isUndoing) await run.moveRefsWithIntent(() => run.repo.moveRefs(keep))
    else await goTo(run, move.to, keep)
    return ref
  })
  for (const effect of effects.filter(({ action }) => action === 'undo')) {
    await goTo(run, effect.commit)
    run.permit = permits.get(effect.commit)
    await undoEffect(run, effect, { again: options.again, tag: run.at.tip === from ? undefined : tag })
  }
  if (isUndoing) await goTo(run, move.to)
  if (!options.keepEffects) await setupIfChanged(run, from, options.permits)
  return { tag }
}

/** Moves branch, index and files to another commit, after moving away the files that are in the way. */
export async function goTo(
  run: Run,
  to: Oid,
  refs: readonly { ref: string; from: Oid | undefined; to: Oid }[] = [],
): Promise<void> {
  const from = run.at.tip
  const moves = [...refs, ...(to === from ? [] : [{ ref: run.branch, from, to }])]
  if (run.tree === undefined || to === from) await run.moveRefsWithIntent(() => run.repo.moveRefs(moves))
  else {
    await run.intend({ kind: 'tree', input: from })
    const inTheWay = await run.tree.filesInTheWay(from, to)
    if (inTheWay.length > 0) {
      const aside = await run.dir.newAside('rollback')
      await run.tree.moveAside(inTheWay, aside)
      run.world.emit({ kind: 'notice', message: `files in the way of the checkout were moved to ${aside}` })
    }
    const { isSilent } = await run.tree.goTo(to, () => run.repo.moveRefs(moves))
    if (!isSilent) await updateStaleFiles(run.tree, { from, to })
    await run.settle()
  }
  await run.load()
}

type EffectToSettle = {
  readonly action: 'undo' | 'keep'
  readonly step: Step
  readonly commit: Oid
  readonly effect: Effect
}

/** Checks every effect before any is undone: a rollback that cannot undo all effects undoes none. */
export async function effectsAcross(
  run: Run,
  crossed: readonly CrossedStep[],
  options: { keepEffects: boolean; again: string },
): Promise<EffectToSettle[]> {
  const found: EffectToSettle[] = []
  for (const { step: id, commit } of crossed) {
    const plan = await readPlanAt(run.repo, commit, { id: run.id, file: run.planPath })
    const step = plan.steps.find((each) => each.id === id)
    if (step?.effect !== 'external') continue
    const effects = (await effectsOf(run, id)).filter(isOpen)
    if (effects.length === 0) continue
    if (!options.keepEffects && step.undo === undefined) {
      throw new PlanError('unknown-effect', `step ${id} had an external effect and has no \`undo\``, {
        hint: { 'once you have undone it': `${options.again} --keep-effects` },
      })
    }
    const unknown = effects.find(({ state }) => state !== 'happened')
    if (!options.keepEffects && step.probe === undefined && unknown !== undefined)
      throw unknownEffectError(run, step, unknown)
    for (const effect of effects) found.push({ action: options.keepEffects ? 'keep' : 'undo', step, commit, effect })
  }
  return found
}

const unknownEffectError = (run: Run, step: Step, { state }: Pick<EffectToSettle['effect'], 'state'>): PlanError =>
  new PlanError(
    'unknown-effect',
    `the external effect of ${step.id} is in an unknown state: its ${state === 'undoing' ? 'undo' : 'command'} was interrupted`,
    { hint: { 'once you have corrected it by hand': `git plan rollback ${run.id} --keep-effects` } },
  )

/** `tag`: saves the previous tip, if the branch has moved on its way to the step whose effect is undone. */
async function undoEffect(
  run: Run,
  { step, effect }: EffectToSettle,
  { again, tag }: { readonly again: string; readonly tag: string | undefined },
): Promise<void> {
  const intent = await run.intend({ kind: 'step', step: step.id, input: run.at.tip })
  const output = new StepOutput(run.worker, `${step.id}-undo`, effect.number)
  const shell = shellFor(run.worker, { intent, output, step, attempt: effect.number })
  let current = effect
  if (current.state === 'undoing' || current.state === 'intended') {
    const answer = await probeEffect(run.worker, step, shell)
    if (answer === 'unknown') {
      await output.end()
      await run.settle()
      throw unknownEffectError(run, step, current)
    }
    if (answer === 'not') {
      await recordEffect(run, current, step.id, 'undone', { reason: 'the probe says so' })
      await output.end()
      await run.settle()
      return
    }
  }
  current = await recordEffect(run, current, step.id, 'undoing')
  run.world.emit({ kind: 'phase', name: 'undo', command: step.undo ?? '', step: step.id })
  const result = await shell(step.undo ?? 'false')
  await output.end()
  const isUndone = result.kind === 'exited' && result.code === 0
  if (isUndone) await recordEffect(run, current, step.id, 'undone')
  else if (result.kind === 'exited')
    await recordEffect(run, current, step.id, 'happened', { reason: `undo failed: ${describeResult(result)}` })
  const { dirty } = await scanWorkspace(run.checkedOut)
  if (dirty.length > 0) {
    const attempt = await nextAttempt(run, step.id)
    const saved = await saveAttempt(run.worker, {
      step: step.id,
      attempt,
      reason: 'undo',
      message: 'changes made by the undo',
    })
    await restoreTip(run.worker, saved, { label: `${step.id}-${attempt}` })
  }
  await run.settle()
  if (!isUndone)
    throw new PlanError(
      'step-failed',
      `the undo of ${step.id} failed: ${describeResult(result)}${tag === undefined ? '' : `; ${run.id} is at step ${step.id} now, and its previous tip is saved in ${tag}`}`,
      {
        hint: {
          'try again': again,
          'keep the effect': `${again} --keep-effects`,
          ...(tag === undefined ? {} : { 'go back to the previous tip': `git plan rollback ${run.id} --undo` }),
        },
      },
    )
}

/**
 * Changes that a failed step left with --keep-tree are saved already and are removed; any others are the user's.
 * `mayStay`: true for a path that the caller leaves alone.
 */
export async function requireClean(
  run: Run,
  options: {
    readonly hint?: string
    readonly mayStay?: (path: RawPath) => boolean
    /** The user asked for an autostash, which is only made when the plan is checked out. */
    readonly isAutostashing?: boolean
  } = {},
): Promise<void> {
  await refuseEditedPlanFile(run.worker)
  await recallPreserved(run.checkedOut)
  const scan = await run.checkedOut.tree.scan(undefined, run.checkedOut.preserved)
  const dirty = [...stageable(run.checkedOut, scan), ...scan.nested]
  // Files ignored by the rules of a failed step are not the user's: those rules go away with the step.
  if (dirty.length === 0) return rememberIgnored(run.checkedOut, scan)
  const step = await stepOfSavedTree(run, dirty)
  if (step !== undefined) {
    await run.intend({ kind: 'tree', input: run.at.tip })
    const facts = {
      step,
      attempt: await nextAttempt(run, step),
      reason: 'kept-tree',
      message: 'other ignored files of the step',
    }
    await restoreTip(run.worker, { scan, facts }, { label: 'kept-tree' })
    await run.settle()
    run.world.emit({
      kind: 'notice',
      message: `removed from the work tree, as saved with an attempt of ${step}: ${describePaths(dirty)}`,
      hint: `git plan attempts ${run.id} --show ${step}`,
    })
    await scanWorkspace(run.checkedOut)
    return
  }
  const { hint, mayStay, isAutostashing = false } = options
  const inTheWay = mayStay === undefined ? dirty : dirty.filter((path) => !mayStay(path))
  if (inTheWay.length === 0) return
  const why = isAutostashing
    ? `; --autostash stashes changes on your own branch, and plan/${run.id} is already checked out`
    : ''
  throw new PlanError('dirty-tree', `the work tree has uncommitted changes: ${describePaths(inTheWay)}${why}`, {
    hint: hint ?? waysToClean(run),
    facts: isAutostashing ? { uselessOption: 'autostash' } : {},
  })
}

function waysToClean({ id, at, home, checkedOut }: Run): Readonly<Record<string, string>> {
  const { plan } = at
  const next = nextStep(plan)?.id
  const isUnderway = isBegun(plan.status) && !isFinal(plan.status)
  const { root } = checkedOut.tree
  return {
    ...(isUnderway ? { 'commit them as a fix and resume': `git plan resume ${id} --fix` } : {}),
    ...(isUnderway && next !== undefined
      ? { [`commit them as the result of ${next}`]: `git plan resume ${id} --done ${next}` }
      : {}),
    'stash them': `git ${root === home.root ? '' : `-C ${quoteIfNeeded(root)} `}stash --include-untracked`,
  }
}

/** The step of the attempt that equals the work tree; undefined: there is none. */
const stepOfSavedTree = (run: Run, paths: readonly RawPath[]): Promise<StepId | undefined> =>
  run.withKeptObjects(() => compareWithAttempts(run, paths))

async function compareWithAttempts(run: Run, paths: readonly RawPath[]): Promise<StepId | undefined> {
  // The comparison stores the files: if they contain a secret, they were never saved.
  if (
    (
      await newSecrets(
        run.worker,
        run.at.plan.steps.find(({ allow }) => allow.includes('secret')),
        paths,
      )
    ).length > 0
  )
    return undefined
  const staged = await stageChanges(run.worker)
  await discard(staged)
  const steps = new Map<string, StepId>()
  for (const { ref, step } of numberedRefs(run.id, await run.repo.refs(`refs/plan/${run.id}/attempts/`))) {
    const commit = await run.repo.readCommit(ref.oid)
    const [parent] = commit?.parents ?? []
    if (commit === undefined || parent === undefined) continue
    // The failure was recorded after the attempt, so only the plan file differs.
    const plan = await run.repo.resolve(`${run.at.tip}:${run.planPath}`, 'object')
    steps.set(await run.objects.treeWith(commit.tree, run.planPath, plan), step as StepId)
  }
  return staged.scan.nested.length === 0 ? steps.get(await treeOf(run.worker, staged)) : undefined
}

async function tagFor(run: Run, move: Move, left: Oid = run.at.tip): Promise<{ ref: string; oid: Oid }> {
  const refs = await run.repo.refs(`refs/plan/${run.id}/rollbacks/`)
  const numbers = numberedRefs(run.id, refs).map((each) => each.number)
  const number = nextNumber(Math.max(0, ...numbers), (highest) => rollbackRef(run.id, highest))
  const trailers: [string, string][] = [
    ['Plan-Id', run.id],
    ['Plan-Event', move.kind],
    ['Plan-From', left],
    ['Plan-To', move.to],
    ...(move.step === undefined ? [] : [['Plan-Step', move.step] as [string, string]]),
    ...(move.undoes === undefined ? [] : [['Plan-Undoes', String(move.undoes)] as [string, string]]),
    ['Plan-Run', run.token],
    ...(move.reason === undefined ? [] : [['Plan-Reason', move.reason] as [string, string]]),
  ]
  const message = maskMessage(run.mask, {
    subject: `${move.kind} of ${run.id} to ${move.step ?? move.to.slice(0, 12)}`,
    trailers,
  })
  const oid = await run.objects.tag({
    object: left,
    name: `plan-${run.id}-${move.kind}-${number}`,
    message,
    tagger: await run.objects.committer(),
  })
  await run.objects.flush()
  return { ref: rollbackRef(run.id, number), oid }
}

/** Tags a tip, local or remote, that another command (rebase, fetch) abandons. */
export const keepTip = tagFor

async function setupIfChanged(run: Run, from: Oid, permits: RollbackPermits): Promise<void> {
  const { setup } = run.at.plan
  if (run.tree === undefined || setup === undefined) return
  const isInput = globMatcher(setupInputs(run), { steps: 200e6 })
  const changes = await run.tree.changesBetween(from, run.at.tip)
  if (!changes.some(({ path }) => isInput(shown(path)))) return
  run.permit = await permits.setup()
  if (run.permit !== undefined) return runSetup(run.worker)
  run.world.emit({
    kind: 'notice',
    message: `setup was not run, because plan ${run.id} is not approved here; files that it prepares may be out of date: ${setup}`,
  })
}
