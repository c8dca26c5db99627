// Which plan is meant.

import { PlanError } from '../errors.ts'
import type { Ref, Repository } from '../git/repository.ts'
import { isFinal } from '../plan/model/lifecycle.ts'
import { suggest } from '../plan/text/nearest.ts'
import {
  allLocalRefs,
  finalRef,
  isId,
  nameOfPlan,
  planBranch,
  planId,
  planRefs,
  stashRef,
  type PlanId,
} from '../plan/model/ids.ts'
import { hasElsewhere, plansElsewhere } from './plans-elsewhere.ts'
import { findPlanAt, planFile, tipOfPlan } from './plan-at.ts'

/** The ids of all plans that have a branch, or a final tip; branches whose name is no id are not plans. */
export const planIds = async (repo: Repository): Promise<PlanId[]> => idsIn(await repo.refs(...allPlanRefs))

/** Where the branches and records of plans are. */
export const allPlanRefs = ['refs/heads/plan/', 'refs/plan/'] as const

/** Of each plan: its branch, and what is below refs/plan/<id>/. */
export function refsByPlan(refs: readonly Ref[]): ReadonlyMap<PlanId, readonly Ref[]> {
  const byPlan = new Map<string, Ref[]>()
  for (const ref of refs) {
    const id = idAt(ref.name)
    const known = byPlan.get(id)
    if (known !== undefined) known.push(ref)
    else byPlan.set(id, [ref])
  }
  for (const [id, own] of byPlan) if (!isId(id) || tipIn(id as PlanId, own) === undefined) byPlan.delete(id)
  return byPlan as Map<PlanId, Ref[]>
}

/** What stands where the id would be. There can be thousands: no expression. */
function idAt(name: string): string {
  const start = name.indexOf('/plan/') + 6
  const end = name.indexOf('/', start)
  return end < 0 ? name.slice(start) : name.slice(start, end)
}

/** Its branch, or else its final tip. */
const tipIn = (id: PlanId, refs: readonly Ref[]): Ref | undefined =>
  refs.find(({ name }) => name === planBranch(id)) ?? refs.find(({ name }) => name === finalRef(id))

function idsIn(refs: readonly Ref[]): PlanId[] {
  const names = refs.flatMap(({ name }) => {
    const id = /^refs\/heads\/plan\/([^/]+)$/.exec(name)?.[1] ?? /^refs\/plan\/([^/]+)\/final$/.exec(name)?.[1]
    return id !== undefined && isId(id) ? [planId(id)] : []
  })
  return [...new Set(names)]
}

/** A given name: the id, `plan/<id>` or the full ref. */
export async function planNamed(repo: Repository, name: string): Promise<PlanId> {
  const known = await planIds(repo)
  const id = nameOfPlan(name)
  if (isId(id) && known.includes(id as PlanId)) return id as PlanId
  const shown = JSON.stringify(name.slice(0, 80))
  // Its branch was deleted by hand, and nothing else says that there is something to restore.
  if (isId(id) && (await repo.refs(stashRef(id as PlanId))).length > 0)
    throw new PlanError('unknown-plan', `plan ${id} is gone, but your changes from before it are still saved`, {
      hint: `git plan doctor --restore ${id}`,
    })
  const remote = await hasElsewhere(repo, id)
  if (remote !== undefined)
    throw new PlanError('unknown-plan', `plan ${shown} is not in this clone; ${remote} should have it`, {
      hint: `git plan fetch ${id}`,
    })
  if (known.length === 0)
    throw new PlanError('unknown-plan', `there is no plan ${shown}: this repository has none`, {
      hint: "git plan new 'TITLE'",
    })
  throw new PlanError('unknown-plan', `there is no plan ${shown}`, {
    hint: `${suggest(id.slice(0, 80), known)}\ngit plan list`,
  })
}

/** A plan, with its branch, the refs below refs/plan/<id>/, and those that stay in this clone, of all plans. */
export interface FoundPlan {
  readonly id: PlanId
  readonly refs: readonly Ref[]
}

/** For readers: undefined where nothing was named and nothing is plain; show the list then. */
export async function findPlan(
  repo: Repository,
  name: string | undefined,
  options: { dir: string | Promise<string> },
): Promise<FoundPlan | undefined> {
  if (name !== undefined) return (await planCalled(repo, nameOfPlan(name))) ?? found(repo, await planNamed(repo, name))
  const head = (await repo.headAtOpen()) ?? ''
  const checkedOut = head.startsWith('refs/heads/plan/') ? await planCalled(repo, nameOfPlan(head)) : undefined
  if (checkedOut !== undefined) return checkedOut
  const open = await openPlans(repo, await options.dir)
  if (open.length > 0) return open.length === 1 && open[0] !== undefined ? found(repo, open[0].id) : undefined
  // A completed plan is not open, but may still want to be looked at and finished.
  const left = idsIn(await repo.refs('refs/heads/plan/'))
  return left.length === 1 && left[0] !== undefined ? found(repo, left[0]) : undefined
}

const found = async (repo: Repository, id: PlanId): Promise<FoundPlan> => ({
  id,
  refs: await repo.refs(planBranch(id), planRefs(id), allLocalRefs),
})

/** Where there is one of that id: what other plans there are is no matter. */
async function planCalled(repo: Repository, id: string): Promise<FoundPlan | undefined> {
  if (!isId(id)) return undefined
  const plan = await found(repo, planId(id))
  return idsIn(plan.refs).length > 0 ? plan : undefined
}

/** Writers do not guess. `command` is what the hint repeats, such as `rollback`. */
export async function refuseToGuess(repo: Repository, open: readonly OpenPlan[], command: string): Promise<never> {
  const known = await planIds(repo)
  if (known.length === 0) {
    const { remote, ids } = (await plansElsewhere(repo)) ?? { remote: '', ids: [] }
    if (ids.length === 0)
      throw new PlanError('unknown-plan', 'this repository has no plans', { hint: "git plan new 'TITLE'" })
    throw new PlanError('unknown-plan', `no plan is in this clone; ${remote} has ${ids.length}`, {
      hint: ids
        .slice(0, 10)
        .map((id) => `git plan fetch ${id}`)
        .join('\n'),
    })
  }
  const listed = (open.length === 0 ? known : open.map(({ id }) => id))
    .slice(0, 10)
    .map((id) => `git plan ${command} ${id}`)
  throw new PlanError(
    'usage',
    open.length === 0 ? 'no plan is open: name one' : `${open.length} plans are open: name one`,
    {
      hint: listed.join('\n'),
    },
  )
}

export interface OpenPlan {
  readonly id: PlanId
  readonly status: string
  readonly title: string
}

/** Not completed, not cancelled. One that cannot be read counts: it is not over. */
export async function openPlans(repo: Repository, dir: string): Promise<OpenPlan[]> {
  const open: OpenPlan[] = []
  for (const id of await planIds(repo)) {
    const { tip, isBranch } = await tipOfPlan(repo, id)
    if (!isBranch) continue
    const parsed = await findPlanAt(repo, tip, { id, file: planFile(dir, id) })
    if (!parsed?.ok) open.push({ id, status: 'unreadable', title: id })
    else if (!isFinal(parsed.plan.status)) open.push({ id, status: parsed.plan.status, title: parsed.plan.title })
  }
  return open
}
