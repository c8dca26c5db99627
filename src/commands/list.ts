// Plans, newest first: those with a branch, and the last few finished ones; `--all` for the rest. One that cannot be read is named, and does not stop the others.

import { PlanError } from '../errors.ts'
import type { Ref, Repository } from '../git/repository.ts'
import { planStatuses } from '../plan/plan.ts'
import { suggest } from '../plan/nearest.ts'
import { byCode } from '../plan/order.ts'
import { finalRef, planBranch, type PlanId } from '../plan/values.ts'
import { listedPlan, type ListedPlan } from '../report/listed.ts'
import { readPutAside, type PutAside } from '../report/put-aside.ts'
import { plansElsewhere, type Elsewhere } from '../report/plans-elsewhere.ts'
import { readRemoteFacts, trackingRefs, type RemoteFacts } from '../report/remote-facts.ts'
import { refsByPlan, refsOfPlans } from '../report/resolve-plan.ts'
import { seenStatuses } from '../report/seen.ts'
import { readPlanView } from '../report/view.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { withRepository, type Reading } from './with-repository.ts'

export interface ListRequest {
  readonly status?: string
  readonly resumable?: boolean
  /** Finished ones too, however old. */
  readonly all?: boolean
}

export interface UnreadablePlan {
  readonly id: string
  readonly code: string
  readonly message: string
}

export interface ListData {
  readonly plans: readonly (ListedPlan & { readonly remote: RemoteFacts | null })[]
  readonly unreadable: readonly UnreadablePlan[]
  /** How many finished plans are not listed. */
  readonly hidden: number
  /** Where no plan is in this clone: those that the remote should have. */
  readonly elsewhere?: Elsewhere
  /** What `--autostash` put aside and nothing has restored yet, where there is some. */
  readonly putAside?: readonly PutAside[]
}

export const list = (request: ListRequest, context: CommandContext): Promise<CommandResult<ListData>> =>
  withRepository(context, (reading) => listPlans(request, reading))

export async function listPlans(request: ListRequest, { repo, options }: Reading): Promise<CommandResult<ListData>> {
  const statuses: readonly string[] = [...planStatuses, ...seenStatuses]
  if (request.status !== undefined && !statuses.includes(request.status)) {
    throw new PlanError('usage', `unknown status ${JSON.stringify(request.status)}; ${suggest(request.status, statuses)}`, { hint: 'git plan list' })
  }
  const all = refsByPlan(await refsOfPlans(repo))
  const elsewhere = all.size === 0 ? await plansElsewhere(repo) : undefined
  const places = request.all === true || request.status !== undefined ? [...all] : await openAndRecent(repo, all)
  const read = await eachOf(places, async ([id, refs]): Promise<ListedPlan | UnreadablePlan> => {
    try {
      return listedPlan(await readPlanView(repo, id, { ...options, refs, ahead: 1 }))
    } catch (error) {
      if (!(error instanceof PlanError)) throw error
      return { id, code: error.code, message: error.message }
    }
  })
  const plans = read.filter((plan): plan is ListedPlan => !('code' in plan))
  const unreadable = read.filter((plan): plan is UnreadablePlan => 'code' in plan)
  const wanted = plans.filter((plan) => request.status === undefined || plan.status === request.status || plan.seen === request.status)
  const putAside = await readPutAside(repo, options.dir)
  const newestFirst = wanted.toSorted((a, b) => byCode(b.createdAt ?? '', a.createdAt ?? '') || byCode(a.id, b.id))
  const refs = await trackingRefs(repo)
  const known = await eachOf(newestFirst, async (plan) => {
    const remote = await readRemoteFacts(repo, plan, { now: options.now, refs })
    return { ...plan, remote, resumable: plan.resumable && (remote?.holder ?? null) === null }
  })
  const listed = known.filter((plan) => request.resumable !== true || plan.resumable)
  return {
    kind: 'list',
    exitCode: 0,
    data: {
      plans: listed,
      unreadable,
      hidden: all.size - places.length,
      ...(elsewhere === undefined || elsewhere.ids.length === 0 ? {} : { elsewhere }),
      ...(putAside.length === 0 ? {} : { putAside }),
    },
  }
}

const recentlyFinished = 10

/** Without reading any: a plan is finished where its branch is gone, and its final ref says when. */
async function openAndRecent(repo: Repository, all: ReadonlyMap<PlanId, readonly Ref[]>): Promise<(readonly [PlanId, readonly Ref[]])[]> {
  const isOpen = ([id, refs]: readonly [PlanId, readonly Ref[]]): boolean => refs.some(({ name }) => name === planBranch(id))
  const finished = [...all].filter((place) => !isOpen(place))
  if (finished.length <= recentlyFinished) return [...all]
  // With some to spare: a plan that was fetched again after its end has both refs.
  const newest = await repo.git.text(['for-each-ref', '--sort=-committerdate', '--count=100', '--format=%(refname)', 'refs/plan/*/final'])
  const order = newest.split('\n')
  const rank = ([id]: readonly [PlanId, readonly Ref[]]): number => (order.includes(finalRef(id)) ? order.indexOf(finalRef(id)) : order.length)
  return [...[...all].filter(isOpen), ...finished.toSorted((a, b) => rank(a) - rank(b)).slice(0, recentlyFinished)]
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
