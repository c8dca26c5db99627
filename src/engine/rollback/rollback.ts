// Back to an earlier commit of the plan. The tip that is left is kept under a tag, external effects are undone newest first, and files of
// the user's that would be in the way are moved aside.

import type { Permit } from '../../approval/rules/permit.ts'
import { PlanError } from '../../errors.ts'
import { describePaths, shown, type RawPath } from '../../git/read/raw-path.ts'
import { globMatcher } from '../../plan/text/glob.ts'
import { nextNumber, numberedRefs } from '../../plan/record/numbered-refs.ts'
import type { Step } from '../../plan/model/plan.ts'
import { rollbackRef, type Oid, type StepId } from '../../plan/model/ids.ts'
import { bringAlong } from '../workspace/checkout.ts'
import { discard, stageChanges, treeOf } from '../record/checkpoint.ts'
import { effectsOf, isOpen, recordEffect, type Effect } from '../step/effects.ts'
import { recallPreserved, rememberIgnored, scanWorkspace, stageable } from '../workspace/preserved-ignored.ts'
import { maskedMessage } from '../run/known-secrets.ts'
import { newSecrets } from '../record/secret-search.ts'
import { probeEffect } from '../step/perform-step.ts'
import { runSetup, setupInputs } from '../step/plan-command.ts'
import { refuseEditedPlanFile } from '../record/plan-file-in-tree.ts'
import { nextAttempt, restoreTip, saveAttempt } from '../record/restore.ts'
import { readPlanAt } from '../../store/plan-at.ts'
import type { Run } from '../run/run.ts'
import { StepOutput } from '../step/step-output.ts'
import { describeResult, shellFor } from '../step/step-shell.ts'

export interface Move {
  readonly to: Oid
  /** The step that the branch is then at. */
  readonly step: StepId | undefined
  readonly kind: 'rollback' | 'undo' | 'rebase'
  readonly reason: string | undefined
  /** The number of the rollback that this takes back. */
  readonly undoes?: number
}

/** A step commit that a rollback goes across, newest first. */
export interface Crossed {
  readonly step: StepId
  readonly commit: Oid
}

/** What the gate says: of the undo of a step, by its commit; of the plan that a rollback comes to, which undefined leaves unprepared. */
export interface RollbackPermits {
  undo(commit: Oid): Promise<Permit>
  setup(): Promise<Permit | undefined>
}

export async function moveBack(
  session: Run,
  move: Move,
  crossed: readonly Crossed[],
  options: { keepEffects: boolean; permits: RollbackPermits; again: string },
): Promise<{ tag: string }> {
  if (session.tree !== undefined) await requireClean(session)
  const effects = await effectsAcross(session, crossed, options)
  const permits = new Map<Oid, Permit>()
  for (const { action, commit } of effects) if (action === 'undo') permits.set(commit, await options.permits.undo(commit))
  const from = session.at.tip
  const isUndoing = effects.some((effect) => effect.action === 'undo')
  if (isUndoing && session.tree === undefined)
    throw new PlanError('wrong-state', `an external effect must be undone, but plan/${session.id} is not checked out`, {
      hint: `git checkout plan/${session.id} && ${options.again}`,
    })
  const tag = await session.keepingObjects(async () => {
    const { ref, oid } = await tagFor(session, move)
    const keep = [{ ref, from: undefined, to: oid }]
    for (const effect of effects.filter(({ action }) => action === 'keep'))
      await recordEffect(session, effect.effect, effect.step.id, 'kept', { reason: move.reason ?? 'a rollback kept it' })
    // An undo is a command that takes its time: what it starts from has a name before it begins.
    if (isUndoing) await session.movingRefs(() => session.repo.moveRefs(keep))
    else await goTo(session, move.to, keep)
    return ref
  })
  for (const effect of effects.filter(({ action }) => action === 'undo')) {
    await goTo(session, effect.commit)
    session.permit = permits.get(effect.commit)
    await undoEffect(session, effect)
  }
  if (isUndoing) await goTo(session, move.to)
  if (!options.keepEffects) await setupIfChanged(session, from, options.permits)
  return { tag }
}

