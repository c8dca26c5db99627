// Stashes and restores the user's changes, byte for byte. The commit has the shape of `git stash --include-untracked`,
// but its blobs are unfiltered, so `git stash` must never see it: if we cannot restore it ourselves, git-stash.ts
// converts it for Git.

import type { Stats } from 'node:fs'
import { chmod, lstat, readdir, readlink, rmdir, symlink, unlink } from 'node:fs/promises'
import { PlanError } from '../../errors.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { blobIdOf, writeBlob } from '../read/blob-file.ts'
import { NoFollowStat } from './no-follow-stat.ts'
import { ObjectWriter } from '../write/objects.ts'
import { readStash } from './read-stash.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { describePaths, onDisk, rawList, shown, splitRaw, type RawPath } from '../read/raw-path.ts'
import { moveFile } from '../write/durable-fs.ts'
import { makeDirectoriesOf } from './tree-files.ts'
import type { TreeEdits, TreeFile } from '../read/tree-text.ts'
import type { Scan, WorkTree } from './work-tree.ts'

/** Saves the changes in the scan without touching the work tree. */
export async function saveStash(tree: WorkTree, scan: Scan, message: string): Promise<Oid> {
  if (scan.unmerged.length > 0)
    throw new PlanError('dirty-tree', `there are unmerged paths: ${describePaths(scan.unmerged)}`, {
      hint: 'finish or abort the merge first',
    })
  if (scan.nested.length > 0) throw cannotStoreError(scan.nested)
  const refused = scan.untracked.filter(isRefusedName)
  if (refused.length > 0) throw cannotStoreError(refused)
  await refuseSubmodules(tree, scan)
  // Ignored files in the place of tracked ones: neither the stash nor the restored tree has room for them.
  const known = new Set([...scan.changed, ...scan.untracked])
  const displaced = [...(await tree.existingPaths(scan.changed)), ...(await tree.filesInsteadOf(scan.changed))].filter(
    (path) => !known.has(path),
  )
  const hidden = displaced.filter((path) => scan.ignored.covers(path))
  if (hidden.length > 0) {
    throw new PlanError('cannot-save', `ignored files are in the place of tracked ones: ${describePaths(hidden)}`, {
      hint: 'move them away, or commit the replacement',
    })
  }
  const objects = new ObjectWriter(tree.repo)
  const head = await tree.repo.headCommit()
  const { staged: stagedTree, changed } = await trackedTrees(tree, objects, scan, head)
  const staged = await objects.commit({
    tree: stagedTree,
    parents: [head],
    message: `index of ${message}\n`,
    isUnsigned: true,
  })
  const parents = [head, staged]
  if (scan.untracked.length > 0) {
    const files = await objects.treeWithAll(
      await objects.emptyTree(),
      await rawEdits(tree, objects, scan.untracked, { isUntracked: true }),
    )
    parents.push(
      await objects.commit({ tree: files, parents: [], message: `untracked files of ${message}\n`, isUnsigned: true }),
    )
  }
  // Unsigned, as in Git: no passphrase prompt between reading a file and removing it.
  const stash = await objects.commit({ tree: changed, parents, message: `${message}\n`, isUnsigned: true })
  await objects.flush()
  return stash
}

async function trackedTrees(
  tree: WorkTree,
  objects: ObjectWriter,
  scan: Scan,
  head: Oid,
): Promise<{ staged: Oid; changed: Oid }> {
  const atHead = await tree.repo.resolve(head, 'tree')
  if (scan.changed.length === 0 && atHead !== undefined) return { staged: atHead, changed: atHead }
  const indexCopy = await tree.copyIndex()
  const staged = await tree.writeTree(indexCopy)
  await tree.putInto(indexCopy, await rawEdits(tree, objects, scan.changed, { isUntracked: false }))
  await objects.writeOut()
  const changed = await tree.writeTree(indexCopy)
  await unlink(indexCopy)
  return { staged, changed }
}

