// `git plan rollback`: goes back to a step's commit, or undoes the last rollback, rebase or cancellation.

import { isDone } from '../../plan/model/step-status.ts'
import { PlanError } from '../../errors.ts'
import { effectsAcross, moveBack, type CrossedStep } from '../../engine/rollback/rollback.ts'
import { isStepEvent } from '../../store/history.ts'
import { readRemoteFacts } from '../../store/remote-facts.ts'
import { readPlanAt } from '../../store/plan-at.ts'
import { readPlanRecords } from '../../store/attempts-and-rollbacks.ts'
import { isOid, planRefs, type Oid } from '../../plan/model/ids.ts'
import { newestEffect } from '../../engine/step/effects.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { refuseFinishedElsewhere } from '../../approval/flow/finished-elsewhere.ts'
import { limitTrust, rollbackPermits } from '../../approval/flow/gate.ts'
import { nextCommands } from '../../operation/next-commands.ts'
import { askRemoteFirst } from '../../remote/remote-state.ts'
import { crossesEffect, refuseEffectRollback, rollbackTarget } from '../../protocol/rollback-targets.ts'
import { whilePushing } from '../../remote/while-pushing.ts'
import type { PushRequest } from '../../remote/push-request.ts'
import { historyOf, stepNamed, summaryOf, withRun, type WriteContext } from '../../operation/with-run.ts'
import type { PlanSummary } from '../../view/plan-view.ts'
import type { RolledBackData, RollbackPreview } from '../../operation/results.ts'

export interface RollbackRequest extends PushRequest {
  readonly plan?: string
  readonly to?: string
  readonly all?: boolean
  readonly undo?: boolean
  readonly keepEffects?: boolean
  readonly dryRun?: boolean
  readonly message?: string
}

interface RollbackMove {
  readonly to: Oid
  readonly step: CrossedStep['step'] | undefined
  readonly kind: 'rollback' | 'undo'
  readonly crossed: readonly CrossedStep[]
  readonly undoes?: number
  /** For an undo: the move that is undone. */
  readonly undone?: 'Rollback' | 'Rebase' | 'Cancellation'
}

export function rollback(
  request: RollbackRequest,
  context: CommandContext,
): Promise<CommandResult<RolledBackData | RollbackPreview>> {
  return withRun(
    context,
    { plan: request.plan, command: 'rollback', isDryRun: request.dryRun, isLenient: request.keepEffects },
    async (writing) => {
      const { run } = writing
      const ways = [request.to !== undefined, request.all === true, request.undo === true].filter(Boolean)
      if (ways.length > 1)
        throw new PlanError('usage', '--to, --all and --undo cannot be combined', { hint: 'git plan rollback -h' })
      const pushing = { request, again: commandOf(run.id, request) }
      const move = request.undo === true ? await findUndo(writing) : await findRollback(writing, request)
      const lost = await removedCommits(writing, move.to)
      if (request.dryRun === true)
        return dryRun(writing, move, { lost, undos: await undoCommands(writing, move, request) })
      if (request.keepEffects !== true) {
        await refuseFinishedElsewhere(writing)
        await refuseEffectRollback(writing, move.crossed)
        if (move.crossed.length > 0) await limitTrust(writing)
      }
      if (request.push === true || (request.keepEffects !== true && crossesEffect(run, move.crossed)))
        await askRemoteFirst(writing, pushing)
      const from = run.at.tip
      const { digest } = run.at.plan
      if (move.to === from) {
        const { status, progress } = await summaryOf(writing)
        const message = `${run.id} is already there`
        return {
          kind: 'rolled-back',
          exitCode: 0,
          data: { id: run.id, from, to: from, step: move.step ?? null, kept: null, status, progress, message },
        }
      }
      if (context.isInteractive) await confirmUndos(context, pushing.again, await undoCommands(writing, move, request))
      const reason =
        request.message ?? (move.undone === undefined ? undefined : `undo of a ${move.undone.toLowerCase()}`)
      return whilePushing(writing, pushing, async () => {
        const { tag } = await moveBack(
          run,
          {
            to: move.to,
            step: move.step,
            kind: move.kind,
            reason,
            ...(move.undoes === undefined ? {} : { undoes: move.undoes }),
          },
          move.crossed,
          { keepEffects: request.keepEffects === true, permits: rollbackPermits(writing), again: pushing.again },
        )
        if (run.at.plan.digest !== digest)
          run.world.emit({
            kind: 'notice',
            message: `the text of the plan changed too: digest ${run.at.plan.digest.slice(0, 12)} (it was ${digest.slice(0, 12)})`,
            hint: `git plan show ${run.id}`,
          })
        await reportUndoneEffects(writing)
        const summary = await summaryOf(writing)
        return {
          kind: 'rolled-back',
          exitCode: 0,
          data: {
            id: run.id,
            from,
            to: move.to,
            step: move.step ?? null,
            kept: tag,
            status: summary.status,
            progress: summary.progress,
            message: `${move.undone !== undefined ? `${move.undone} undone: ${run.id} is at ${move.to.slice(0, 10)} again` : `Rolled back ${run.id} to ${describeTarget(move)}`}; the previous tip ${from.slice(0, 10)} is saved in ${tag}`,
          },
          next: [
            ...(move.kind === 'rollback' ? [`git plan rollback ${run.id} --undo`] : []),
            ...(await nextAfter(writing, summary)),
          ].filter((line, at, all) => all.indexOf(line) === at),
        }
      })
    },
  )
}

