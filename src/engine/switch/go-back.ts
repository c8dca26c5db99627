// The end of a plan's stay in a work tree: back to the user's branch, and the plan's branch removed.

import { listWorkTrees, workTreeOf } from '../../git/worktree/worktrees.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { stashOf } from './autostash.ts'
import { readOrigin, treeName } from './origin.ts'
import { leave, removeOwnTree } from './enter-and-leave.ts'
import type { Run } from '../run/run.ts'

/** Back to the user's branch, or the plan's own work tree put away. */
export async function goBack(session: Run): Promise<string> {
  const origin = await readOrigin(session)
  if (session.tree === undefined) {
    // The user switched away by hand: what was put aside for them still goes back, where it was taken from.
    const place =
      origin === undefined
        ? undefined
        : (await listWorkTrees(session.repo)).find(({ gitDir }) => treeName({ gitDir, commonDir: session.repo.commonDir }) === origin.tree)
    if (place === undefined) {
      const isLeft = (await stashOf(session)) !== undefined
      if (isLeft)
        session.world.emit({
          kind: 'notice',
          message: `your changes from before ${session.id} were not restored: their work tree is gone`,
          hint: `git plan doctor --restore ${session.id}`,
        })
      return ''
    }
    session.useWorkspace(place.root, place.gitDir)
    await leave(session)
    return ''
  }
  if (origin !== undefined && origin.tree === treeName(session.tree.repo)) {
    return `; ${await leave(session)}`
  }
  const { root } = session.tree
  await removeOwnTree(session)
  return session.tree === undefined ? `; its work tree ${root} was moved to ${session.dir.file('aside')}` : ''
}

export async function dropBranch(session: Run, tip: Oid): Promise<void> {
  const elsewhere = await workTreeOf(session.repo, session.branch)
  if (elsewhere !== undefined) {
    session.world.emit({
      kind: 'notice',
      message: `plan/${session.id} is still checked out in ${elsewhere.root}, so the branch is kept`,
      hint: `git plan delete ${session.id}`,
    })
    return
  }
  await session.movingRefs(() => session.repo.moveRefs([{ ref: session.branch, from: tip, to: undefined }]))
}
