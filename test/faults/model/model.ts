// A model of plans in plain values: no Git, no files, no processes.

import {
  at,
  headFiles,
  history,
  statusOf,
  isStartable,
  isFinal,
  isDirty,
  isOver,
  stepIn,
  areSettled,
  ready,
  hasForeignTip,
} from './state.ts'
import { hasPassed, holds, record, settled, save, type Commit, type World } from './state.ts'
import {
  base,
  isSame,
  nth,
  only,
  patched,
  put,
  revised,
  type Change,
  type Command,
  type Files,
  type Step,
} from './words.ts'
import type { Resume, Revision, Rollback } from './words.ts'
/** Where the user is then; what was in the tree is gone. */
const goTo = (w: World, isOnPlan: boolean): number => change(w, { isOnPlan, work: isOnPlan ? at(w).files : base })
const change = (w: World, to: Partial<World>): number => (Object.assign(w, to), 0)
/** Answers with the exit code that is expected of the program; undefined: it makes no sense now, and is left out. */
export const apply = <K extends Command['kind']>(w: World, command: CommandOf<K>): number | undefined =>
  commands[command.kind](w, command)
type CommandOf<K> = Extract<Command, { readonly kind: K }>
const commands: { readonly [K in Command['kind']]: (w: World, command: CommandOf<K>) => number | undefined } = {
  start: (w, { approve }) => start(w, approve),
  race: (w, { approve }) => race(w, approve),
  resume: (w, command) => (w.tip < 0 ? 2 : resume(w, command)),
  rollback: (w, command) => (w.tip < 0 ? 2 : rollback(w, command)),
  replan: (w, { how }) => (w.tip < 0 ? 2 : replan(w, how)),
  cancel: (w) => (w.tip < 0 ? 2 : cancel(w)),
  edit: (w, { file, text }) => change(w, { work: put(w.work, { [file]: text }) }),
  commit: (w, { file, text }) => (w.isOnPlan ? commit(w, put(w.work, { [file]: text })) : undefined),
  reset: (w, { back }) => (w.isOnPlan ? reset(w, nth(history(w), back)) : undefined),
  mark: (w, { step }) => change(w, { marks: w.marks.add(nth(w.first, step).id) }),
  clean: (w) => change(w, { work: headFiles(w) }),
  switch: (w) => (w.tip < 0 || isDirty(w) ? undefined : goTo(w, !w.isOnPlan)),
  clone: (w) => (w.tip < 0 ? undefined : change(w, { hasOrigin: false, isOnPlan: false, work: base })),
}
const commit = (w: World, files: Files): number | undefined =>
  isSame(files, at(w).files) ? undefined : change(w, { work: files }) + record(w, 'user', { files })
/** What git does not track stays, unless it is in the way. */
const reset = (w: World, to: Commit): number =>
  change(w, {
    work: { ...only(w.work, (name) => at(w).files[name] === undefined), ...to.files },
    tip: w.commits.indexOf(to),
  })
function start(w: World, isApproving: boolean): number {
  if (w.tip < 0)
    change(w, {
      tip:
        w.commits.push({ parent: -1, event: 'proposed', steps: w.first, status: 'proposed', state: {}, files: base }) -
        1,
    })
  if (!isStartable(w)) return 2
  if (history(w).some(({ event }) => event === 'user')) return 3
  if (!w.isOnPlan && isDirty(w)) return 2
  if (!isApproved(w, isApproving)) return 3
  return enter(w) && isMadeClean(w) ? run(w) : 2
}
/** Two at once are one, where the one that is let in runs a command: it can be made to wait there. */
function race(w: World, approve: boolean): number | undefined {
  const go = (w: World): number =>
    isStartable(w) ? start(w, approve) : resume(w, { kind: 'resume', how: 'plain', step: 0, attempt: 0, approve })
  const tried = structuredClone(w)
  go(tried)
  return tried.ledger.length > w.ledger.length ? go(w) : undefined
}
function isApproved(w: World, isApproving: boolean): boolean {
  const approval = history(w).find(({ event }) => event === 'approved')
  if (at(w).status !== 'proposed' && isSame(approval?.steps, at(w).steps)) return true
  return isApproving && record(w, 'approved', { status: 'approved' }) === 0
}
function enter(w: World): boolean {
  if (!w.isOnPlan && isDirty(w)) return false
  return w.isOnPlan || change(w, { hasOrigin: true }) + goTo(w, true) === 0
}
/** What an attempt holds may go; anything else is the user's. */
function isMadeClean(w: World): boolean {
  if ([...w.attempts.values()].flat().some(({ files }) => isSame(files, w.work))) w.work = at(w).files
  return !isDirty(w)
}
function resume(w: World, { how, step: index, attempt, approve }: Resume): number {
  const [step, own] = [nth(at(w).steps, index), hasForeignTip(w)]
  if (isFinal(w)) return 2
  if (own && how !== 'fix' && how !== 'done') return 4
  if (!isApproved(w, approve)) return 3
  if (!enter(w)) return 2
  const from = how === 'from-attempt' ? w.attempts.get(step.id)?.[attempt - 1] : undefined
  const isRetry = how === 'retry' || how === 'from-attempt'
  if (how !== 'plain' && how !== 'fix' && how !== 'skip' && isOver(w, step.id)) return 2
  if (isRetry && (!canRetry(w, step.id) || (how === 'from-attempt' && from === undefined))) return 2
  if (how === 'fix') return fix(w, own) ? run(w) : 2
  if (how === 'done') return !areSettled(w, step) ? 2 : declare(w, step) ? run(w) : 1
  if (!isMadeClean(w) || (how === 'skip' && (isOver(w, step.id) || step.kind === 'gate'))) return 2
  if (how === 'skip') record(w, 'skipped', { status: 'active', ...settled(w, step.id, 'skipped') })
  return run(w, isRetry ? { step: step.id, from } : undefined)
}
const canRetry = (w: World, id: string): boolean =>
  statusOf(w, id) !== 'pending' ||
  w.effects.get(id)?.state === 'intended' ||
  (ready(w).some((step) => step.id === id) && w.attempts.has(id))
