// `git plan list`: open plans and the last finished ones, newest first; all of them with `--all`. An unreadable plan is
// named and does not stop the others.

import { PlanError } from '../../errors.ts'
import type { Ref, Repository } from '../../git/repository.ts'
import { planStatuses } from '../../plan/model/plan.ts'
import { suggest } from '../../plan/text/nearest.ts'
import { byCode } from '../../plan/model/order.ts'
import { allLocalRefs, allPlanRefs, archiveRefs, finalRef, planBranch, type PlanId } from '../../plan/model/ids.ts'
import { listedPlan, type ListedPlan } from '../../view/list.ts'
import { readArchived } from '../../store/archive.ts'
import { readPlanMode } from '../../store/plan-mode.ts'
import { readPutAside, type PutAside } from '../../store/put-aside.ts'
import { plansElsewhere, type Elsewhere } from '../../store/plans-elsewhere.ts'
import { readRemoteFacts, trackingRefs, type RemoteFacts } from '../../store/remote-facts.ts'
import { refsByPlan } from '../../store/resolve-plan.ts'
import { displayStatuses } from '../../store/display-status.ts'
import { readPlanView } from '../../view/plan-view.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { withRepository, type ReadContext } from '../with-repository.ts'

export interface ListRequest {
  readonly status?: string
  readonly resumable?: boolean
  /** Include all finished plans, however old. */
  readonly all?: boolean
  /** Only plans in the archive. */
  readonly archived?: boolean
}

export interface UnreadablePlan {
  readonly id: string
  readonly code: string
  readonly message: string
}

export interface ListData {
  readonly plans: readonly (ListedPlan & { readonly remote: RemoteFacts | null })[]
  readonly unreadable: readonly UnreadablePlan[]
  /** The number of finished plans that are not listed. */
  readonly hidden: number
  /** The number of plans in the archive that are not listed. */
  readonly archived?: number
  /** Only some plans were asked for. */
  readonly isFiltered?: boolean
  /** If this clone has no plans: those that the remote should have. */
  readonly elsewhere?: Elsewhere
  /** Plans cannot be created here: there is no work tree. */
  readonly isBare?: boolean
  /** Changes that `--autostash` saved and nothing has restored yet, if there are any. */
  readonly putAside?: readonly PutAside[]
  /** Plan mode of the work tree, unless it is off. */
  readonly planMode?: 'on' | 'left'
}

export const list = (request: ListRequest, context: CommandContext): Promise<CommandResult<ListData>> =>
  withRepository(context, (reading) => listPlans(request, reading))

