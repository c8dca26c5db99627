// All plans, newest first. One that cannot be read is named, and does not stop the others. What is known of a plan from an earlier list is not read again.

import { PlanError } from '../errors.ts'
import { planStatuses } from '../plan/plan.ts'
import { suggest } from '../plan/nearest.ts'
import { byCode } from '../plan/order.ts'
import { KnownPlans } from '../report/known-plans.ts'
import { listedPlan, type ListedPlan } from '../report/listed.ts'
import { plansElsewhere, type Elsewhere } from '../report/plans-elsewhere.ts'
import { readRemoteFacts, trackingRefs, type RemoteFacts } from '../report/remote-facts.ts'
import { refsByPlan, refsOfPlans } from '../report/resolve-plan.ts'
import { seenStatuses } from '../report/seen.ts'
import { readPlanView } from '../report/view.ts'
import { build } from '../version.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { withRepository, type Reading } from './with-repository.ts'

export interface ListRequest {
  readonly status?: string
  readonly resumable?: boolean
}

export interface UnreadablePlan {
  readonly id: string
  readonly code: string
  readonly message: string
}

export interface ListData {
  readonly plans: readonly (ListedPlan & { readonly remote: RemoteFacts | null })[]
  readonly unreadable: readonly UnreadablePlan[]
  /** Where no plan is in this clone: those that the remote should have. */
  readonly elsewhere?: Elsewhere
}

export const list = (request: ListRequest, context: CommandContext): Promise<CommandResult<ListData>> =>
  withRepository(context, (reading) => listPlans(request, reading))

export async function listPlans(request: ListRequest, { repo, options }: Reading): Promise<CommandResult<ListData>> {
  const known: readonly string[] = [...planStatuses, ...seenStatuses]
  if (request.status !== undefined && !known.includes(request.status)) {
    throw new PlanError('usage', `no plan can be ${JSON.stringify(request.status)}; ${suggest(request.status, known)}`, { hint: 'git plan list' })
  }
  const places = refsByPlan(await refsOfPlans(repo))
  const elsewhere = places.size === 0 ? await plansElsewhere(repo) : undefined
  const table = new KnownPlans(repo, options, build)
  const { found, unknown } = await table.find(places)
  const read = await eachOf(unknown, async (place): Promise<ListedPlan | UnreadablePlan> => {
    const [id, refs] = place
    try {
      const view = await readPlanView(repo, id, { ...options, refs, ahead: 1 })
      table.keep(place, view)
      return listedPlan(view)
    } catch (error) {
      if (!(error instanceof PlanError)) throw error
      return { id, code: error.code, message: error.message }
    }
  })
  table.save(places)
  const plans = [...found, ...read.filter((plan): plan is ListedPlan => !('code' in plan))]
  const unreadable = read.filter((plan): plan is UnreadablePlan => 'code' in plan)
  const wanted = plans.filter(
    (plan) =>
      (request.status === undefined || plan.status === request.status || plan.seen === request.status) && (request.resumable !== true || plan.resumable),
  )
  const newestFirst = wanted.toSorted((a, b) => byCode(b.createdAt ?? '', a.createdAt ?? '') || byCode(a.id, b.id))
  const refs = await trackingRefs(repo)
  const listed = await eachOf(newestFirst, async (plan) => ({ ...plan, remote: await readRemoteFacts(repo, plan, { now: options.now, refs }) }))
  return {
    kind: 'list',
    exitCode: 0,
    data: { plans: listed, unreadable, ...(elsewhere === undefined || elsewhere.ids.length === 0 ? {} : { elsewhere }) },
  }
}

/** Enough to keep git busy while we read what it said. */
const atOnce = 200

/** In their order; only so many are under way. */
async function eachOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at]!)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}