/** Removes the stashed changes from the work tree, which then matches HEAD. */
export async function clearStashed(tree: WorkTree, scan: Scan, aside: string): Promise<void> {
  // Untracked first: a kill after this leaves changed files that a second run sees and the stash still has.
  await tree.moveAside(await tree.existingPaths(scan.untracked), aside)
  if (scan.changed.length > 0) await tree.resetTo(await tree.repo.headCommit())
}

/** Returns the paths that prevent a restore; empty: everything was restored. */
export async function restoreStash(
  tree: WorkTree,
  stash: Oid,
  options: { ignoring?: readonly RawPath[]; aside?: string | undefined } = {},
): Promise<RawPath[]> {
  const { ignoring = [], aside } = options
  const parts = await readStash(tree.repo, stash)
  if (parts === undefined) throw new Error(`${stash} is not a stash`)
  const { base, staged, untracked } = parts
  const head = await tree.repo.headCommit()
  const objects = new ObjectWriter(tree.repo)
  const nothing = await objects.emptyTree()
  const work = await tree.changesBetween(base, stash)
  const index = await tree.changesBetween(base, staged)
  const files =
    untracked === undefined
      ? []
      : (await tree.changesBetween(nothing, untracked)).filter(({ path }) => !ignoring.includes(path))

  const moved = new Set((await tree.changesBetween(base, head)).map(({ path }) => path))
  const inTheWay: RawPath[] = [...work, ...index].map(({ path }) => path).filter((path) => moved.has(path))
  // A file edited since is newer than the stash, unless an interrupted restore wrote it.
  const edited = new Set((await tree.scan()).changed)
  for (const { path } of work) if (edited.has(path) && !(await hasBytes(tree, stash, path))) inTheWay.push(path)
  // The same for files staged since.
  const [now, then, wanted] = [await stagedFiles(tree), await filesOf(tree, head), await filesOf(tree, staged)]
  for (const { path } of index)
    if (![then, wanted].some((files) => isSameFile(now.get(path), files.get(path)))) inTheWay.push(path)
  // Files that the stash deletes make room: the user may have replaced a file by a directory, or the reverse.
  const leaving = new Set(work.filter(({ status }) => status === 'D').map(({ path }) => path))
  for (const path of await tree.existingPaths(files.map((file) => file.path))) {
    const isRoom = leaving.has(path) || (await tree.filesBelow(path))?.every((file) => leaving.has(file))
    if (isRoom !== true && !(await hasBytes(tree, untracked, path))) inTheWay.push(path)
  }
  // New files that Git already knew: a file at that path now, perhaps ignored, was made since and stays.
  const added = work.filter(({ status }) => status === 'A').map(({ path }) => path)
  for (const path of await tree.existingPaths(added))
    if (!leaving.has(path) && !(await hasBytes(tree, stash, path))) inTheWay.push(path)
  if (inTheWay.length > 0) return [...new Set(inTheWay)]

  // For a removed submodule, the reset has made an empty directory again.
  for (const path of leaving)
    await unlink(onDisk(tree.root, path)).catch(() => rmdir(onDisk(tree.root, path)).catch(() => {}))
  for (const { path, status } of work) if (status !== 'D') await restoreFile(tree, stash, path)
  for (const { path } of files) await restoreFile(tree, untracked ?? nothing, path, aside)
  if (index.length > 0) {
    const lines = await indexLines(
      tree,
      staged,
      index.map(({ path }) => path),
    )
    await tree.editIndex(async (next) => {
      await tree.repo.git.run(['update-index', '-z', '--index-info'], {
        index: next,
        input: Buffer.from(lines, 'latin1'),
      })
    })
  }
  // Tracked but not in the tree of the index: added with `git add --intent-to-add`.
  const staging = new Set(index.map(({ path }) => path))
  const announced = added.filter((path) => !staging.has(path))
  if (announced.length > 0)
    await tree.repo.git.run(['add', '-f', '-N', '--pathspec-from-file=-', '--pathspec-file-nul'], {
      input: rawList(announced),
    })
  return []
}

