// What a run does in the model: step after step, until one stops it or none is left. Answers with the exit code.

import { patched, put, type Change, type Step } from './words.ts'
import { at, statusOf, stepIn, areSettled, ready, hasPassed, holds, record, settled, save, type Commit, type World } from './world.ts'

type Outcome = 'done' | 'waiting' | 'failed' | 'unknown'

export function run(w: World, chosen?: { readonly step: string; readonly from: Change | undefined }): number {
  const wanted = chosen === undefined ? undefined : stepIn(at(w), chosen.step)
  const isChosen = wanted !== undefined && areSettled(w, wanted)
  const step = isChosen ? wanted : ready(w)[0]
  if (step === undefined) return record(w, 'completed', { status: 'completed' })
  if (step.kind === 'external' && !isChosen && !isKnown(w, step)) return 5
  const outcome = perform(w, step, isChosen ? chosen?.from : undefined)
  if (outcome === 'waiting') return wait(w, step, settled(w, step.id, 'waiting'))
  if (outcome === 'done' && step.pause && ready(w).length > 0) return wait(w, step, {})
  if (outcome !== 'done') record(w, 'failed', { status: step.allowFailure ? 'active' : 'failed', ...settled(w, step.id, 'failed') })
  if (outcome !== 'done' && !step.allowFailure) return outcome === 'unknown' ? 5 : 1
  return run(w, isChosen ? undefined : chosen)
}
function wait(w: World, step: Step, more: Partial<Commit>): number {
  if (at(w).status !== 'waiting' || statusOf(w, step.id) !== 'waiting') record(w, 'waiting', { status: 'waiting', ...more })
  return 5
}
/** Whether the effect of a step may be brought about now: what nobody knows is never done again by itself. */
function isKnown(w: World, { id, idempotent, probe }: Step): boolean {
  const effect = w.effects.get(id)
  if (effect === undefined || ['happened', 'undone'].includes(effect.state) || (effect.state === 'failed' && (idempotent || probe))) return true
  if (probe) w.effects.set(id, { ...effect, state: w.happened.has(id) ? 'happened' : 'failed' })
  return probe
}
function perform(w: World, step: Step, from: Change | undefined, left = step.kind === 'external' && !step.idempotent ? 0 : step.retries): Outcome {
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
    w.work = put(w.work, { [file]: isWhole ? text : 'half\n', ...(isWhole && kind === 'run' ? { 'common.txt': `${w.work['common.txt'] ?? ''}${id}\n` } : {}) })
    if (kind === 'external') {
      if (isWhole) w.happened.add(id)
      const isThere = isDone || (step.probe && isWhole)
      const state = isThere ? 'happened' : step.failsBy === 'killed' && !step.probe ? 'intended' : 'failed'
      w.effects.set(id, { count: (effect?.count ?? 0) + 1, state, base: at(w).files, files: isDone ? w.work : at(w).files })
      if (state === 'intended') return 'unknown'
    }
    if (!isDone) return 'failed'
  }
  return holds(w, step) ? succeed(w, step) : 'failed'
}
export function succeed(w: World, step: Step, event = 'step'): Outcome {
  record(w, event, { status: 'active', ...settled(w, step.id, 'done'), files: w.work })
  return 'done'
}
