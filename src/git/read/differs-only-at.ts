// Tests if two trees differ at most at one path. Reads only the directories above it.

import type { Oid } from '../../plan/model/ids.ts'
import type { Repository } from '../repository.ts'
import { readTree, treeMode, type TreeEntry } from './tree-text.ts'

export async function differsOnlyAt(
  repo: Repository,
  one: Oid | undefined,
  other: Oid | undefined,
  path: string,
): Promise<boolean> {
  const [name = '', ...below] = Buffer.from(path).toString('latin1').split('/')
  const [here, there] = await Promise.all([entriesOf(repo, one), entriesOf(repo, other)])
  for (const key of new Set([...here.keys(), ...there.keys()])) {
    const [mine, theirs] = [here.get(key), there.get(key)]
    if (key !== name && (mine?.id !== theirs?.id || mine?.mode !== theirs?.mode)) return false
  }
  const [mine, theirs] = [here.get(name), there.get(name)]
  if (below.length === 0 || (mine?.id === theirs?.id && mine?.mode === theirs?.mode)) return true
  const isDirectory = (entry: TreeEntry | undefined): boolean => entry === undefined || entry.mode === treeMode
  if (!isDirectory(mine) || !isDirectory(theirs)) return false
  return differsOnlyAt(repo, mine?.id, theirs?.id, Buffer.from(below.join('/'), 'latin1').toString())
}

async function entriesOf(repo: Repository, tree: Oid | undefined): Promise<Map<string, TreeEntry>> {
  const object = tree === undefined ? undefined : await repo.readObject(tree)
  return object?.type === 'tree' ? readTree(object.bytes, repo.objectFormat) : new Map()
}