export async function listPlans(
  request: ListRequest,
  { repo, options }: ReadContext,
): Promise<CommandResult<ListData>> {
  const statuses: readonly string[] = [...planStatuses, ...displayStatuses]
  if (request.status !== undefined && !statuses.includes(request.status)) {
    throw new PlanError(
      'usage',
      `unknown status ${JSON.stringify(request.status)}; ${suggest(request.status, statuses)}`,
      { hint: 'git plan list' },
    )
  }
  const refs = await repo.refs(...allPlanRefs, allLocalRefs)
  const all = refsByPlan(refs)
  const elsewhere = all.size === 0 ? await plansElsewhere(repo) : undefined
  const read = async ([id, own]: PlanRefs): Promise<ListedPlan | UnreadablePlan> => {
    try {
      return listedPlan(await readPlanView(repo, id, { ...options, refs: own, ahead: 1 }))
    } catch (error) {
      if (!(error instanceof PlanError)) throw error
      return { id, code: error.code, message: error.message }
    }
  }
  const isWhole = request.all === true || request.status !== undefined
  const isFiltered = request.status !== undefined || request.resumable === true || request.archived === true
  const archived = await archivedPlans(repo, all)
  const isListed = ([id]: PlanRefs): boolean =>
    request.archived === true ? archived.has(id) : isWhole || !archived.has(id)
  const isOpen = ([id, own]: PlanRefs): boolean => own.some(({ name }) => name === planBranch(id))
  const known = [...all].filter(isListed)
  const finished = known.filter((entry) => !isOpen(entry))
  const [open, recent, putAside, tracking, { state: planMode }] = await Promise.all([
    mapConcurrently(known.filter(isOpen), read),
    (isWhole || request.archived === true ? Promise.resolve(finished) : newestFinished(repo, finished)).then(
      (entries) => mapConcurrently(entries, read),
    ),
    readPutAside(repo, options.dir, refs),
    trackingRefs(repo),
    readPlanMode(repo.gitDir),
  ])
  const found = [...open, ...recent]
  const plans = found.filter((plan): plan is ListedPlan => !('code' in plan))
  const unreadable = found.filter((plan): plan is UnreadablePlan => 'code' in plan)
  const wanted = plans.filter(
    (plan) => request.status === undefined || plan.status === request.status || plan.seen === request.status,
  )
  const newestFirst = wanted.toSorted((a, b) => byCode(b.createdAt ?? '', a.createdAt ?? '') || byCode(a.id, b.id))
  const withRemotes = await mapConcurrently(newestFirst, async (plan) => {
    const remote = await readRemoteFacts(repo, plan, { now: options.now, refs: tracking })
    return { ...plan, remote, resumable: plan.resumable && (remote?.holder ?? null) === null }
  })
  const listed = withRemotes.filter((plan) => request.resumable !== true || plan.resumable)
  return {
    kind: 'list',
    exitCode: 0,
    data: {
      plans: listed,
      unreadable,
      hidden: known.length - found.length,
      ...(isFiltered || known.length === all.size ? {} : { archived: all.size - known.length }),
      ...(isFiltered ? { isFiltered: true } : {}),
      ...(repo.isBare ? { isBare: true } : {}),
      ...(elsewhere === undefined || elsewhere.ids.length === 0 ? {} : { elsewhere }),
      ...(putAside.length === 0 ? {} : { putAside }),
      ...(planMode === 'off' ? {} : { planMode }),
    },
  }
}

type PlanRefs = readonly [PlanId, readonly Ref[]]

const tipIn = (id: PlanId, refs: readonly Ref[]): string | undefined =>
  [planBranch(id), finalRef(id)]
    .map((wanted) => refs.find(({ name }) => name === wanted)?.oid)
    .find((oid) => oid !== undefined)

async function archivedPlans(repo: Repository, all: ReadonlyMap<PlanId, readonly Ref[]>): Promise<ReadonlySet<PlanId>> {
  const tagged = [...all].filter(([id, own]) => own.some(({ name }) => name.startsWith(archiveRefs(id))))
  const found = await mapConcurrently(tagged, async ([id, own]) =>
    (await readArchived(repo, id, { refs: own, tip: tipIn(id, own) })) === undefined ? [] : [id],
  )
  return new Set(found.flat())
}

const recentlyFinished = 10

/** A plan without a branch is finished, and its final ref has the date: no plan has to be read. */
async function newestFinished(repo: Repository, finished: readonly PlanRefs[]): Promise<readonly PlanRefs[]> {
  if (finished.length <= recentlyFinished) return finished
  // More than needed: a plan that was fetched again after its end has both refs.
  const text = await repo.git.text([
    'for-each-ref',
    '--sort=-committerdate',
    '--count=100',
    '--format=%(refname)',
    'refs/plan/*/final',
  ])
  const byRef = new Map(finished.map((plan) => [finalRef(plan[0]), plan]))
  const inOrder = text.split('\n').map((name) => byRef.get(name))
  return [...new Set([...inOrder.filter((plan) => plan !== undefined), ...finished])].slice(0, recentlyFinished)
}

/** Enough requests to keep Git busy while its answers are read. */
const maxConcurrent = 200

/** Keeps the order, with a limited number of items in progress. */
async function mapConcurrently<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at]!)
  }
  await Promise.all(Array.from({ length: maxConcurrent }, worker))
  return results
}