/** Branch, index and files to another commit, after what is in the way there was moved aside. */
export async function goTo(session: Run, to: Oid, refs: readonly { ref: string; from: Oid | undefined; to: Oid }[] = []): Promise<void> {
  const from = session.at.tip
  const moves = [...refs, ...(to === from ? [] : [{ ref: session.branch, from, to }])]
  if (session.tree === undefined || to === from) await session.movingRefs(() => session.repo.moveRefs(moves))
  else {
    await session.intend({ kind: 'tree', input: from })
    const inTheWay = await session.tree.inTheWay(from, to)
    if (inTheWay.length > 0) {
      const aside = await session.dir.newAside('rollback')
      await session.tree.moveAside(inTheWay, aside)
      session.world.emit({ kind: 'notice', message: `files in the way of the checkout were moved to ${aside}` })
    }
    const { isSilent } = await session.tree.goTo(to, () => session.repo.moveRefs(moves))
    if (!isSilent) await bringAlong(session.tree, { from, to })
    await session.settle()
  }
  await session.load()
}

type EffectToSettle = {
  readonly action: 'undo' | 'keep'
  readonly step: Step
  readonly commit: Oid
  readonly effect: Effect
}

/** Everything is looked at before anything is done: a rollback that cannot undo all effects undoes none. */
async function effectsAcross(session: Run, crossed: readonly Crossed[], options: { keepEffects: boolean }): Promise<EffectToSettle[]> {
  const found: EffectToSettle[] = []
  for (const { step: id, commit } of crossed) {
    const plan = await readPlanAt(session.repo, commit, { id: session.id, file: session.planPath })
    const step = plan.steps.find((each) => each.id === id)
    if (step?.effect !== 'external') continue
    const effects = (await effectsOf(session, id)).filter(isOpen)
    if (effects.length === 0) continue
    if (!options.keepEffects && step.undo === undefined) {
      throw new PlanError('unknown-effect', `step ${id} had an external effect and has no \`undo\``, {
        hint: `undo it by hand, then: git plan rollback ${session.id} --keep-effects`,
      })
    }
    const unknown = effects.find(({ state }) => state !== 'happened')
    if (!options.keepEffects && step.probe === undefined && unknown !== undefined) throw unknownEffect(session, step, unknown)
    for (const effect of effects) found.push({ action: options.keepEffects ? 'keep' : 'undo', step, commit, effect })
  }
  return found
}

const unknownEffect = (session: Run, step: Step, { state }: Pick<EffectToSettle['effect'], 'state'>): PlanError =>
  new PlanError('unknown-effect', `the external effect of ${step.id} is in an unknown state: its ${state === 'undoing' ? 'undo' : 'command'} was interrupted`, {
    hint: `check and correct it by hand, then: git plan rollback ${session.id} --keep-effects`,
  })

async function undoEffect(session: Run, { step, effect }: EffectToSettle): Promise<void> {
  const intent = await session.intend({ kind: 'step', step: step.id, input: session.at.tip })
  const output = new StepOutput(session, `${step.id}-undo`, effect.number)
  const shell = shellFor(session.worker, { intent, output, step, attempt: effect.number })
  let current = effect
  if (current.state === 'undoing' || current.state === 'intended') {
    const answer = await probeEffect(session.worker, step, shell)
    if (answer === 'unknown') {
      await output.end()
      await session.settle()
      throw unknownEffect(session, step, current)
    }
    if (answer === 'not') {
      await recordEffect(session, current, step.id, 'undone', { reason: 'the probe says so' })
      await output.end()
      await session.settle()
      return
    }
  }
  current = await recordEffect(session, current, step.id, 'undoing')
  session.world.emit({ kind: 'phase', name: 'undo', command: step.undo ?? '', step: step.id })
  const result = await shell(step.undo ?? 'false')
  await output.end()
  const isUndone = result.kind === 'exited' && result.code === 0
  if (isUndone) await recordEffect(session, current, step.id, 'undone')
  else if (result.kind === 'exited') await recordEffect(session, current, step.id, 'happened', { reason: `undo failed: ${describeResult(result)}` })
  const { dirty } = await scanWorkspace(session.checkedOut)
  if (dirty.length > 0) {
    const attempt = await nextAttempt(session, step.id)
    const saved = await saveAttempt(session.worker, { step: step.id, attempt, reason: 'undo', message: 'what the undo changed in the tree' })
    await restoreTip(session.worker, saved, { label: `${step.id}-${attempt}` })
  }
  await session.settle()
  if (!isUndone)
    throw new PlanError('step-failed', `the undo of ${step.id} failed: ${describeResult(result)}`, {
      hint: 'fix the cause and run the command again, or keep the effect: --keep-effects',
    })
}

