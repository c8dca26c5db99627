// The progress of a run, for the one comment that is kept up to date: failures with reasons, who has to act, and what
// to type.

import { fitLines, escapeMarkdown } from './markdown.ts'
import { testsText } from '../plan/model/test-counts.ts'
import type { PlanSummary } from './plan-view.ts'

const most = 50_000

/** `failure`: a failure of the whole plan without a failed step. */
export function progressComment(
  summary: PlanSummary,
  { failure, next }: { failure: string | undefined; next: readonly string[] },
): string {
  const marks: Readonly<Record<string, string>> = { done: 'x', skipped: '-' }
  const { done, total } = summary.progress
  const { shown, left } = fitLines(
    summary.steps.map(
      (step) => `- [${marks[step.status] ?? ' '}] \`${step.id}\` ${escapeMarkdown(step.title)}${remarkOf(step)}`,
    ),
    most,
  )
  return [
    `**${escapeMarkdown(summary.title)}** is ${summary.seen}: ${done} of ${total} steps done, at \`${summary.tip.slice(0, 12)}\`.`,
    ...(failure === undefined ? [] : ['', `It failed: ${escapeMarkdown(failure)}`]),
    '',
    ...shown,
    ...(left === 0 ? [] : [`- … and ${left} more`]),
    ...(next.length === 0 ? [] : ['', 'Next:', '', ...next.map((command) => `- \`${command}\``)]),
  ].join('\n')
}

function remarkOf({ status, asks, error, tests }: PlanSummary['steps'][number]): string {
  if (status === 'done' && tests !== null) return ` (tests: ${escapeMarkdown(testsText(tests))})`
  if (status === 'pending' || status === 'done') return ''
  const waits = asks === 'decision' ? 'waits for a decision' : asks === 'person' ? 'waits for a person' : 'is paused'
  return ` (${status === 'waiting' ? waits : status}${error === null ? '' : `: ${escapeMarkdown(error)}`})`
}
