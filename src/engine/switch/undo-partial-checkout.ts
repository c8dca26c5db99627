// Undoes a checkout that a kill interrupted, and only that.

import { describePaths, type RawPath } from '../../git/read/raw-path.ts'
import { storeInGitStash } from '../../git/worktree/git-stash.ts'
import { blobIdAt, hasBytes, saveStash, stagedFiles, submodulesIn } from '../../git/worktree/stash.ts'
import type { WorkTree } from '../../git/worktree/work-tree.ts'
import type { Oid } from '../../plan/model/ids.ts'
import type { Run } from '../run/run.ts'

/**
 * Removes the files of a partial checkout over HEAD. Files that are neither in `saved` nor in the target are
 * the user's: changed or staged ones go to Git's stash, untracked ones are moved aside, and a notice reports both.
 * `sparesOthers`: the checkout began with changes of the user's, in files that are the same in both commits. They stay.
 */
export async function undoPartialCheckout(
  run: Run,
  tree: WorkTree,
  options: { target: Oid; saved: Oid | undefined; sparing: readonly RawPath[]; sparesOthers?: boolean },
): Promise<void> {
  const head = await tree.repo.headCommit()
  const all = await tree.scan()
  const changes = await tree.changesBetween(head, options.target)
  const written = new Set(changes.map(({ path }) => path))
  // Our checkouts never move a submodule.
  const spared = new Set(await submodulesIn(tree, all))
  if (options.sparesOthers === true) for (const path of all.changed) if (!written.has(path)) spared.add(path)
  const scan = { ...all, changed: all.changed.filter((path) => !spared.has(path)) }
  const known = [options.target, ...(options.saved === undefined ? [] : [options.saved])]
  const unknown = await unknownVersions(tree, scan.changed, { head, known })
  if (unknown.length > 0) {
    const found = `git plan: found after an interrupted switch of ${run.id}`
    const { oid, kept } = await run.withKeptObjects(async () => {
      const stash = await saveStash(tree, { ...scan, untracked: [], nested: [] }, found)
      return storeInGitStash(tree, stash, { message: found, newDirectory: () => run.dir.newAside('stash') })
    })
    const odd =
      kept === undefined
        ? ''
        : `; ${describePaths(kept.paths)} cannot be restored byte for byte from the stash, so the original is in ${kept.directory}`
    run.world.emit({
      kind: 'notice',
      message: `${tree.root} was between two commits; its differing files are in the stash: ${describePaths(unknown)}${odd}`,
      hint: `git stash show -p ${oid.slice(0, 12)}`,
    })
  }
  if (scan.changed.length > 0)
    await (options.sparesOthers === true ? tree.resetPaths(head, scan.changed) : tree.resetTo(head))
  const brought = new Set(changes.filter(({ status }) => status === 'A').map(({ path }) => path))
  // The reset has removed those that were in the index, unless Git could not, which it only warns about.
  const loose = await tree.existingPaths(
    [...scan.untracked, ...scan.changed].filter((path) => brought.has(path) && !options.sparing.includes(path)),
  )
  if (loose.length === 0) return
  const aside = await run.dir.newAside('switch')
  const theirs: RawPath[] = []
  for (const path of loose) if (!(await isInAny(tree, known, path))) theirs.push(path)
  await tree.moveAside(loose, aside)
  if (theirs.length > 0)
    run.world.emit({
      kind: 'notice',
      message: `files in the way of the checkout were moved to ${aside}: ${describePaths(theirs)}`,
    })
}

/** Paths whose version in the work tree or the index is on neither side of the switch. */
async function unknownVersions(
  tree: WorkTree,
  paths: readonly RawPath[],
  sides: { head: Oid; known: readonly Oid[] },
): Promise<RawPath[]> {
  if (paths.length === 0) return []
  const [, saved] = sides.known
  const stagedThen = saved === undefined ? undefined : await tree.repo.resolve(`${saved}^2`)
  const inIndex = [sides.head, ...sides.known, ...(stagedThen === undefined ? [] : [stagedThen])]
  const staged = await stagedFiles(tree)
  const found: RawPath[] = []
  for (const path of paths) {
    const ids = await Promise.all(inIndex.map((commit) => blobIdAt(tree, commit, path)))
    const isKnown =
      ids.includes(staged.get(path)?.oid) &&
      ((await isInAny(tree, sides.known, path)) || (await hasBytes(tree, sides.head, path)))
    if (!isKnown) found.push(path)
  }
  return found
}

async function isInAny(tree: WorkTree, commits: readonly Oid[], path: RawPath): Promise<boolean> {
  for (const commit of commits) if (await hasBytes(tree, commit, path)) return true
  return false
}