/** A branch that was pushed by hand is now behind: nothing runs before one side is chosen. */
async function nextAfter({ run, context }: WriteContext, summary: PlanSummary): Promise<string[]> {
  const remote = await readRemoteFacts(run.home, { id: run.id, tip: run.at.tip }, { now: context.now() })
  return remote?.relation === 'behind'
    ? [`git plan fetch ${run.id} --take ours`]
    : nextCommands(summary, { isPushed: false })
}

/** The command as typed, without its remote options. */
const commandOf = (id: string, { to, all, undo, keepEffects }: RollbackRequest): string =>
  [
    'git plan rollback',
    id,
    ...(to === undefined ? [] : ['--to', to]),
    ...(all === true ? ['--all'] : []),
    ...(undo === true ? ['--undo'] : []),
    ...(keepEffects === true ? ['--keep-effects'] : []),
  ].join(' ')

/** Warns if a rollback undid the effect of a step that is done again: the effect is not there. */
async function reportUndoneEffects({ run }: WriteContext): Promise<void> {
  const { plan } = run.at
  for (const step of plan.steps) {
    if (step.effect !== 'external' || !isDone(plan, step.id)) continue
    if ((await newestEffect(run, step.id))?.state !== 'undone') continue
    run.world.emit({ kind: 'notice', message: `${step.id} is marked done, but its external effect was undone` })
  }
}

async function findRollback({ run }: WriteContext, request: RollbackRequest): Promise<RollbackMove> {
  const { events } = await historyOf(run)
  const step = request.to === undefined ? undefined : stepNamed(run, request.to)
  return { kind: 'rollback', ...rollbackTarget(events, { step, all: request.all }, run.id) }
}

/**
 * Finds the cancellation, or else the newest rollback or rebase that is not undone yet. The tag of this undo saves later
 * commits.
 */
async function findUndo({ run }: WriteContext): Promise<RollbackMove> {
  const { events } = await historyOf(run)
  const before = events[0]?.event === 'cancelled' ? events[0].parent : undefined
  if (before !== undefined && run.at.plan.status === 'cancelled')
    return { kind: 'undo', to: before, step: undefined, crossed: [], undone: 'Cancellation' }
  const refs = await run.repo.refs(planRefs(run.id))
  const { rollbacks } = await readPlanRecords(run.repo, run.id, refs)
  const undone = new Set(rollbacks.flatMap((each) => (each.undoes === null ? [] : [each.undoes])))
  const last = rollbacks
    .toSorted((a, b) => b.number - a.number)
    .find((each) => each.event !== 'undo' && isOid(each.from) && !undone.has(each.number))
  if (last === undefined)
    throw new PlanError('wrong-state', `plan ${run.id} has no rollback, rebase or cancellation left to undo`, {
      hint: `git plan log ${run.id}`,
    })
  const to = last.from as Oid
  const isBelow = await run.repo.isAncestor(run.at.tip, to)
  const crossed = isBelow ? [] : await crossedSince(run.repo, events, to)
  // A rebase does not repeat an effect that has happened: it belongs to the step on both sides.
  const shared = last.event === 'rebase' ? await stepsDoneAt(run, to) : new Set<string>()
  return {
    kind: 'undo',
    to,
    step: undefined,
    crossed: crossed.filter(({ step }) => !shared.has(step)),
    undoes: last.number,
    undone: last.event === 'rebase' ? 'Rebase' : 'Rollback',
  }
}

