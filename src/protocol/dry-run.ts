// The result of `--dry-run`.

import { isDone, isSettled } from '../plan/model/step-status.ts'
import { readySteps } from '../plan/graph/graph.ts'
import { statusOf, type Plan } from '../plan/model/plan.ts'
import type { CommandResult } from '../operation/context.ts'
import type { DryRunData } from '../operation/results.ts'

export function dryRunResult(command: string, plan: Plan, more: { note?: string } = {}): CommandResult<DryRunData> {
  const done = plan.steps.filter((step) => isDone(plan, step.id)).map((step) => step.id)
  const skipped = plan.steps.filter((step) => statusOf(plan, step.id) === 'skipped').map((step) => step.id)
  const remaining = plan.steps.filter((step) => !isSettled(plan, step.id)).map((step) => step.id)
  const next = readySteps(plan)[0]?.id ?? null
  const percent = Math.floor((done.length * 100) / plan.steps.length)
  const message = [
    `${command} ${plan.id} would run ${remaining.length} of ${plan.steps.length} steps (${percent}% done)`,
    ...(done.length === 0 ? [] : [`  done: ${done.join(', ')}`]),
    ...(skipped.length === 0 ? [] : [`  skipped: ${skipped.join(', ')}`]),
    ...(remaining.length === 0 ? [] : [`  to run: ${remaining.join(', ')}`]),
    ...(next === null ? [] : [`  next: ${next}`]),
    ...(more.note === undefined ? [] : [more.note]),
  ]
  return {
    kind: 'dry-run',
    exitCode: 0,
    data: { command, id: plan.id, status: plan.status, done, skipped, remaining, next, percent, message },
  }
}
