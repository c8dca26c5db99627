// Says why a step is not done.

import { openNeeds } from '../plan/graph/graph.ts'
import { statusOf, type Plan, type Step } from '../plan/model/plan.ts'
import { hasFailed } from '../plan/model/step-status.ts'
import { isFinal } from '../plan/model/lifecycle.ts'
import { verbOf } from '../plan/verbs/index.ts'
import { hasRunText } from './has-run.ts'

/** null: it is done, or its status says why. `results`: steps that have run and wait to be committed. */
export function whyNotDone(plan: Plan, step: Step, results: ReadonlySet<string>): string | null {
  if (statusOf(plan, step.id) !== 'pending' || isFinal(plan.status)) return null
  const open = openNeeds(plan, step)
  const stopped = plan.steps.find((each) => !each.allowFailure && hasFailed(plan, each.id))
  if (results.has(step.id)) return hasRunText(stopped?.id ?? 'the end of its wave')
  const failed = open.filter((need) => hasFailed(plan, need))
  if (failed.length > 0) return `it needs ${failed.join(', ')}, which failed`
  if (open.length > 0) return `it needs ${open.join(', ')}`
  const declared = verbOf(step).declaredDone?.(step.spec)
  if (declared !== undefined) return `it is done already: ${declared}; the next run records it`
  return plan.status === 'failed' && stopped !== undefined ? `the plan stopped at ${stopped.id}` : null
}
