// Compares the base of a plan here with that of the remote: a merge into an outdated base could not be pushed and would
// have to be repeated.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import { workTreeOf } from '../git/worktree/worktrees.ts'
import type { Oid } from '../plan/model/ids.ts'
import { quoteIfNeeded } from '../process/shell-words.ts'
import { hasPlan } from '../store/merged.ts'
import { existingRemote } from '../store/remote-name.ts'
import type { Run } from '../engine/run/run.ts'
import { fetchBase } from './fetch-plan.ts'

/**
 * `isPushed`: fetches the base and requires that the local one contains it. Otherwise only a plan that is already
 * merged on the remote is refused.
 */
export async function refuseBehindBase(
  run: Run,
  base: { name: string; tip: Oid },
  { isPushed }: { readonly isPushed: boolean },
): Promise<void> {
  const { home: repo, id, at, planPath } = run
  const remote = await existingRemote(repo)
  if (remote === undefined) return
  if (isPushed) await fetchBase(repo, remote, base.name)
  const there = await repo.resolve(`refs/remotes/${remote}/${base.name}`)
  if (there === undefined || there === base.tip || (await repo.isAncestor(there, base.tip))) return
  const isMergedThere =
    (await hasPlan(repo, there, at.tip, planPath)) && !(await hasPlan(repo, base.tip, at.tip, planPath))
  if (!isPushed && !isMergedThere) return
  const theirs = `${remote}/${base.name}`
  const what = isMergedThere
    ? `plan ${id} is merged into ${theirs}, but not into your ${base.name}`
    : `${theirs} has commits that your ${base.name} does not have`
  throw new PlanError('branch-moved', what, {
    hint: await updateBaseCommand(repo, remote, base.name),
  })
}

/** Returns the command that updates the local base with the fetched commits of the remote's base. */
export async function updateBaseCommand(repo: Repository, remote: string, name: string): Promise<string> {
  const [here, there] = [await repo.tipOf(`refs/heads/${name}`), await repo.resolve(`refs/remotes/${remote}/${name}`)]
  const isForward = here !== undefined && there !== undefined && (await repo.isAncestor(here, there))
  const tree = await workTreeOf(repo, `refs/heads/${name}`)
  const [from, branch] = [quoteIfNeeded(remote), quoteIfNeeded(name)]
  if (tree === undefined && isForward) return `git fetch ${from} ${branch}:${branch}`
  const pull = `pull ${isForward ? '--ff-only' : '--no-rebase'} ${from} ${branch}`
  if (tree === undefined) return `git checkout ${branch} && git ${pull}`
  return tree.root === repo.root ? `git ${pull}` : `git -C ${quoteIfNeeded(tree.root)} ${pull}`
}
