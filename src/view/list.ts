// A plan as `list` shows it.

import { pick } from './pick.ts'
import type { PlanSummary, PlanView } from './plan-view.ts'

const listedKeys = [
  ...([
    'id',
    'title',
    'status',
    'seen',
    'owner',
    'rolledBackTo',
    'resumable',
    'outcome',
    'base',
    'tip',
    'digest',
    'revision',
    'archived',
  ] as const),
  ...(['risk', 'progress', 'next', 'createdAt', 'startedAt', 'endedAt'] as const),
]

export type ListedPlan = Pick<PlanSummary, (typeof listedKeys)[number]> & {
  /** The steps that run now. */
  readonly running: readonly string[]
  /** The author of the proposal. */
  readonly proposedBy: string | null
  /** Time of the newest commit. */
  readonly updatedAt: string | null
}

export const listedPlan = ({ summary, events }: PlanView): ListedPlan => ({
  ...pick(summary, listedKeys),
  running: summary.seen === 'running' ? (summary.holder?.running.map(({ step }) => step) ?? []) : [],
  proposedBy: events.at(-1)?.by ?? null,
  updatedAt: events[0]?.at ?? null,
})
