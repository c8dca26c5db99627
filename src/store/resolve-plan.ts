// Finds the plan that a command is about.

import { PlanError } from '../errors.ts'
import type { Ref, Repository } from '../git/repository.ts'
import { isFinal } from '../plan/model/lifecycle.ts'
import { suggest } from '../plan/text/nearest.ts'
import {
  allLocalRefs,
  allPlanRefs,
  finalRef,
  isId,
  nameOfPlan,
  planBranch,
  planId,
  planRefs,
  stashRef,
  type PlanId,
} from '../plan/model/ids.ts'
import { remoteWithPlan, plansElsewhere } from './plans-elsewhere.ts'
import { findPlanAt, planFile, tipOfPlan } from './plan-at.ts'

/** The ids of all plans that have a branch or a final tip. A branch whose name is not a valid id is not a plan. */
export const planIds = async (repo: Repository): Promise<PlanId[]> => idsIn(await repo.refs(...allPlanRefs))

/** For each plan: its branch and the refs below refs/plan/<id>/. */
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

/** The part of the ref that would be the id. No regular expression: there can be thousands of refs. */
function idAt(name: string): string {
  const start = name.indexOf('/plan/') + 6
  const end = name.indexOf('/', start)
  return end < 0 ? name.slice(start) : name.slice(start, end)
}

/** The plan's branch, otherwise its final tip. */
const tipIn = (id: PlanId, refs: readonly Ref[]): Ref | undefined =>
  refs.find(({ name }) => name === planBranch(id)) ?? refs.find(({ name }) => name === finalRef(id))

function idsIn(refs: readonly Ref[]): PlanId[] {
  const names = refs.flatMap(({ name }) => {
    const id = /^refs\/heads\/plan\/([^/]+)$/.exec(name)?.[1] ?? /^refs\/plan\/([^/]+)\/final$/.exec(name)?.[1]
    return id !== undefined && isId(id) ? [planId(id)] : []
  })
  return [...new Set(names)]
}

/** Accepts the id, `plan/<id>` or the full ref. */
export async function resolvePlanName(repo: Repository, name: string): Promise<PlanId> {
  const known = await planIds(repo)
  const id = nameOfPlan(name)
  if (isId(id) && known.includes(id as PlanId)) return id as PlanId
  const shown = JSON.stringify(name.slice(0, 80))
  // The branch was deleted by hand, and no other message says that there is something to restore.
  if (isId(id) && (await repo.refs(stashRef(id as PlanId))).length > 0)
    throw new PlanError('unknown-plan', `plan ${id} is gone, but your changes from before it are still saved`, {
      hint: `git plan doctor --restore ${id}`,
    })
  const remote = await remoteWithPlan(repo, id)
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

/** A plan with its branch, the refs below refs/plan/<id>/, and the local refs of all plans. */
export interface FoundPlan {
  readonly id: PlanId
  readonly refs: readonly Ref[]
}

/** For readers. undefined: no plan was named and the choice is ambiguous; show the list. */
export async function findPlan(
  repo: Repository,
  name: string | undefined,
  options: { dir: string | Promise<string> },
): Promise<FoundPlan | undefined> {
  if (name !== undefined)
    return (await findPlanById(repo, nameOfPlan(name))) ?? withRefs(repo, await resolvePlanName(repo, name))
  const head = (await repo.headAtOpen()) ?? ''
  const checkedOut = head.startsWith('refs/heads/plan/') ? await findPlanById(repo, nameOfPlan(head)) : undefined
  if (checkedOut !== undefined) return checkedOut
  const open = await openPlans(repo, await options.dir)
  if (open.length > 0) return open.length === 1 && open[0] !== undefined ? withRefs(repo, open[0].id) : undefined
  // A completed plan is not open, but may still be inspected or finished.
  const left = idsIn(await repo.refs('refs/heads/plan/'))
  return left.length === 1 && left[0] !== undefined ? withRefs(repo, left[0]) : undefined
}

const withRefs = async (repo: Repository, id: PlanId): Promise<FoundPlan> => ({
  id,
  refs: await repo.refs(planBranch(id), planRefs(id), allLocalRefs),
})

/** undefined: there is no such plan. Does not list the other plans. */
async function findPlanById(repo: Repository, id: string): Promise<FoundPlan | undefined> {
  if (!isId(id)) return undefined
  const plan = await withRefs(repo, planId(id))
  return idsIn(plan.refs).length > 0 ? plan : undefined
}

/** The open plans that these commands can be about. */
const suited: Readonly<Record<string, readonly string[]>> = {
  start: ['proposed', 'approved'],
  resume: ['active', 'waiting', 'failed'],
  finish: [],
}

/** Commands that write never guess the plan. The hint repeats `command`, such as `rollback`. */
export async function refuseToGuess(repo: Repository, open: readonly OpenPlan[], command: string): Promise<never> {
  const known = await planIds(repo)
  if (known.length === 0) {
    const { remote, ids } = (await plansElsewhere(repo)) ?? { remote: '', ids: [] }
    if (ids.length === 0 && command === 'fetch')
      throw new PlanError('unknown-plan', `no plan of ${remote} is known here`, {
        hint: { [`see what ${remote} has`]: `git fetch ${remote} && git plan list` },
      })
    if (ids.length === 0)
      throw new PlanError('unknown-plan', 'this repository has no plans', { hint: "git plan new 'TITLE'" })
    throw new PlanError('unknown-plan', `no plan is in this clone; ${remote} has ${ids.length}`, {
      hint: ids
        .slice(0, 10)
        .map((id) => `git plan fetch ${id}`)
        .join('\n'),
    })
  }
  const fits = ({ status }: OpenPlan): boolean => suited[command]?.includes(status) ?? true
  const listed = open
    .filter(fits)
    .slice(0, 10)
    .map(({ id }) => `git plan ${command} ${id}`)
  throw new PlanError(
    'usage',
    open.length === 0 ? 'no plan is open: name one' : `${open.length} plans are open: name one`,
    {
      hint: listed.length === 0 ? 'git plan list' : listed.join('\n'),
      facts: { isUnnamed: true },
    },
  )
}

export interface OpenPlan {
  readonly id: PlanId
  readonly status: string
  readonly title: string
}

/** Plans that are neither completed nor cancelled. An unreadable plan counts as open. */
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
