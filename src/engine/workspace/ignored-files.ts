// Gives a new work tree ignored files of the user's: copies of those that `.worktreeinclude` lists (patterns as in
// .gitignore), and links to the directories that `.worktreelinks` lists (a path or glob per line).

import { lstat, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { copyEntry } from '../../git/write/durable-fs.ts'
import { NoFollowStat } from '../../git/worktree/no-follow-stat.ts'
import { onDisk, rawPath, shown, splitRaw, type RawPath } from '../../git/read/raw-path.ts'
import type { Repository } from '../../git/repository.ts'
import { makeDirectoriesOf, TreeFiles } from '../../git/worktree/tree-files.ts'
import { WorkTree } from '../../git/worktree/work-tree.ts'
import { globMatcher } from '../../plan/text/glob.ts'
import type { Workspace } from './workspace.ts'

/** Where the file system can share their blocks, copies take no space until they are changed. */
export async function copyIgnored(source: Repository, { tree: { root: to }, dir }: Workspace): Promise<void> {
  const list = join(source.root, '.worktreeinclude')
  if (source.root === to || (await stat(list).catch(() => undefined)) === undefined) return
  const { ignored } = await new WorkTree(source, dir.path).scan()
  const { stdout } = await source.git.run(['ls-files', '-o', '-i', '-z', `--exclude-from=${list}`])
  const listed = splitRaw(stdout).filter((path) => ignored.covers(path))
  for (const path of await filesOf(source.root, listed)) {
    // Files of the branch stay, and nothing is written through one of its symlinks.
    if ((await new NoFollowStat(to).stat(path)).kind !== 'absent') continue
    await makeDirectoriesOf(path, { from: source.root, to })
    await copyEntry(onDisk(source.root, path), onDisk(to, path))
  }
}

/** A link is not ignored by a pattern for directories, such as `node_modules/`: it is preserved by name. */
export async function linkIgnored(source: Repository, { tree, dir, preserved }: Workspace): Promise<void> {
  const text = await readFile(join(source.root, '.worktreelinks'), 'utf8').catch(() => '')
  const globs = text.split('\n').map((line) => line.trim().replace(/\/$/, ''))
  const listed = globs.filter((line) => line !== '' && !line.startsWith('#'))
  if (source.root === tree.root || listed.length === 0) return
  const { ignored } = await new WorkTree(source, dir.path).scan()
  const isListed = globMatcher(listed, { steps: 200e6 })
  const directories = [...ignored].filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1) as RawPath)
  const below = listed.map(rawPath).filter((path) => ignored.covers(path))
  for (const path of new Set([...directories.filter((path) => isListed(shown(path))), ...below])) {
    if ((await lstat(onDisk(source.root, path)).catch(() => undefined))?.isDirectory() !== true) continue
    if ((await new NoFollowStat(tree.root).stat(path)).kind !== 'absent') continue
    await makeDirectoriesOf(path, { from: source.root, to: tree.root })
    await symlink(onDisk(source.root, path), onDisk(tree.root, path))
    preserved.add(path)
  }
}

/** Ignored files and directories of a work tree that another one does not have. */
export async function missingIgnored({ tree, preserved }: Workspace, other: Workspace): Promise<RawPath[]> {
  const missing: RawPath[] = []
  for (const path of preserved) {
    const name = path.replace(/\/$/, '') as RawPath
    if ((await lstat(onDisk(tree.root, name)).catch(() => undefined)) === undefined) continue
    if ((await lstat(onDisk(other.tree.root, name)).catch(() => undefined)) === undefined) missing.push(path)
  }
  return missing
}

/** Includes the files of nested repositories, which Git lists as directories. */
async function filesOf(root: string, paths: readonly RawPath[]): Promise<RawPath[]> {
  const files = new TreeFiles(root)
  const all = paths.map(async (path) =>
    path.endsWith('/') ? ((await files.filesBelow(path.slice(0, -1) as RawPath)) ?? []) : [path],
  )
  return (await Promise.all(all)).flat()
}
