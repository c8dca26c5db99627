// How far a run has come, for the one comment that is kept up to date: what failed and why, who is waited for, and what
// to type.

import { fitting, inText } from './markdown.ts'
import type { PlanSummary } from './plan-view.ts'

const most = 50_000

/** `failure`: of the plan as a whole, where no step of its own failed. */
export function progressComment(
  summary: PlanSummary,
  { failure, next }: { failure: string | undefined; next: readonly string[] },
): string {
  const marks: Readonly<Record<string, string>> = { done: 'x', skipped: '-' }
  const { done, total } = summary.progress
  const { shown, left } = fitting(
    summary.steps.map(
      (step) => `- [${marks[step.status] ?? ' '}] \`${step.id}\` ${inText(step.title)}${remarkOf(step)}`,
    ),
    most,
  )
  return [
    `**${inText(summary.title)}** is ${summary.seen}: ${done} of ${total} steps done, at \`${summary.tip.slice(0, 12)}\`.`,
    ...(failure === undefined ? [] : ['', `It failed: ${inText(failure)}`]),
    '',
    ...shown,
    ...(left === 0 ? [] : [`- … and ${left} more`]),
    ...(next.length === 0 ? [] : ['', 'Next:', '', ...next.map((command) => `- \`${command}\``)]),
  ].join('\n')
}

function remarkOf({ status, asks, error }: PlanSummary['steps'][number]): string {
  if (status === 'pending' || status === 'done') return ''
  const waits = asks === 'decision' ? 'waits for a decision' : asks === 'person' ? 'waits for a person' : 'is paused'
  return ` (${status === 'waiting' ? waits : status}${error === null ? '' : `: ${inText(error)}`})`
}