async function stepsDoneAt(run: WriteContext['run'], commit: Oid): Promise<ReadonlySet<string>> {
  const plan = await readPlanAt(run.repo, commit, { id: run.id, file: run.planPath })
  return new Set(plan.steps.filter(({ id }) => isDone(plan, id)).map(({ id }) => id))
}

async function crossedSince(
  repo: WriteContext['run']['repo'],
  events: Awaited<ReturnType<typeof historyOf>>['events'],
  to: Oid,
): Promise<CrossedStep[]> {
  const crossed: CrossedStep[] = []
  for (const event of events) {
    if (await repo.isAncestor(event.commit, to)) break
    if (isStepEvent(event) && event.step !== undefined) crossed.push({ step: event.step, commit: event.commit })
  }
  return crossed
}

async function removedCommits({ run }: WriteContext, to: Oid): Promise<string[]> {
  const lines: string[] = []
  for await (const commit of run.repo.history(run.at.tip)) {
    if (commit.oid === to || (await run.repo.isAncestor(commit.oid, to))) break
    lines.push(`${commit.oid.slice(0, 10)} ${commit.message.split('\n')[0]}`)
  }
  return lines
}

interface UndoCommand {
  readonly step: string
  readonly command: string
}

async function undoCommands(
  { run }: WriteContext,
  { crossed }: RollbackMove,
  request: RollbackRequest,
): Promise<UndoCommand[]> {
  const effects = await effectsAcross(run, crossed, {
    keepEffects: request.keepEffects === true,
    again: commandOf(run.id, request),
  })
  return effects.flatMap(({ action, step }) =>
    action === 'undo' && step.undo !== undefined ? [{ step: step.id, command: step.undo }] : [],
  )
}

/** As in the progress lines of an undo. */
const linesOf = (undos: readonly UndoCommand[]): string[] => undos.map(({ step, command }) => `  ${step}: ${command}`)

async function confirmUndos(context: CommandContext, again: string, undos: readonly UndoCommand[]): Promise<void> {
  const question = ['To undo external effects, the rollback runs:', ...linesOf(undos), '']
  if (undos.length === 0 || (await context.confirm(question.join('\n'), 'Run these commands and roll back?'))) return
  throw new PlanError('not-approved', 'the rollback was not confirmed, and nothing has changed', {
    hint: { 'see what it would do': `${again} --dry-run`, 'leave the effects alone': `${again} --keep-effects` },
  })
}

function dryRun(
  { run }: WriteContext,
  move: RollbackMove,
  { lost, undos }: { readonly lost: readonly string[]; readonly undos: readonly UndoCommand[] },
): CommandResult<RollbackPreview> {
  const message = [
    `rollback would reset ${run.id} to ${describeTarget(move)} (${move.to.slice(0, 10)})`,
    ...(lost.length === 0
      ? []
      : [`removed from the branch, and saved in refs/plan/${run.id}/rollbacks:`, ...lost.map((line) => `  ${line}`)]),
    ...(undos.length === 0 ? [] : ['it would run, to undo external effects:', ...linesOf(undos)]),
  ]
  return {
    kind: 'dry-run',
    exitCode: 0,
    data: {
      command: 'rollback',
      id: run.id,
      from: run.at.tip,
      to: move.to,
      step: move.step ?? null,
      lost,
      undos,
      message,
    },
  }
}

const describeTarget = (move: RollbackMove): string =>
  move.undone !== undefined
    ? `the tip before the ${move.undone.toLowerCase()}`
    : move.step === undefined
      ? 'its start, before any step'
      : `step ${move.step}`