/** Names that some file systems take for `.git`, and that Git refuses in an index. */
const isRefusedName = (path: RawPath): boolean =>
  path.split('/').some((name) => /^(git~1|\.git)[ .]*(:.*)?$/i.test(name))

export function cannotStoreError(paths: readonly RawPath[]): PlanError {
  return new PlanError('cannot-save', `Git cannot store files of the work tree: ${describePaths(paths)}`, {
    hint: `move ${shown(paths[0] ?? ('' as RawPath))} out of the work tree, or ignore it; a repository can also be committed as a submodule`,
  })
}

/** Submodules among the changed paths: their files are in another repository. */
export async function submodulesIn(tree: WorkTree, scan: Scan): Promise<RawPath[]> {
  const ends = await tree.existingPaths(scan.changed.map((path) => `${path}/.git` as RawPath))
  return ends.filter((path) => path.endsWith('/.git')).map((path) => path.slice(0, -'/.git'.length) as RawPath)
}

/** Our resets do not move submodules, so the plan would run with the moved one and attribute the change to a step. */
export async function refuseSubmodules(tree: WorkTree, scan: Scan, hint?: string): Promise<void> {
  const moved = await submodulesIn(tree, scan)
  if (moved.length === 0) return
  throw new PlanError(
    'cannot-save',
    `the submodule ${describePaths(moved)} is not at the commit that HEAD records and cannot be stashed`,
    {
      hint: hint ?? `git submodule update -- ${moved.map((path) => quoteIfNeeded(shown(path))).join(' ')}`,
      facts: { paths: moved.map(shown) },
    },
  )
}

/**
 * Tree edits with the exact bytes of these paths. A directory in the place of a tracked file deletes the file. An
 * untracked directory is a submodule that was just added, which cannot be stored.
 */
async function rawEdits(
  tree: WorkTree,
  objects: ObjectWriter,
  paths: readonly RawPath[],
  { isUntracked }: { isUntracked: boolean },
): Promise<TreeEdits> {
  const edits = new Map<RawPath, TreeFile | undefined>()
  const files: { path: RawPath; mode: string }[] = []
  const noFollow = new NoFollowStat(tree.root)
  for (const path of paths) {
    const file = onDisk(tree.root, path)
    const found = await noFollow.stat(path)
    const facts = found.kind === 'there' ? found.facts : undefined
    if (facts?.isDirectory() === true && isUntracked) throw cannotStoreError([path])
    if (facts === undefined || facts.isDirectory()) edits.set(path, undefined)
    else if (facts.isSymbolicLink())
      edits.set(path, { mode: '120000', oid: await objects.blob(await readlink(file, { encoding: 'buffer' })) })
    else if (facts.isFile()) files.push({ path, mode: facts.mode & 0o100 ? '100755' : '100644' })
    else throw cannotStoreError([path])
  }
  const blobs = await objects.rawFiles(files.map(({ path }) => path))
  for (const [at, { path, mode }] of files.entries()) edits.set(path, { mode, oid: blobs[at]! })
  return edits
}

async function restoreFile(tree: WorkTree, from: Oid, path: RawPath, aside?: string): Promise<void> {
  const file = await fileAt(tree, from, path)
  if (file === undefined) throw new Error(`${shown(path)} is missing from ${from}`)
  const target = onDisk(tree.root, path)
  const old = await lstat(target).catch(() => undefined)
  // An earlier attempt has restored it, with its times and permissions.
  if (hasMode(file.mode, old) && (await blobIdOf(target, tree.repo.objectFormat)) === file.oid) return
  await makeDirectoriesOf(path, { from: aside, to: tree.root })
  // Empty by now, otherwise it would have been in the way.
  if (old?.isDirectory() === true) await removeEmpty(target)
  if (old?.isSymbolicLink() === true || file.mode === '120000') await unlink(target).catch(() => {})
  const kept = aside === undefined ? undefined : onDisk(aside, path)
  const isKept = kept !== undefined && hasMode(file.mode, await lstat(kept).catch(() => undefined))
  if (isKept && (await blobIdOf(kept, tree.repo.objectFormat)) === file.oid) return moveFile(kept, target)
  if (file.mode === '120000') return symlink((await tree.repo.readBlob(file.oid, 'any')) ?? '', target)
  // Written whole or not at all: half a file would look like a newer edit.
  const draft = tree.draftPath()
  await writeBlob(tree.repo, file.oid, draft)
  const now = (old?.isFile() === true ? old : await lstat(draft)).mode & 0o777
  await chmod(draft, file.mode === '100755' ? now | ((now & 0o444) >> 2) : now & ~0o111)
  await moveFile(Buffer.from(draft), target)
}

