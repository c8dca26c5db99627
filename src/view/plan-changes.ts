// The changes of a new plan text, step by step, for a reader of the previous one.

import { isDone } from '../plan/model/step-status.ts'
import { isDeepStrictEqual } from 'node:util'
import { escapeForTerminal } from '../plan/text/display.ts'
import { type Plan, type Step } from '../plan/model/plan.ts'
import { isSameStep } from '../plan/model/same-step.ts'
import { planAfterwards, planBefore, stepDetails } from './describe-plan.ts'

export interface PlanChanges {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** Steps that are done in the new text, and unchanged. */
  readonly done: readonly string[]
  /** The title, the base, or commands before and after the steps changed. */
  readonly isPlanChanged: boolean
  readonly isProseChanged: boolean
  /** Diff lines with `-` and `+`, below a header line per part. */
  readonly lines: readonly string[]
}

export function planChanges(before: Plan, after: Plan): PlanChanges {
  const old = new Map(before.steps.map((step) => [step.id, step]))
  const now = new Set(after.steps.map(({ id }) => id))
  const changed = after.steps.filter((step) => {
    const was = old.get(step.id)
    return was !== undefined && !isSameStep(was, step)
  })
  const added = after.steps.filter(({ id }) => !old.has(id))
  const removed = before.steps.filter(({ id }) => !now.has(id))
  const isPlanChanged = !isDeepStrictEqual(planLines(before), planLines(after))
  return {
    added: ids(added),
    changed: ids(changed),
    removed: ids(removed),
    done: ids(after.steps.filter(({ id }) => isDone(after, id))),
    isPlanChanged,
    isProseChanged: before.prose.trim() !== after.prose.trim(),
    lines: [
      ...(isPlanChanged ? diffPart('the plan', planLines(before), planLines(after)) : []),
      ...after.steps.flatMap((step) => {
        const was = old.get(step.id)
        return was !== undefined && isSameStep(was, step)
          ? []
          : diffPart(step.id, was === undefined ? [] : stepLines(was), stepLines(step))
      }),
      ...removed.flatMap((step) => diffPart(step.id, stepLines(step), [])),
    ],
  }
}

const ids = (steps: readonly Step[]): string[] => steps.map(({ id }) => id)

const planLines = (plan: Plan): string[] => [
  `title: ${escapeForTerminal(plan.title)}`,
  `base: ${plan.base ?? ''}`,
  ...planBefore(plan),
  ...planAfterwards(plan),
]

const stepLines = (step: Step): string[] => [
  `title: ${escapeForTerminal(step.title)}`,
  ...(step.needs.length === 0 ? [] : [`needs: ${step.needs.join(', ')}`]),
  ...(step.effect === 'external' ? ['effect: external'] : []),
  ...stepDetails(step),
]

/**
 * A diff without the common beginning and end. In most texts few lines change, and a plain comparison is easy to trust.
 */
function diffPart(name: string, before: readonly string[], after: readonly string[]): string[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++
  return [
    `@@ ${name} @@`,
    ...before.slice(Math.max(0, start - 2), start).map((line) => `  ${line}`),
    ...before.slice(start, before.length - end).map((line) => `- ${line}`),
    ...after.slice(start, after.length - end).map((line) => `+ ${line}`),
    ...after.slice(after.length - end, after.length - end + 2).map((line) => `  ${line}`),
  ]
}
