// Changes that people made to a plan's branch by hand, and their decisions about the plan, from its commits.

import type { Plan } from '../plan/model/plan.ts'
import { askedBy } from '../plan/verbs/index.ts'
import type { ForeignCommit, RecordedEvent } from './history.ts'

export interface HandWork {
  /**
   * `text`: somebody committed another text of the plan, and that text was proposed unchanged. `gate`: a gate was
   * answered, which is how it is done.
   */
  readonly kind: 'fix' | 'commit' | 'text' | 'declared' | 'gate' | 'skipped'
  readonly commit: string
  readonly at: string
  readonly by: string
  readonly step: string | null
  readonly subject: string
  readonly reason: string | null
}

export interface DecisionView {
  readonly decision: 'approved' | 'rejected' | 'proposed' | 'replanned' | 'cancelled'
  /** `result` once the plan is completed. */
  readonly of: 'plan' | 'result'
  readonly commit: string
  readonly at: string
  readonly by: string
  /** Source of an approval: local, signature, review or policy. */
  readonly from: string | null
  /** The review in which the decision was given, if not here. */
  readonly review: string | null
  readonly reason: string | null
}

const kinds: Readonly<Partial<Record<RecordedEvent['event'], HandWork['kind']>>> = {
  fixed: 'fix',
  declared: 'declared',
  skipped: 'skipped',
}

/** Oldest first; events and commits are newest first. */
export function handWork(
  events: readonly RecordedEvent[],
  foreign: readonly ForeignCommit[],
  plan: Pick<Plan, 'steps'> | undefined,
): HandWork[] {
  const gates = new Set<string>(plan?.steps.flatMap((step) => (askedBy(step) === 'decision' ? [step.id] : [])))
  const commits = new Map<number, ForeignCommit[]>()
  for (const each of foreign) commits.set(each.depth, [...(commits.get(each.depth) ?? []), each])
  const found: HandWork[] = []
  for (let depth = events.length; depth >= 0; depth--) {
    const above = events[depth - 1]
    for (const { commit, at, by, subject } of commits.get(depth)?.toReversed() ?? [])
      found.push({
        kind: above?.adopts === undefined ? 'commit' : 'text',
        commit,
        at,
        by,
        step: null,
        subject,
        reason: null,
      })
    const kind = above === undefined ? undefined : kinds[above.event]
    if (above === undefined || kind === undefined) continue
    const { commit, at, by, step, subject, reason } = above
    const isGate = kind === 'declared' && gates.has(step ?? '')
    found.push({ kind: isGate ? 'gate' : kind, commit, at, by, step: step ?? null, subject, reason: reason ?? null })
  }
  return found
}

/** Approvals, rejections, the reasons for text changes, and a cancellation; oldest first. */
export function decisionsIn(events: readonly RecordedEvent[]): DecisionView[] {
  const completed = events.findIndex(({ event }) => event === 'completed')
  const found = events.flatMap(
    ({ event, commit, at, by, approvedBy, approval, review, reason }, index): DecisionView[] => {
      const decision = (['approved', 'rejected', 'proposed', 'replanned', 'cancelled'] as const).find(
        (name) => name === event,
      )
      // A text without a reason is already visible in the plan itself.
      if (decision === undefined || ((decision === 'proposed' || decision === 'replanned') && reason === undefined))
        return []
      return [
        {
          decision,
          of: index < completed ? 'result' : 'plan',
          commit,
          at,
          by: approvedBy ?? by,
          from: approval ?? null,
          review: review ?? null,
          reason: reason ?? null,
        },
      ]
    },
  )
  return found.toReversed()
}
