// The files of a commit in a temporary directory, without a repository: for an agent that should read them and can
// change nothing. The commit may be of a plan that nobody has approved, so what an agent would run or obey as its own
// configuration is left out.

import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Repository } from '../../git/repository.ts'
import { isAgentSetting } from '../../plan/agents/configuration.ts'
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
    const paths = (await repo.git.text(['ls-files', '--cached', '-z'], { index })).split('\0').filter(isGiven)
    await mkdir(root)
    await repo.git.run(['checkout-index', '-z', '--stdin', `--prefix=${root}/`], { index, input: paths.join('\0') })
    return await work(root, directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const isGiven = (path: string): boolean => path !== '' && !isAgentSetting(path)
