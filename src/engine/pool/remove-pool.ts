// Removes the work trees of a pool. One with changes or commits of somebody else stays, and so do ignored files that
// exist nowhere else.

import { rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { forgetWorkTree } from '../../git/worktree/worktrees.ts'
import { WorkTree } from '../../git/worktree/work-tree.ts'
import type { Repository } from '../../git/repository.ts'
import type { PlanId } from '../../plan/model/ids.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import type { Emit } from '../run/events.ts'
import type { Run } from '../run/run.ts'
import { readMade } from '../run/made-here.ts'
import { keepIgnoredOnly } from '../switch/remove-own-tree.ts'
import { readIntent } from '../workspace/intent.ts'
import type { PlanDir } from '../workspace/plan-dir.ts'
import { findPoolTree, poolNumbers, readPoolTree, removeUnmade, scratchName } from './pool.ts'
import { poolDir } from './pool-worker.ts'
import { readPrepared } from './prepared.ts'

export interface PoolOwner {
  readonly id: PlanId
  readonly dir: PlanDir
  readonly home: Repository
  readonly emit: Emit
}

export const poolOwner = ({ id, dir, home, world }: Run): PoolOwner => ({ id, dir, home, emit: world.emit })

/** The roots of the work trees that were removed. Those of an interrupted run stay until it is recovered. */
export async function removePool(owner: PoolOwner): Promise<string[]> {
  const removed: string[] = []
  if (await isPoolInterrupted(owner)) return removed
  for (const number of await poolNumbers(owner)) {
    const tree = await findPoolTree(owner, number)
    const dir = poolDir(owner, number)
    const known = await readPoolTree(dir)
    if (known?.isMade === false) await removeUnmade(owner, dir, known)
    if (tree !== undefined && !(await removeTree(owner, dir, tree))) continue
    if (tree !== undefined) removed.push(tree.root)
    if (known !== undefined) await forgetWorkTree(owner.home, known.root, dir.file(scratchName))
    await rm(dir.path, { recursive: true, force: true })
  }
  await rmdir(owner.dir.file('workers')).catch(() => {})
  return removed
}

/** The work trees of a plan's pool. */
export async function poolRoots(owner: Pick<PoolOwner, 'id' | 'dir' | 'home'>): Promise<string[]> {
  const trees = await Promise.all((await poolNumbers(owner)).map((number) => findPoolTree(owner, number)))
  return trees.flatMap((tree) => (tree === undefined ? [] : [tree.root]))
}

/** True if a step of the pool was interrupted and nothing has recovered it. */
export async function isPoolInterrupted(owner: Pick<PoolOwner, 'id' | 'dir' | 'home'>): Promise<boolean> {
  for (const number of await poolNumbers(owner))
    if ((await readIntent(poolDir(owner, number))) !== undefined) return true
  return false
}

async function removeTree(
  { id, dir, home, emit }: PoolOwner,
  own: PlanDir,
  { root, gitDir }: { readonly root: string; readonly gitDir: string },
): Promise<boolean> {
  const stays = (why: string): false => {
    const hint = `once you have saved them: git worktree remove --force ${quoteIfNeeded(root)}`
    emit({ kind: 'notice', message: `the work tree ${root} was kept: ${why}`, hint })
    return false
  }
  const linked = await readPrepared(own, root)
  const repo = home.at(root, gitDir)
  try {
    const scan = await new WorkTree(repo, dir.path).scan()
    const untracked = scan.untracked.filter((path) => !linked.covers(path))
    if (scan.changed.length + untracked.length + scan.nested.length > 0) return stays('it has changes')
    // Commits of ours are on the branch of the plan, or saved as attempts.
    const head = await repo.resolve('HEAD')
    const isKept = head === undefined || readMade(home.commonDir, id).has(head) || (await isReachable(home, head))
    if (!isKept) return stays(`its commit ${head.slice(0, 12)} is on no branch`)
  } finally {
    repo.close()
  }
  const aside = await dir.newAside('worktree')
  const moved = join(aside, 'tree')
  try {
    await rename(root, moved)
  } catch {
    await rmdir(aside).catch(() => {})
    return stays('it could not be moved')
  }
  const left = await keepIgnoredOnly({ home, dir }, { moved, gitDir, aside, dispensable: linked, linked }).catch(
    () => aside,
  )
  if (left !== undefined) emit({ kind: 'notice', message: `ignored files of ${root} were moved to ${left}` })
  await rmdir(dirname(root)).catch(() => {})
  return true
}

async function isReachable(repo: Repository, commit: string): Promise<boolean> {
  const { stdout } = await repo.git.run(['for-each-ref', '--count=1', `--contains=${commit}`])
  return stdout.length > 0
}
