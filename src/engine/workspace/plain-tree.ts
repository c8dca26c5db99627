// The files of a commit in a temporary directory, without a repository: for a program that should read them and can
// change nothing.

import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Repository } from '../../git/repository.ts'
import type { Oid } from '../../plan/model/ids.ts'

export async function withPlainTree<T>(
  repo: Repository,
  commit: Oid,
  work: (root: string, scratch: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(await realpath(tmpdir()), 'git-plan-tree-'))
  const root = join(directory, 'tree')
  const index = join(directory, 'index')
  try {
    await repo.git.run(['read-tree', commit], { index })
    await repo.git.run(['checkout-index', '--all', `--prefix=${root}/`], { index })
    return await work(root, directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