const hasMode = (mode: string, facts: Stats | undefined): boolean =>
  mode === '120000'
    ? facts?.isSymbolicLink() === true
    : facts?.isFile() === true && (facts.mode & 0o100) > 0 === (mode === '100755')

async function removeEmpty(directory: Buffer): Promise<void> {
  for (const name of await readdir(directory, { encoding: 'buffer' }))
    await removeEmpty(Buffer.concat([directory, Buffer.from('/'), name]))
  await rmdir(directory)
}

/** True if the work tree has the same file as the tree at this path, or neither has one. */
export async function hasBytes(tree: WorkTree, from: Oid | undefined, path: RawPath): Promise<boolean> {
  const found = await new NoFollowStat(tree.root).stat(path)
  const file = from === undefined ? undefined : await fileAt(tree, from, path)
  if (file === undefined || found.kind !== 'there') return file === undefined && found.kind !== 'there'
  const isLink = found.facts.isSymbolicLink()
  return (
    isLink === (file.mode === '120000') &&
    (await blobIdOf(onDisk(tree.root, path), tree.repo.objectFormat)) === file.oid
  )
}

export const blobIdAt = async (tree: WorkTree, from: Oid, path: RawPath): Promise<Oid | undefined> =>
  (await fileAt(tree, from, path))?.oid

/** undefined: the tree has no such file. */
async function fileAt(tree: WorkTree, from: Oid, path: RawPath): Promise<TreeFile | undefined> {
  return (await filesOf(tree, from)).get(path)
}

/** `mode oid TAB path NUL` for each path; a path missing from the tree is removed from the index. */
async function indexLines(tree: WorkTree, from: Oid, paths: readonly RawPath[]): Promise<string> {
  const files = await filesOf(tree, from)
  return paths
    .map((path) => `${files.get(path)?.mode ?? '0'} ${files.get(path)?.oid ?? tree.repo.zero}\t${path}\0`)
    .join('')
}

const isSameFile = (one: TreeFile | undefined, other: TreeFile | undefined): boolean =>
  one?.oid === other?.oid && one?.mode === other?.mode

/** The files in the index. An unmerged path gets the mode `unmerged`. */
export async function stagedFiles(tree: WorkTree): Promise<ReadonlyMap<RawPath, TreeFile>> {
  const { stdout } = await tree.repo.git.run(['ls-files', '-s', '-z'])
  return new Map(
    splitRaw(stdout).map((entry) => {
      const [mode = '', oid = '', stage = ''] = entry.slice(0, entry.indexOf('\t')).split(' ')
      return [
        entry.slice(entry.indexOf('\t') + 1) as RawPath,
        { mode: stage === '0' ? mode : 'unmerged', oid: oid as Oid },
      ]
    }),
  )
}

export function filesOf(tree: WorkTree, from: Oid): Promise<ReadonlyMap<RawPath, TreeFile>> {
  return tree.repo.once(`entries of ${from}`, async () => {
    const { stdout } = await tree.repo.git.run(['ls-tree', '-r', '-z', from])
    return new Map(
      splitRaw(stdout).map((entry) => {
        const [mode = '', , oid = ''] = entry.slice(0, entry.indexOf('\t')).split(' ')
        return [entry.slice(entry.indexOf('\t') + 1) as RawPath, { mode, oid: oid as Oid }]
      }),
    )
  })
}
