// A plan as `list` shows it.

import type { PlanSummary, PlanView } from './plan-view.ts'

export type ListedPlan = Pick<
  PlanSummary,
  | 'id'
  | 'title'
  | 'status'
  | 'seen'
  | 'rolledBackTo'
  | 'resumable'
  | 'outcome'
  | 'base'
  | 'tip'
  | 'digest'
  | 'risk'
  | 'progress'
  | 'next'
  | 'createdAt'
  | 'startedAt'
  | 'endedAt'
> & {
  /** Time of the newest commit. */
  readonly updatedAt: string | null
}

export function listedPlan({ summary, events }: PlanView): ListedPlan {
  const {
    id,
    title,
    status,
    seen,
    rolledBackTo,
    resumable,
    outcome,
    base,
    tip,
    digest,
    risk,
    progress,
    next,
    createdAt,
    startedAt,
    endedAt,
  } = summary
  const updatedAt = events[0]?.at ?? null
  return {
    id,
    title,
    status,
    seen,
    rolledBackTo,
    resumable,
    outcome,
    base,
    tip,
    digest,
    risk,
    progress,
    next,
    createdAt,
    startedAt,
    endedAt,
    updatedAt,
  }
}
