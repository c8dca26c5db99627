// Lists the paths in a stash.

import { splitRaw, type RawPath } from '../read/raw-path.ts'
import { readTree, treeMode, type TreeEntry } from '../read/tree-text.ts'
import { readStash } from './read-stash.ts'
import type { Repository } from '../repository.ts'
import type { Oid } from '../../plan/model/ids.ts'

/** Changed, staged and untracked paths, sorted. */
export async function stashedPaths(repo: Repository, stash: Oid): Promise<RawPath[]> {
  const parts = await readStash(repo, stash)
  if (parts === undefined) return []
  const { base, staged, untracked } = parts
  const names = async (...args: string[]): Promise<RawPath[]> => splitRaw((await repo.git.run(args)).stdout)
  // Most stashes contain only untracked files, so the trees are equal.
  const between = async (to: Oid): Promise<RawPath[]> => {
    const [from, there] = await Promise.all([repo.resolve(base, 'tree'), repo.resolve(to, 'tree')])
    return from !== undefined && from === there
      ? []
      : names('diff-tree', '-r', '-z', '--name-only', '--no-renames', base, to)
  }
  const found = await Promise.all([
    between(stash),
    between(staged),
    ...(untracked === undefined ? [] : [filesIn(repo, `${untracked}^{tree}`)]),
  ])
  return [...new Set(found.flat())].toSorted()
}

/**
 * Every file of a tree, without an extra process: `start` stashes the plan file that it was given, so most plans have
 * such a tree.
 */
async function filesIn(repo: Repository, tree: string, above = ''): Promise<RawPath[]> {
  const object = await repo.readObject(tree)
  if (object === undefined) throw new Error(`${tree} is missing`)
  const entries = [...readTree(object.bytes, repo.objectFormat).values()]
  const below = async ({ mode, name, id }: TreeEntry): Promise<RawPath[]> =>
    mode === treeMode ? filesIn(repo, id, `${above}${name}/`) : [`${above}${name}` as RawPath]
  return (await Promise.all(entries.map(below))).flat()
}
