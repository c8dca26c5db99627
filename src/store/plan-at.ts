// Reads a plan at a commit: the only reader of plan files in Git.

import { noneIfTooLarge, PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import type { Plan } from '../plan/model/plan.ts'
import { readPlan, type ReadPlan } from '../plan/file/read-plan.ts'
import { finalRef, isId, planBranch, type Oid, type PlanId } from '../plan/model/ids.ts'

/** A plan's id and the path of its file in the repository. */
export interface PlanInTree {
  readonly id: PlanId
  readonly file: string
}

export const planFile = (dir: string, id: PlanId): string => `${dir}/${id}.md`

/** The reverse of planFile; undefined if no plan can have this path. */
export function planIdAt(dir: string, path: string): PlanId | undefined {
  const id = path.startsWith(`${dir}/`) && path.endsWith('.md') ? path.slice(dir.length + 1, -'.md'.length) : ''
  return isId(id) ? (id as PlanId) : undefined
}

/** The tip of the plan's branch, or the final commit of a finished plan. */
export async function tipOfPlan(repo: Repository, id: PlanId): Promise<{ tip: Oid; isBranch: boolean }> {
  const branch = await repo.tipOf(planBranch(id))
  if (branch !== undefined) return { tip: branch, isBranch: true }
  const final = await repo.tipOf(finalRef(id))
  if (final !== undefined) return { tip: final, isBranch: false }
  throw new PlanError('unknown-plan', `there is no plan ${id} in this repository`, { hint: 'git plan list' })
}

/** For callers to whom a missing, invalid or oversized plan file is an answer. */
export async function findPlanAt(
  repo: Repository,
  commit: string,
  { id, file }: PlanInTree,
): Promise<ReadPlan | undefined> {
  const bytes = await repo.readBlob(`${commit}:${file}`).catch(noneIfTooLarge)
  return bytes === undefined ? undefined : readPlan(bytes, { file, id })
}

export type LoadedPlan = Extract<ReadPlan, { ok: true }>

/** Throws if the plan file is missing or invalid. */
export async function loadPlanAt(repo: Repository, commit: Oid, { id, file }: PlanInTree): Promise<LoadedPlan> {
  const bytes = await repo.readBlob(`${commit}:${file}`)
  if (bytes === undefined && (await repo.resolve(commit)) === undefined)
    throw new PlanError('git-failed', `the commit ${commit} of the plan ${id} is missing`, { hint: 'git fsck' })
  if (bytes === undefined)
    throw new PlanError('invalid-plan', `plan/${id} has no plan file ${file}`, {
      hint: `git plan delete ${id} --force`,
    })
  const read = readPlan(bytes, { file, id })
  if (read.ok) return read
  throw new PlanError('invalid-plan', `${file} on plan/${id} is not a valid plan: ${read.findings[0]?.message ?? ''}`, {
    hint: `git plan edit ${id}`,
    facts: { findings: read.findings },
  })
}

export const readPlanAt = async (repo: Repository, commit: Oid, plan: PlanInTree): Promise<Plan> =>
  (await loadPlanAt(repo, commit, plan)).plan
