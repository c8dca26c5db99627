// Half a checkout, after a kill in the middle of one: what it brought goes, and nothing else does.

import { describePaths, type RawPath } from '../../git/read/raw-path.ts'
import { storeInGitStash } from '../../git/worktree/git-stash.ts'
import { blobIdAt, hasBytes, saveStash, stagedFiles, submodulesIn } from '../../git/worktree/stash.ts'
import type { WorkTree } from '../../git/worktree/work-tree.ts'
import type { Oid } from '../../plan/model/ids.ts'
import type { Run } from '../run/run.ts'

/**
 * Half a checkout may lie over HEAD's files: it goes. What is neither in `saved` nor in the target is somebody's: what
 * is changed or staged becomes a stash of git's, what is untracked is moved aside; both are told.
 */
export async function undoPartialCheckout(
  run: Run,
  place: WorkTree,
  options: { target: Oid; saved: Oid | undefined; sparing: readonly RawPath[] },
): Promise<void> {
  const head = await place.repo.headCommit()
  const all = await place.scan()
  // No switch of ours moves a submodule.
  const submodules = await submodulesIn(place, all)
  const scan = { ...all, changed: all.changed.filter((path) => !submodules.includes(path)) }
  const known = [options.target, ...(options.saved === undefined ? [] : [options.saved])]
  const unknown = await strangersAmong(place, scan.changed, { head, known })
  if (unknown.length > 0) {
    const found = `git plan: found after an interrupted switch of ${run.id}`
    const { oid, kept } = await run.keepingObjects(async () => {
      const stash = await saveStash(place, { ...scan, untracked: [], nested: [] }, found)
      return storeInGitStash(place, stash, { message: found, newDirectory: () => run.dir.newAside('stash') })
    })
    const odd =
      kept === undefined
        ? ''
        : `; ${describePaths(kept.paths)} cannot be restored byte for byte from the stash, so the original is in ${kept.directory}`
    run.world.emit({
      kind: 'notice',
      message: `${place.root} was between two commits; its differing files are in the stash: ${describePaths(unknown)}${odd}`,
      hint: `git stash show -p ${oid.slice(0, 12)}`,
    })
  }
  if (scan.changed.length > 0) await place.resetTo(head)
  const brought = new Set(
    (await place.changesBetween(head, options.target)).filter(({ status }) => status === 'A').map(({ path }) => path),
  )
  // What was in the index too is gone by now, or git could not remove it, which it only mentions.
  const loose = await place.existingPaths(
    [...scan.untracked, ...scan.changed].filter((path) => brought.has(path) && !options.sparing.includes(path)),
  )
  if (loose.length === 0) return
  const aside = await run.dir.newAside('switch')
  const theirs: RawPath[] = []
  for (const path of loose) if (!(await isIn(place, known, path))) theirs.push(path)
  await place.moveAside(loose, aside)
  if (theirs.length > 0)
    run.world.emit({
      kind: 'notice',
      message: `files in the way of the checkout were moved to ${aside}: ${describePaths(theirs)}`,
    })
}

/** Paths of which the work tree or the index holds something that no side of the switch has. */
async function strangersAmong(
  place: WorkTree,
  paths: readonly RawPath[],
  sides: { head: Oid; known: readonly Oid[] },
): Promise<RawPath[]> {
  if (paths.length === 0) return []
  const [, saved] = sides.known
  const stagedThen = saved === undefined ? undefined : await place.repo.resolve(`${saved}^2`)
  const inIndex = [sides.head, ...sides.known, ...(stagedThen === undefined ? [] : [stagedThen])]
  const staged = await stagedFiles(place)
  const found: RawPath[] = []
  for (const path of paths) {
    const ids = await Promise.all(inIndex.map((commit) => blobIdAt(place, commit, path)))
    const isKnown =
      ids.includes(staged.get(path)?.oid) &&
      ((await isIn(place, sides.known, path)) || (await hasBytes(place, sides.head, path)))
    if (!isKnown) found.push(path)
  }
  return found
}

async function isIn(place: WorkTree, commits: readonly Oid[], path: RawPath): Promise<boolean> {
  for (const commit of commits) if (await hasBytes(place, commit, path)) return true
  return false
}
