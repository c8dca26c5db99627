// All plans, newest first. One that cannot be read is named, and does not stop the others.

import { PlanError } from '../errors.ts'
import { planStatuses } from '../plan/plan.ts'
import { suggest } from '../plan/nearest.ts'
import { byCode } from '../plan/order.ts'
import { idsIn, keptAmong, refsOfPlans } from '../report/resolve-plan.ts'
import { seenStatuses } from '../report/seen.ts'
import { readPlanView, type PlanSummary } from '../report/view.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { withRepository, type Reading } from './with-repository.ts'

export interface ListRequest {
  readonly status?: string
  readonly resumable?: boolean
}

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
  /** Of the newest commit. */
  readonly updatedAt: string | null
}

export interface UnreadablePlan {
  readonly id: string
  readonly code: string
  readonly message: string
}

export interface ListData {
  readonly plans: readonly ListedPlan[]
  readonly unreadable: readonly UnreadablePlan[]
}

export const list = (request: ListRequest, context: CommandContext): Promise<CommandResult<ListData>> =>
  withRepository(context, (reading) => listPlans(request, reading))

export async function listPlans(request: ListRequest, { repo, options }: Reading): Promise<CommandResult<ListData>> {
  const known: readonly string[] = [...planStatuses, ...seenStatuses]
  if (request.status !== undefined && !known.includes(request.status)) {
    throw new PlanError('usage', `no plan can be ${JSON.stringify(request.status)}; ${suggest(request.status, known)}`, { hint: 'git plan list' })
  }
  const plans: ListedPlan[] = []
  const unreadable: UnreadablePlan[] = []
  const refs = await refsOfPlans(repo)
  for (const id of idsIn(refs)) {
    try {
      const { summary, events } = await readPlanView(repo, id, { ...options, refs: keptAmong(refs) })
      const { title, status, seen, rolledBackTo, resumable, outcome, base, tip, digest, risk, progress, next, createdAt, startedAt, endedAt } = summary
      plans.push({
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
        updatedAt: events[0]?.at ?? null,
      })
    } catch (error) {
      if (!(error instanceof PlanError)) throw error
      unreadable.push({ id, code: error.code, message: error.message })
    }
  }
  const wanted = plans.filter(
    (plan) =>
      (request.status === undefined || plan.status === request.status || plan.seen === request.status) && (request.resumable !== true || plan.resumable),
  )
  const newestFirst = wanted.toSorted((a, b) => byCode(b.createdAt ?? '', a.createdAt ?? '') || byCode(a.id, b.id))
  return { kind: 'list', exitCode: 0, data: { plans: newestFirst, unreadable } }
}
