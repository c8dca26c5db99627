// The life cycle of a plan: which event may follow which status. Any transition that is not in this table is an error.

import { PlanError } from '../../errors.ts'
import { planStatuses, statusOf } from './plan.ts'
import type { Plan, PlanStatus } from './plan.ts'

export const planEvents = [
  'proposed',
  'approved',
  'rejected',
  'baseline',
  'step',
  'failed',
  'skipped',
  'declared',
  'fixed',
  'replanned',
  'waiting',
  'completed',
  'cancelled',
  'rebased',
] as const
export type PlanEventName = (typeof planEvents)[number]

interface Transition {
  readonly from: readonly (PlanStatus | 'absent')[]
  /** The first is the default. */
  readonly to: readonly [PlanStatus, ...PlanStatus[]]
}

const underway = ['approved', 'active', 'waiting', 'failed'] as const

const transitions: Readonly<Record<PlanEventName, Transition>> = {
  proposed: { from: ['absent', 'proposed', 'rejected'], to: ['proposed'] },
  // The plan stays proposed if the policy needs more approvals, and keeps its status if it is a renewed approval of a
  // running plan. An approval of a completed plan approves its result.
  approved: {
    from: ['proposed', 'rejected', ...underway, 'completed'],
    to: ['approved', 'proposed', 'active', 'waiting', 'failed', 'completed'],
  },
  rejected: { from: ['proposed', 'approved'], to: ['rejected'] },
  // The tests were counted before the first step; the status stays.
  baseline: { from: underway, to: underway },
  step: { from: underway, to: ['active'] },
  failed: { from: underway, to: ['failed', 'active'] },
  skipped: { from: underway, to: ['active'] },
  declared: { from: underway, to: ['active'] },
  fixed: { from: underway, to: ['active'] },
  waiting: { from: underway, to: ['waiting'] },
  // The status stays if the policy keeps an approval valid for a text that only removes steps.
  replanned: {
    from: ['proposed', 'approved', 'rejected', 'active', 'waiting', 'failed'],
    to: ['proposed', 'approved', 'active'],
  },
  // Also from failed: every step may be done with only the plan's own check failed.
  completed: { from: underway, to: ['completed'] },
  cancelled: {
    from: ['proposed', 'approved', 'rejected', 'active', 'waiting', 'failed', 'completed'],
    to: ['cancelled'],
  },
  rebased: { from: planStatuses, to: ['proposed'] },
}

/** Status after an event; `from` is undefined if the plan does not exist yet. */
export function nextStatus(
  event: PlanEventName,
  from: PlanStatus | undefined,
  { wanted, hint }: { wanted?: PlanStatus | undefined; hint?: string } = {},
): PlanStatus {
  const { from: allowed, to } = transitions[event]
  if (!allowed.includes(from ?? 'absent')) {
    const state = from ? `a plan that is ${from}` : 'a plan that does not exist'
    throw new PlanError(
      'wrong-state',
      `${state} cannot be ${verbOfEvent[event]}; it must be ${allowed.map((status) => (status === 'absent' ? 'new' : status)).join(' or ')}`,
      {
        ...(hint === undefined ? {} : { hint }),
        facts: { event, status: from ?? null, allowed: [...allowed] },
      },
    )
  }
  if (wanted === undefined) return to[0]
  if (!to.includes(wanted))
    throw new PlanError('wrong-state', `the event ${event} leads to ${to.join(' or ')}, not to ${wanted}`, {
      ...(hint === undefined ? {} : { hint }),
      facts: { event, wanted },
    })
  return wanted
}

export const canHappen = (event: PlanEventName, from: PlanStatus | undefined): boolean =>
  transitions[event].from.includes(from ?? 'absent')

export const isFinal = (status: PlanStatus): boolean => status === 'completed' || status === 'cancelled'

/** `partial` if steps were skipped, or failed with `allow_failure`. */
export const outcomeOf = (plan: Plan): 'complete' | 'partial' =>
  plan.steps.every((step) => statusOf(plan, step.id) === 'done') ? 'complete' : 'partial'

const verbOfEvent: Readonly<Record<PlanEventName, string>> = {
  proposed: 'proposed',
  approved: 'approved',
  rejected: 'rejected',
  baseline: 'given a baseline',
  step: 'run',
  failed: 'run',
  skipped: 'given a skipped step',
  declared: 'given a declared step',
  fixed: 'fixed',
  waiting: 'made to wait',
  replanned: 'replanned',
  completed: 'completed',
  cancelled: 'cancelled',
  rebased: 'rebased',
}
