// Changes that `--autostash` saved and nothing has restored yet, even if the plan's branch is gone. Read-only.

import { shown } from '../git/read/raw-path.ts'
import type { Ref, Repository } from '../git/repository.ts'
import { stashedPaths } from '../git/worktree/stashed-paths.ts'
import { workTreeOf } from '../git/worktree/worktrees.ts'
import { allLocalRefs, finalRef, isId, planBranch, stashRef, type PlanId } from '../plan/model/ids.ts'
import { planFile, readPlanAt } from './plan-at.ts'

export interface PutAside {
  readonly plan: PlanId
  /** Names a commit like those of `git stash`, but with the unfiltered bytes of the files. */
  readonly ref: string
  readonly count: number
  /** The first ten paths. */
  readonly files: readonly string[]
  /** The plan's branch is gone, so no command about the plan would mention the stash. */
  readonly isOrphaned: boolean
  /** The command that restores the changes. */
  readonly restore: string
}

/** `refs`: the local refs, if the caller has them already; other refs are ignored. */
export async function readPutAside(repo: Repository, dir: string, refs?: readonly Ref[]): Promise<PutAside[]> {
  const found: PutAside[] = []
  for (const { name, oid } of (refs ?? (await repo.refs(allLocalRefs))).filter((ref) =>
    ref.name.startsWith(allLocalRefs),
  )) {
    const id = name.split('/')[2] as PlanId
    if (!isId(id) || name !== stashRef(id)) continue
    const tip = await repo.tipOf(planBranch(id))
    // A damaged stash is reported too.
    const paths = (await stashedPaths(repo, oid).catch(() => [])).map(shown)
    // The plan file that `start` was given is tracked on the branch, so there is nothing to restore.
    const files = tip === undefined ? paths : paths.filter((path) => path !== planFile(dir, id))
    if (files.length === 0 && paths.length > 0) continue
    const isHere = tip !== undefined && (await workTreeOf(repo, planBranch(id), repo.headAtOpen())) !== undefined
    const restore = isHere ? await endingCommand(repo, id, { tip, dir }) : `git plan doctor --restore ${id}`
    found.push({
      plan: id,
      ref: name,
      count: files.length,
      files: files.slice(0, 10),
      isOrphaned: tip === undefined,
      restore,
    })
  }
  return found
}

/** The command that ends the plan and restores the stash with it. */
async function endingCommand(
  repo: Repository,
  id: PlanId,
  { tip, dir }: { tip: Parameters<typeof readPlanAt>[1]; dir: string },
): Promise<string> {
  const plan = await readPlanAt(repo, tip, { id, file: planFile(dir, id) }).catch(() => undefined)
  if (plan?.status === 'completed') return `git plan finish ${id}`
  return (await repo.tipOf(finalRef(id))) === undefined ? `git plan cancel ${id}` : `git plan fetch ${id} --take theirs`
}