function fix(w: World, own: boolean): boolean {
  const isAgain = (id: string, status: string): boolean =>
    ['failed', 'waiting'].includes(status) && !stepIn(at(w), id).allowFailure
  if (!isDirty(w) && !own) return false
  return (
    record(w, 'fixed', {
      status: 'active',
      state: only(at(w).state, (id, status) => !isAgain(id, status)),
      files: w.work,
    }) === 0
  )
}
function declare(w: World, step: Step): boolean {
  const effect = w.effects.get(step.id)
  if (effect !== undefined) w.effects.set(step.id, { ...effect, state: 'happened' })
  if (holds(w, step) && !(step.kind === 'gate' && isDirty(w))) return succeed(w, step, 'declared') === 'done'
  return save(w, step.id) === undefined
}
function rollback(w: World, { how, step: index, keep }: Rollback): number {
  const isStep = ({ event }: Commit): boolean => ['step', 'declared', 'skipped'].includes(event)
  const steps = history(w).filter(isStep)
  const below = history(w).slice(history(w).findLastIndex(isStep) + 1)
  const beginning =
    below.find(({ event }) => event === 'approved') ??
    below.find(({ event }) => ['proposed', 'replanned'].includes(event))
  const undoes = w.rollbacks.findLastIndex(
    ({ isUndo }, number) => !isUndo && !w.rollbacks.some((each) => each.undoes === number),
  )
  const cancelled = at(w).event === 'cancelled' ? w.commits[at(w).parent] : undefined
  const to = {
    last: steps.length === 0 ? undefined : (steps[1] ?? beginning),
    to: steps.find(({ step }) => step === nth(at(w).steps, index).id),
    all: beginning,
    undo: cancelled ?? w.commits[w.rollbacks[undoes]?.from ?? -1],
  }[how]
  if (to === undefined) return 2
  if (to === at(w)) return 0
  if (w.isOnPlan && !isMadeClean(w)) return 2
  const staying = history(w, w.commits.indexOf(to))
  const stateOf = ({ step }: Commit): string => w.effects.get(step!)?.state ?? ''
  const crossed = steps.filter(
    (each) =>
      !staying.includes(each) && stepIn(each).kind === 'external' && ['happened', 'intended'].includes(stateOf(each)),
  )
  if (!keep && crossed.some((each) => !stepIn(each).undo || (stateOf(each) === 'intended' && !stepIn(each).probe)))
    return 5
  if (!keep && crossed.length > 0 && !w.isOnPlan) return 2
  for (const { step = '' } of crossed) leaveEffect(w, step, keep)
  w.rollbacks.push({
    from: w.tip,
    undoes: how === 'undo' && cancelled === undefined ? undoes : undefined,
    isUndo: how === 'undo',
  })
  return change(w, { tip: w.commits.indexOf(to), work: w.isOnPlan ? to.files : w.work })
}
function leaveEffect(w: World, id: string, isKept: boolean): void {
  const effect = w.effects.get(id)!
  w.effects.set(id, { ...effect, state: isKept ? 'kept' : 'undone' })
  // An unknown one that the probe does not find need not be undone.
  if (isKept || (effect.state === 'intended' && !w.happened.has(id))) return
  w.ledger.push(`undo-${id}`)
  w.happened.delete(id)
}
function replan(w: World, how: Revision): number {
  const { steps, status, state } = at(w)
  const next = revised(steps, how)
  const kept = steps.filter(({ id }) => isOver(w, id))
  if (isFinal(w)) return 2
  if (isSame(next, steps)) return 0
  if (kept.some((step) => !next.some((each) => isSame(each, step)))) return 2
  // A step that was allowed to fail is not run again, unless it has changed.
  const isAllowed = (id: string, each: string): boolean => {
    const step = steps.find((one) => one.id === id)
    return each === 'failed' && step?.allowFailure === true && next.some((one) => isSame(one, step))
  }
  const event = kept.length === 0 && status === 'proposed' ? 'proposed' : 'replanned'
  return record(w, event, {
    steps: next,
    status: 'proposed',
    state: only(state, (id, each) => kept.some((step) => step.id === id) || isAllowed(id, each)),
  })
}
function cancel(w: World): number {
  const { steps, status } = at(w)
  if (w.isOnPlan && isDirty(w))
    save(w, steps.find(({ id }) => !isOver(w, id) && statusOf(w, id) !== 'pending')?.id ?? 'cancel')
  if (status !== 'cancelled') record(w, 'cancelled', { status: 'cancelled' })
  if (w.isOnPlan) goTo(w, !w.hasOrigin)
  return change(w, { hasOrigin: false })
}
type Outcome = 'done' | 'waiting' | 'failed' | 'unknown'
function run(w: World, chosen?: { readonly step: string; readonly from: Change | undefined }): number {
  const wanted = chosen === undefined ? undefined : stepIn(at(w), chosen.step)
  const isChosen = wanted !== undefined && areSettled(w, wanted)
  const step = isChosen ? wanted : ready(w)[0]
  if (step === undefined) return record(w, 'completed', { status: 'completed' })
  if (step.kind === 'external' && !isChosen && !isKnown(w, step)) return 5
  const outcome = perform(w, step, isChosen ? chosen?.from : undefined)
  if (outcome === 'waiting') return wait(w, step, settled(w, step.id, 'waiting'))
  if (outcome === 'done' && step.pause && ready(w).length > 0) return wait(w, step, {})
  if (outcome !== 'done')
    record(w, 'failed', { status: step.allowFailure ? 'active' : 'failed', ...settled(w, step.id, 'failed') })
  if (outcome !== 'done' && !step.allowFailure) return outcome === 'unknown' ? 5 : 1
  return run(w, isChosen ? undefined : chosen)
}
function wait(w: World, step: Step, more: Partial<Commit>): number {
  if (at(w).status !== 'waiting' || statusOf(w, step.id) !== 'waiting')
    record(w, 'waiting', { status: 'waiting', ...more })
  return 5
}
/** Whether the effect of a step may be brought about now: what nobody knows is never done again by itself. */
function isKnown(w: World, { id, idempotent, probe }: Step): boolean {
  const effect = w.effects.get(id)
  if (
    effect === undefined ||
    ['happened', 'undone'].includes(effect.state) ||
    (effect.state === 'failed' && (idempotent || probe))
  )
    return true
  if (probe) w.effects.set(id, { ...effect, state: w.happened.has(id) ? 'happened' : 'failed' })
  return probe
}
function perform(
  w: World,
  step: Step,
  from: Change | undefined,
  left = step.kind === 'external' && !step.idempotent ? 0 : step.retries,
): Outcome {
  w.work = from === undefined ? at(w).files : patched(at(w).files, from)
  const outcome = attempt(w, step)
  if (outcome === 'done' || outcome === 'waiting') return outcome
  save(w, step.id)
  w.work = at(w).files
  return left > 0 ? perform(w, step, from, left - 1) : outcome
}
function attempt(w: World, step: Step): Outcome {
  const { id, kind, text } = step
  const [file, effect] = [`${id}.txt`, w.effects.get(id)]
  if (kind === 'manual' || kind === 'gate') return 'waiting'
  if (kind === 'create' && w.work[file] !== undefined) return 'failed'
  if (kind === 'create') w.work = put(w.work, { [file]: text })
  else if (kind === 'external' && effect?.state === 'happened') w.work = patched(w.work, effect)
  else {
    w.ledger.push(id)
    const isDone = step.failsBy === 'verify' || hasPassed(w, step)
    const isWhole = isDone || step.failsBy === 'late'
    w.work = put(w.work, {
      [file]: isWhole ? text : 'half\n',
      ...(isWhole && kind === 'run' ? { 'common.txt': `${w.work['common.txt'] ?? ''}${id}\n` } : {}),
    })
    if (kind === 'external') {
      if (isWhole) w.happened.add(id)
      const isThere = isDone || (step.probe && isWhole)
      const state = isThere ? 'happened' : step.failsBy === 'killed' && !step.probe ? 'intended' : 'failed'
      w.effects.set(id, {
        count: (effect?.count ?? 0) + 1,
        state,
        base: at(w).files,
        files: isDone ? w.work : at(w).files,
      })
      if (state === 'intended') return 'unknown'
    }
    if (!isDone) return 'failed'
  }
  return holds(w, step) ? succeed(w, step) : 'failed'
}
function succeed(w: World, step: Step, event = 'step'): Outcome {
  record(w, event, { status: 'active', ...settled(w, step.id, 'done'), files: w.work })
  return 'done'
}
