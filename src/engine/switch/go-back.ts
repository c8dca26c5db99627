// Ends a plan in a work tree: switches back to the user's branch and deletes the plan's branch.

import { PlanError } from '../../errors.ts'
import { describePaths } from '../../git/read/raw-path.ts'
import { listWorkTrees, workTreeOf } from '../../git/worktree/worktrees.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { requireClean } from '../rollback/rollback.ts'
import { poolOwner, removePool } from '../pool/remove-pool.ts'
import { stashOf } from './autostash.ts'
import { readOrigin, returnTarget, treeName } from './origin.ts'
import { leave } from './enter-and-leave.ts'
import { removeOwnTree, reportHalfRemoved } from './remove-own-tree.ts'
import type { Run } from '../run/run.ts'

/**
 * Before anything is merged: refuses changes in the plan's work tree that the way back would overwrite. Others stay, as
 * with `git switch`. `moved`: a branch that moves before the way back.
 */
export async function requireWayBack(run: Run, moved?: { readonly ref: string; readonly to: Oid }): Promise<void> {
  if (run.tree === undefined) return
  const { tree } = run
  const gitOption = tree.root === run.home.root ? '' : ` -C ${quoteIfNeeded(tree.root)}`
  const hint = `git${gitOption} stash --include-untracked`
  const origin = await readOrigin(run)
  // The autostash is restored there, and the plan's own work tree is removed: both need a clean one.
  if (origin?.tree !== treeName(tree.repo) || (await stashOf(run)) !== undefined) return requireClean(run, { hint })
  const target = await returnTarget(run, origin)
  const to = target === moved?.ref ? moved.to : await run.repo.resolve(target)
  if (to === undefined) return requireClean(run, { hint })
  const inTheWay = await tree.filesInTheWay(run.at.tip, to)
  const touched = new Set([...(await tree.changesBetween(run.at.tip, to)).map(({ path }) => path), ...inTheWay])
  await requireClean(run, { hint, mayStay: (path) => !touched.has(path) })
  if (inTheWay.length > 0)
    throw new PlanError('dirty-tree', `files in ${tree.root} are in the way: ${describePaths(inTheWay)}`, { hint })
}

/** Switches back to the user's branch, or moves the plan's own work tree away. */
export async function goBack(run: Run): Promise<string> {
  await removePool(poolOwner(run))
  await reportHalfRemoved(run)
  const origin = await readOrigin(run)
  if (run.tree === undefined) {
    // The user switched away by hand: the autostash is still restored in the work tree it came from.
    const home =
      origin === undefined
        ? undefined
        : (await listWorkTrees(run.repo)).find(
            ({ gitDir }) => treeName({ gitDir, commonDir: run.repo.commonDir }) === origin.tree,
          )
    if (home === undefined) {
      const isLeft = (await stashOf(run)) !== undefined
      if (isLeft)
        run.world.emit({
          kind: 'notice',
          message: `your changes from before ${run.id} were not restored: their work tree is gone`,
          hint: `git plan doctor --restore ${run.id}`,
        })
      return ''
    }
    run.useWorkspace(home.root, home.gitDir)
    await leave(run)
    return ''
  }
  if (origin !== undefined && origin.tree === treeName(run.tree.repo)) {
    return `; ${await leave(run)}`
  }
  const { root } = run.tree
  const left = await removeOwnTree(run)
  if (run.tree !== undefined) return ''
  return `; its work tree ${root} was removed${left === undefined ? '' : `, and its ignored files moved to ${left}`}`
}

export async function dropBranch(run: Run, tip: Oid): Promise<void> {
  const elsewhere = await workTreeOf(run.repo, run.branch)
  if (elsewhere !== undefined) {
    run.world.emit({
      kind: 'notice',
      message: `plan/${run.id} is still checked out in ${elsewhere.root}, so the branch is kept`,
      hint: `git -C ${quoteIfNeeded(elsewhere.root)} switch --detach && git branch -D plan/${run.id}`,
    })
    return
  }
  await run.moveRefsWithIntent(() => run.repo.moveRefs([{ ref: run.branch, from: tip, to: undefined }]))
}
