// Runs the steps of a wave at the same time, each in a work tree of the pool. Nothing moves the plan's branch here.

import { PlanError } from '../../errors.ts'
import { Fingerprint } from '../../git/trust/fingerprint.ts'
import { millisecondsBetween } from '../../plan/record/trailers.ts'
import type { Step } from '../../plan/model/plan.ts'
import type { StepId } from '../../plan/model/ids.ts'
import type { Pool } from '../pool/pool.ts'
import { readResult, type Result } from '../pool/results.ts'
import type { Run } from '../run/run.ts'
import { refuseGitChanges } from '../step/git-changes.ts'
import type { StepOutcome } from '../step/perform-step.ts'
import { performWithRetries } from './perform-with-retries.ts'
import type { Slots } from './slots.ts'

export type WaveOutcome =
  | { readonly kind: 'ran'; readonly result: Result }
  | { readonly kind: 'failed'; readonly outcome: StepOutcome & { kind: 'failed' } }
  /** It moved HEAD, which is refused in the plan's own checkout. */
  | { readonly kind: 'again' }

export interface WaveOptions {
  readonly pool: Pool
  readonly slots: Slots
  readonly fingerprint: Fingerprint
  /** Results of earlier runs. */
  readonly results: ReadonlyMap<StepId, Result>
  readonly failFast: boolean
  /** True if later steps run although this one failed. */
  continuesAfter(step: Step, outcome: StepOutcome & { kind: 'failed' }): boolean
  permit(step: Step): Promise<void>
}

/**
 * After a failure that stops the plan, steps after it in the order of the plan do not begin. Steps before it do, as they
 * would one at a time. A step without an outcome did not run or was interrupted.
 */
export async function runWave(
  run: Run,
  steps: readonly Step[],
  options: WaveOptions,
): Promise<ReadonlyMap<StepId, WaveOutcome>> {
  const outcomes = new Map<StepId, WaveOutcome>()
  for (const step of steps) {
    const result = options.results.get(step.id)
    if (result === undefined) continue
    // It was permitted when it ran, perhaps days ago.
    await options.permit(step)
    outcomes.set(step.id, { kind: 'ran', result })
  }
  const waiting = steps.filter(({ id }) => !outcomes.has(id))
  const running = new Map<StepId, { readonly step: Step; readonly ended: Promise<void> }>()
  const stop = new AbortController()
  const signal = AbortSignal.any([run.world.signal, stop.signal])
  let last = steps.length
  const errors: unknown[] = []

  const perform = async (step: Step): Promise<void> => {
    const outcome = await performInPool(run, step, { ...options, signal })
    if (outcome === undefined) return
    outcomes.set(step.id, outcome)
    if (outcome.kind !== 'failed' || options.continuesAfter(step, outcome.outcome)) return
    last = Math.min(last, steps.indexOf(step))
    if (options.failFast) stop.abort()
  }
  const next = (): Step | undefined =>
    signal.aborted ? undefined : waiting.find((step) => steps.indexOf(step) < last && isFree(step, running))

  for (;;) {
    if (next() !== undefined) {
      const release = await options.slots.take()
      const step = next()
      if (step === undefined) release()
      else {
        waiting.splice(waiting.indexOf(step), 1)
        const ended = options
          .permit(step)
          .then(() => perform(step))
          .catch((reason: unknown) => {
            errors.push(reason)
            stop.abort()
          })
          .finally(() => {
            running.delete(step.id)
            release()
          })
        running.set(step.id, { step, ended })
      }
    } else if (running.size > 0) await Promise.race([...running.values()].map(({ ended }) => ended))
    else break
  }
  // The results that are there wait for the next run.
  if (errors.length > 0) throw errors[0] as Error
  return outcomes
}

/** No running step uses a resource that this one uses. */
const isFree = ({ uses }: Step, running: ReadonlyMap<StepId, { readonly step: Step }>): boolean =>
  [...running.values()].every(({ step }) => !step.uses.some((each) => uses.includes(each)))

/** undefined: it was interrupted. */
async function performInPool(
  run: Run,
  step: Step,
  { pool, fingerprint, signal }: Pick<WaveOptions, 'pool' | 'fingerprint'> & { readonly signal: AbortSignal },
): Promise<WaveOutcome | undefined> {
  await refuseGitChanges(run.worker, fingerprint)
  const worker = await pool.take(run.at, signal).catch((error: unknown) => {
    // The setup of its work tree was ended, and is repeated by the next run.
    if (signal.aborted && error instanceof PlanError && error.code === 'preflight') return undefined
    throw error
  })
  if (worker === undefined) return undefined
  worker.step = step.id
  try {
    const own = await Fingerprint.take(worker.workspace.repo)
    const outcome = await performWithRetries(worker, step, { keepTree: false, fingerprint: own })
    pool.give(worker)
    if (outcome.kind === 'failed') return outcome.reason === 'interrupted' ? undefined : { kind: 'failed', outcome }
    const result = outcome.kind === 'done' ? await readResult(run, step.id) : undefined
    if (result === undefined) throw new Error(`${step.id} has no result`)
    worker.emit({
      kind: 'step-ran',
      step: step.id,
      attempt: result.attempt,
      durationMs: millisecondsBetween(result.times),
      ...(outcome.kind === 'done' && outcome.replayed !== undefined ? { replayed: outcome.replayed } : {}),
    })
    return { kind: 'ran', result }
  } catch (error) {
    if (!(error instanceof PlanError) || error.code !== 'branch-moved') throw error
    await pool.giveUnclean(worker)
    return { kind: 'again' }
  }
}
