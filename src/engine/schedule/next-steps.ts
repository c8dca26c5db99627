// Chooses what runs next: one step, or several of one wave at the same time.

import { openNeeds, readySteps } from '../../plan/graph/graph.ts'
import type { Step } from '../../plan/model/plan.ts'
import { agentOf, askedBy, verbOf } from '../../plan/verbs/index.ts'
import type { Loop } from './loop.ts'

/** In order. Several: of one wave, to run at the same time. */
export function nextSteps({ run, options, failed, retry, results, slots, count }: Loop): readonly Step[] {
  const { plan } = run.at
  const canShare = (step: Step): boolean =>
    canRunBeside(step) && !(options.handsOut === true && agentOf(step) !== undefined)
  // A step that failed with `allowFailure` is not ready, since nothing waits for it; the user may still retry it.
  const again = plan.steps.find((step) => step.id === retry?.step && openNeeds(plan, step).length === 0)
  const ready = readySteps(plan).filter((step) => !failed.has(step.id))
  const [first] = again === undefined ? ready : [again]
  if (first === undefined || again !== undefined || !canShare(first)) return first === undefined ? [] : [first]
  const every = run.settings.pauseEvery
  const untilPause = every > 0 ? every - (count % every) : ready.length
  const wave = ready.filter((step) => step.wave === first.wave).slice(0, untilPause)
  const end = wave.findIndex((step) => !canShare(step))
  const together = end < 0 ? wave : wave.slice(0, end)
  const pause = together.findIndex((step) => step.pause)
  const upToPause = pause < 0 ? together : together.slice(0, pause + 1)
  if (slots.size > 1) return upToPause
  // One at a time, but the results of an earlier run are used.
  const unfinished = upToPause.findIndex((step) => !results.has(step.id))
  return unfinished < 0 ? upToPause : upToPause.slice(0, Math.max(1, unfinished))
}

/** True if the step may run beside others, in a work tree of the pool. */
const canRunBeside = (step: Step): boolean =>
  // Packages are ignored files: other work trees would not have them.
  !step.alone && step.effect === 'tree' && askedBy(step) === undefined && verbOf(step).installs === undefined
