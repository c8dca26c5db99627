// Removes the work tree that a plan had for itself.

import { lstat, mkdir, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PlanError } from '../../errors.ts'
import { describePaths, onDisk, PathSet, type RawPath } from '../../git/read/raw-path.ts'
import { makeDirectoriesOf, TreeFiles } from '../../git/worktree/tree-files.ts'
import { forgetWorkTree } from '../../git/worktree/worktrees.ts'
import { WorkTree } from '../../git/worktree/work-tree.ts'
import type { Repository } from '../../git/repository.ts'
import { asideFolder, type PlanDir } from '../workspace/plan-dir.ts'
import type { Run } from '../run/run.ts'

/** Beside the directory of ignored files, never above it: it is removed with all that it contains. */
const movedTree = 'tree'

/**
 * Removes the plan's own work tree, except its ignored files, which have no other copy. Keeps one that we did not make.
 * Returns the directory with the ignored files; undefined: there are none, or the work tree is kept.
 */
export async function removeOwnTree(run: Run): Promise<string | undefined> {
  const { tree } = run.checkedOut
  const { root } = tree
  const own = (await run.dir.readJson('own-tree.json'))?.value as { root?: string } | undefined
  if (own?.root !== root || run.home.root === root) {
    run.world.emit({ kind: 'notice', message: `plan/${run.id} stays checked out in ${root}` })
    return undefined
  }
  const scan = await tree.scan()
  const dirty = [...scan.changed, ...scan.untracked, ...scan.nested]
  if (dirty.length > 0)
    throw new PlanError('dirty-tree', `the plan's work tree ${root} has changes: ${describePaths(dirty)}`, {
      hint: `git -C ${root} status`,
    })
  const aside = await run.dir.newAside('worktree')
  const moved = join(aside, movedTree)
  try {
    await rename(root, moved)
  } catch {
    run.world.emit({
      kind: 'notice',
      message: `the plan's work tree is kept at ${root}`,
      hint: `git worktree remove ${root}`,
    })
    return undefined
  }
  // If a file cannot be moved or removed, it stays there: the plan has ended all the same.
  const left = await keepIgnoredOnly(run, { moved, gitDir: tree.repo.gitDir, aside }).catch(() => aside)
  // The parent directory, if it is empty now.
  await rmdir(dirname(root)).catch(() => {})
  run.forgetWorkspace()
  await forgetOwnTree(run, root)
  return left
}

async function forgetOwnTree(run: Run, root: string): Promise<void> {
  await forgetWorkTree(run.home, root, run.dir.file('draft.worktree'))
  await run.dir.remove('own-tree.json')
}

/** After a kill in `removeOwnTree`: says where the rest of the work tree is. */
export async function reportHalfRemoved(run: Run): Promise<void> {
  const own = (await run.dir.readJson('own-tree.json'))?.value as { root?: string } | undefined
  if (own?.root === undefined || (await stat(own.root).catch(() => undefined)) !== undefined) return
  const aside = run.dir.file(asideFolder)
  for (const name of await readdir(aside).catch(() => [])) {
    const path = join(aside, name, movedTree)
    if (!name.startsWith('worktree-') || (await stat(path).catch(() => undefined)) === undefined) continue
    await forgetOwnTree(run, own.root)
    run.world.emit({
      kind: 'notice',
      message: `the removal of the plan's work tree was interrupted; what is left of it is in ${dirname(path)}`,
    })
  }
}

/**
 * Leaves only the ignored files of a work tree that was moved to `aside`, without unchanged copies of the user's own.
 * It is scanned once more, since something may have written to it until it was moved: then all of it stays. Ignored
 * files move before the rest is removed, so that a kill loses nothing. Returns the directory of what is left.
 */
export async function keepIgnoredOnly(
  { home, dir }: { readonly home: Repository; readonly dir: PlanDir },
  { moved, gitDir, aside, dispensable = new PathSet(), linked = new PathSet() }: MovedTree,
): Promise<string | undefined> {
  const kept = join(aside, 'ignored')
  const repo = home.at(moved, gitDir)
  const scan = await new WorkTree(repo, dir.path).scan().finally(() => repo.close())
  const untracked = scan.untracked.filter((path) => !linked.covers(path))
  if (scan.changed.length + untracked.length + scan.nested.length > 0) return aside
  await mkdir(kept)
  for (const path of await withoutDispensable(moved, scan.ignored, dispensable)) {
    const from = onDisk(moved, path)
    if (!path.endsWith('/') && (await hasSameBytes(from, onDisk(home.root, path)))) continue
    await makeDirectoriesOf(path.replace(/\/$/, '') as RawPath, { from: moved, to: kept })
    await rename(from, onDisk(kept, path))
  }
  await rm(moved, { recursive: true, force: true })
  if ((await readdir(kept)).length > 0) return kept
  await rm(aside, { recursive: true })
  return undefined
}

/** A directory with dispensable files is replaced by its other files. */
async function withoutDispensable(root: string, ignored: PathSet, dispensable: PathSet): Promise<RawPath[]> {
  const kept: RawPath[] = []
  for (const path of ignored) {
    const isDirectory = path.endsWith('/') && dispensable.size > 0
    const files = isDirectory ? ((await new TreeFiles(root).filesBelow(path.slice(0, -1) as RawPath)) ?? []) : [path]
    const others = files.filter((file) => !dispensable.covers(file))
    const isWhole = isDirectory && files.length > 0 && others.length === files.length
    for (const each of isWhole ? [path] : others) kept.push(each)
  }
  return kept
}

interface MovedTree {
  readonly moved: string
  readonly gitDir: string
  readonly aside: string
  /** Ignored files that can be made again. */
  readonly dispensable?: PathSet
  /** Links of ours, which a pattern for directories does not ignore. */
  readonly linked?: PathSet
}

/** True if both are regular files with the same contents. */
async function hasSameBytes(one: string | Buffer, other: string | Buffer): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => lstat(path).catch(() => undefined)))
  if (a?.isFile() !== true || b?.isFile() !== true || a.size !== b.size || a.size > 16 * 1024 * 1024) return false
  return (await readFile(one)).equals(await readFile(other))
}
