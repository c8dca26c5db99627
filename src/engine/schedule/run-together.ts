// Runs several steps of a wave in the pool, and makes their results commits of the plan's branch, in order.

import { shown } from '../../git/read/raw-path.ts'
import type { StepId } from '../../plan/model/ids.ts'
import type { Step } from '../../plan/model/plan.ts'
import { hasFailed, isDone } from '../../plan/model/step-status.ts'
import { Chain, type Fit } from '../pool/chain.ts'
import { dropResult, keepAsAttempt, type Result } from '../pool/results.ts'
import { applyTree } from '../step/apply-tree.ts'
import { continuesAfter, type Loop } from './loop.ts'
import type { Failed, RunEnd } from './run-end.ts'
import { afterDone, afterFailure, runHere } from './run-here.ts'
import { runWave, type WaveOutcome } from './run-wave.ts'

export async function runTogether(loop: Loop, steps: readonly Step[]): Promise<RunEnd | undefined> {
  const { run, options } = loop
  const outcomes = await runWave(run, steps, {
    ...loop,
    failFast: options.failFast === true,
    continuesAfter: (step, outcome) => continuesAfter(loop, step, outcome),
    permit: async (step) => options.permit?.(step),
  })
  loop.mayBeEdited = true
  return run.withKeptObjects(() => integrate(loop, steps, outcomes))
}

async function integrate(
  loop: Loop,
  steps: readonly Step[],
  outcomes: ReadonlyMap<StepId, WaveOutcome>,
): Promise<RunEnd | undefined> {
  const { run, results } = loop
  const chain = new Chain(run)
  let last: Step | undefined
  for (const step of steps) {
    const outcome = outcomes.get(step.id)
    if (outcome === undefined) break
    last = step
    const fit = outcome.kind === 'ran' ? await chain.fit(step, outcome.result) : undefined
    if (outcome.kind === 'ran' && fit?.kind === 'clean') {
      await chain.addResult(step, outcome.result)
      results.delete(step.id)
      loop.count += 1
      continue
    }
    await chain.land()
    const end =
      outcome.kind === 'failed'
        ? await afterFailureInPool(loop, step, outcome.outcome)
        : await runAgain(loop, step, outcome.kind === 'ran' ? outcome.result : undefined, fit)
    if (end !== undefined) return end
    await chain.catchUp()
  }
  await chain.land()
  const stop = run.world.signal.aborted ? undefined : endedEarly(loop, steps, outcomes)
  if (stop !== undefined) return afterFailureInPool(loop, ...stop)
  return last === undefined ? undefined : afterDone(loop, last)
}

/** The failure for which `--fail-fast` has ended a step that comes before it in the plan. */
function endedEarly(
  loop: Loop,
  steps: readonly Step[],
  outcomes: ReadonlyMap<StepId, WaveOutcome>,
): [Step, Failed] | undefined {
  if (steps.every(({ id }) => outcomes.has(id))) return undefined
  for (const step of steps) {
    const outcome = outcomes.get(step.id)
    if (outcome?.kind === 'failed' && !continuesAfter(loop, step, outcome.outcome)) return [step, outcome.outcome]
  }
  return undefined
}

/** Runs or checks a step again in the plan's own checkout, which has the results of the steps before it. */
async function runAgain(loop: Loop, step: Step, result: Result | undefined, fit: Fit | undefined) {
  const { run, results } = loop
  if (result !== undefined && fit?.kind === 'check') {
    run.world.emit({ kind: 'notice', message: `${step.id} is checked again: files that it declares have changed` })
    const end = await runHere(loop, step, result)
    await dropResult(run, result)
    results.delete(step.id)
    return end
  }
  if (fit?.kind === 'again')
    run.world.emit({
      kind: 'notice',
      message: `${step.id} runs again: a step before it changed ${shown(fit.path)}`,
    })
  const end = await runHere(loop, step)
  if (result === undefined) return end
  if (isDone(run.at.plan, step.id)) await dropResult(run, result)
  else if (hasFailed(run.at.plan, step.id)) {
    const message = 'it changed a path that a step before it had changed'
    const ref = await keepAsAttempt(run, result, { reason: 'conflict', message })
    run.world.emit({ kind: 'notice', message: `the conflicting result of ${step.id} is saved in ${ref}` })
  }
  results.delete(step.id)
  return end
}

/** With `--keep-tree` its changes go to the plan's own checkout, as if it had run there. */
async function afterFailureInPool(loop: Loop, step: Step, outcome: Failed): Promise<RunEnd | undefined> {
  const { run, options } = loop
  loop.count += 1
  const end = await afterFailure(loop, step, outcome)
  const saved = options.keepTree && end !== undefined ? await run.repo.resolve(outcome.saved) : undefined
  if (saved === undefined) return end
  await run.intend({ kind: 'tree', input: run.at.tip })
  await applyTree(run.worker, saved)
  await run.settle()
  return end
}
