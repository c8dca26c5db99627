// Converts one of our stashes into an entry of `git stash`. Ours contains the bytes on disk; `git stash pop` expects
// what `git add` would have stored, merges that, and applies the filters. With ours it would filter twice and stage the
// plain text of encrypted files.

import { chmod, rm } from 'node:fs/promises'
import type { Oid } from '../../plan/model/ids.ts'
import { blobIdOf, writeBlob } from '../read/blob-file.ts'
import { moveFile } from '../write/durable-fs.ts'
import { ObjectWriter } from '../write/objects.ts'
import { filteredPaths } from './unfiltered-files.ts'
import { onDisk, shown, type RawPath } from '../read/raw-path.ts'
import { readStash } from './read-stash.ts'
import type { Repository } from '../repository.ts'
import { filesOf } from './stash.ts'
import { makeDirectoriesOf } from './tree-files.ts'
import type { TreeFile } from '../read/tree-text.ts'
import type { WorkTree } from './work-tree.ts'

/** Files whose bytes the filters cannot reproduce, and the directory with exact copies. */
export interface KeptAside {
  readonly paths: readonly RawPath[]
  readonly directory: string
}

/** The entry of `git stash list` that was made from this stash under this message. */
export async function findInGitStash(repo: Repository, stash: Oid, message: string): Promise<Oid | undefined> {
  const listed = (await repo.git.text(['stash', 'list', '--format=%H %gs'])).split('\n')
  return listed.find((line) => line.endsWith(` ${entryName(stash, message)}`))?.split(' ')[0] as Oid | undefined
}

const entryName = (stash: Oid, message: string): string => `${message} (${stash.slice(0, 12)})`

/**
 * Adds the stash as the newest entry of `git stash list`. Idempotent, so it can be repeated after a kill. The caller
 * must keep the objects meanwhile.
 */
export async function storeInGitStash(
  tree: WorkTree,
  stash: Oid,
  options: {
    readonly message: string
    readonly newDirectory: () => Promise<string>
    readonly ignoring?: readonly RawPath[]
  },
): Promise<{ readonly oid: Oid; readonly kept: KeptAside | undefined }> {
  const { message, newDirectory, ignoring = [] } = options
  const { repo } = tree
  const listed = await findInGitStash(repo, stash, message)
  if (listed !== undefined) return { oid: listed, kept: undefined }
  const parts = await readStash(repo, stash)
  if (parts === undefined) throw new Error(`${stash} is not a stash`)
  const { base, staged, untracked } = parts
  const objects = new ObjectWriter(repo)
  const odd = new Map<RawPath, string>()
  const stored = async (from: Oid, to: Oid): Promise<Oid> => {
    // Git has to see the trees.
    await objects.writeOut()
    return objects.treeWithAll(to, await storedForms(tree, { from, to }, odd))
  }
  const work = await stored(base, await objects.treeOf(stash))
  const parents = [base, staged]
  if (untracked !== undefined) {
    // Files that are tracked by now would keep Git from restoring the others.
    const left = await objects.treeWithAll(
      await objects.treeOf(untracked),
      new Map(ignoring.map((path) => [path, undefined])),
    )
    const files = await stored(await objects.emptyTree(), left)
    parents.push(
      await objects.commit({ tree: files, parents: [], message: `untracked files of ${message}\n`, isUnsigned: true }),
    )
  }
  const made = await objects.commit({ tree: work, parents, message: `${message}\n`, isUnsigned: true })
  await objects.flush()
  // Before Git has the stash: after that, ours may be removed.
  const kept = odd.size === 0 ? undefined : { paths: [...odd.keys()], directory: await newDirectory() }
  for (const [path, draft] of odd) {
    await makeDirectoriesOf(path, { from: undefined, to: kept!.directory })
    await moveFile(Buffer.from(draft), onDisk(kept!.directory, path))
  }
  await repo.git.run(['stash', 'store', '-m', entryName(stash, message), made])
  return { oid: made, kept }
}

/**
 * The form that Git would have stored for each file that the stash changed, if that may differ from the bytes. `odd`
 * receives copies of files that the filters would not restore exactly.
 */
async function storedForms(
  tree: WorkTree,
  { from, to }: { readonly from: Oid; readonly to: Oid },
  odd: Map<RawPath, string>,
): Promise<Map<RawPath, TreeFile | undefined>> {
  const { repo } = tree
  const [before, after] = [await filesOf(tree, from), await filesOf(tree, to)]
  const isChanged = ([path, { mode, oid }]: readonly [RawPath, TreeFile]): boolean =>
    mode.startsWith('100') && oid !== before.get(path)?.oid
  const changed = [...after].filter(isChanged).map(([path]) => path)
  const forms = new Map<RawPath, TreeFile | undefined>()
  for (const path of await filteredPaths(repo, changed)) {
    const { mode, oid: bytes } = after.get(path)!
    const [draft, back] = [tree.draftPath(), tree.draftPath()]
    await writeBlob(repo, bytes, draft)
    const made = await repo.git.run(['hash-object', '-w', `--path=${shown(path)}`, '--', draft], { ok: [0, 1, 128] })
    const oid = made.stdout.toString().trim() as Oid
    // If the filter fails, Git must not get the plain text instead: the file is left out.
    forms.set(path, made.code === 0 ? { mode, oid } : before.get(path))
    const isBack =
      made.code === 0 &&
      (await writeBlob(repo, oid, back, shown(path))) &&
      (await blobIdOf(back, repo.objectFormat)) === bytes
    await rm(back, { force: true })
    if (isBack) {
      await rm(draft)
      continue
    }
    await chmod(draft, mode === '100755' ? 0o700 : 0o600)
    odd.set(path, draft)
  }
  return forms
}