/** What a failed step left with --keep-tree is saved already, and may go; anything else is the user's. */
export async function requireClean(session: Run, hint?: string): Promise<void> {
  await refuseEditedPlanFile(session.worker)
  await recallPreserved(session.checkedOut)
  const scan = await session.checkedOut.tree.scan(undefined, session.checkedOut.preserved)
  const dirty = [...stageable(session.checkedOut, scan), ...scan.nested]
  // What is ignored by the rules of a failed step is not the user's yet: with the step, its rules go.
  if (dirty.length === 0) return rememberIgnored(session.checkedOut, scan)
  const step = await stepOfSaved(session, dirty)
  if (step !== undefined) {
    await session.intend({ kind: 'tree', input: session.at.tip })
    const facts = { step, attempt: await nextAttempt(session, step), reason: 'kept-tree', message: 'what else the step had made, and ignored' }
    await restoreTip(session.worker, { scan, facts }, { label: 'kept-tree' })
    await session.settle()
    await scanWorkspace(session.checkedOut)
    return
  }
  throw new PlanError('dirty-tree', `the work tree has uncommitted changes: ${describePaths(dirty)}`, {
    hint: hint ?? {
      'commit them as a fix and resume': `git plan resume ${session.id} --fix`,
      "commit them as a step's result": `git plan resume ${session.id} --done STEP`,
      'stash them': 'git stash --include-untracked',
    },
  })
}

/** The step of an attempt that is what lies there; undefined: there is none. */
const stepOfSaved = (session: Run, paths: readonly RawPath[]): Promise<StepId | undefined> => session.keepingObjects(() => compareWithAttempts(session, paths))

async function compareWithAttempts(session: Run, paths: readonly RawPath[]): Promise<StepId | undefined> {
  // Comparing stores what is there: with a secret in it, it is nothing that was saved.
  if (
    (
      await newSecrets(
        session.worker,
        session.at.plan.steps.find(({ allow }) => allow.includes('secret')),
        paths,
      )
    ).length > 0
  )
    return undefined
  const staged = await stageChanges(session.worker)
  await discard(staged)
  const steps = new Map<string, StepId>()
  for (const { ref, step } of numberedRefs(session.id, await session.repo.refs(`refs/plan/${session.id}/attempts/`))) {
    const commit = await session.repo.readCommit(ref.oid)
    const [parent] = commit?.parents ?? []
    if (commit === undefined || parent === undefined) continue
    // The failure was recorded after the attempt: only the plan file differs.
    const plan = await session.repo.resolve(`${session.at.tip}:${session.planPath}`, 'object')
    steps.set(await session.objects.treeWith(commit.tree, session.planPath, plan), step as StepId)
  }
  return staged.scan.nested.length === 0 ? steps.get(await treeOf(session.worker, staged)) : undefined
}

async function tagFor(session: Run, move: Move, left: Oid = session.at.tip): Promise<{ ref: string; oid: Oid }> {
  const refs = await session.repo.refs(`refs/plan/${session.id}/rollbacks/`)
  const numbers = numberedRefs(session.id, refs).map((each) => each.number)
  const number = nextNumber(Math.max(0, ...numbers), (highest) => rollbackRef(session.id, highest))
  const trailers: [string, string][] = [
    ['Plan-Id', session.id],
    ['Plan-Event', move.kind],
    ['Plan-From', left],
    ['Plan-To', move.to],
    ...(move.step === undefined ? [] : [['Plan-Step', move.step] as [string, string]]),
    ...(move.undoes === undefined ? [] : [['Plan-Undoes', String(move.undoes)] as [string, string]]),
    ['Plan-Run', session.token],
    ...(move.reason === undefined ? [] : [['Plan-Reason', move.reason] as [string, string]]),
  ]
  const message = maskedMessage(session.mask, { subject: `${move.kind} of ${session.id} to ${move.step ?? move.to.slice(0, 12)}`, trailers })
  const oid = await session.objects.tag({
    object: left,
    name: `plan-${session.id}-${move.kind}-${number}`,
    message,
    tagger: await session.objects.committer(),
  })
  await session.objects.flush()
  return { ref: rollbackRef(session.id, number), oid }
}

/** A tag for a tip that another command (rebase, fetch) leaves, of this branch or of the remote's. */
export const keepTip = tagFor

async function setupIfChanged(session: Run, from: Oid, permits: RollbackPermits): Promise<void> {
  const { setup } = session.at.plan
  if (session.tree === undefined || setup === undefined) return
  const isInput = globMatcher(setupInputs(session), { steps: 200e6 })
  const changes = await session.tree.changesBetween(from, session.at.tip)
  if (!changes.some(({ path }) => isInput(shown(path)))) return
  session.permit = await permits.setup()
  if (session.permit !== undefined) return runSetup(session.worker)
  session.world.emit({
    kind: 'notice',
    message: `setup was not run, because plan ${session.id} is not approved here; files that it prepares may be out of date: ${setup}`,
  })
}
