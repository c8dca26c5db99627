// Ends a plan in a work tree: switches back to the user's branch and deletes the plan's branch.

import { quoteIfNeeded } from '../../process/shell-words.ts'
import { listWorkTrees, workTreeOf } from '../../git/worktree/worktrees.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { stashOf } from './autostash.ts'
import { readOrigin, treeName } from './origin.ts'
import { leave, removeOwnTree } from './enter-and-leave.ts'
import type { Run } from '../run/run.ts'

/** Switches back to the user's branch, or moves the plan's own work tree away. */
export async function goBack(run: Run): Promise<string> {
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
  await removeOwnTree(run)
  return run.tree === undefined ? `; its work tree ${root} was moved to ${run.dir.file('aside')}` : ''
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
