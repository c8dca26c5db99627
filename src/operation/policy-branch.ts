// The ways to name the policy branch, for a clone that does not know the default branch of its remote.

import type { Repository } from '../git/repository.ts'
import { existingRemote } from '../store/remote-name.ts'

/** The commands by what they do. */
export async function waysToNamePolicy(repo: Repository): Promise<Readonly<Record<string, string>>> {
  const remote = await existingRemote(repo)
  const branch = (await repo.headBranch())?.replace('refs/heads/', '')
  const name = branch === undefined || branch.startsWith('plan/') ? 'main' : branch
  return {
    ...(remote === undefined
      ? {}
      : { [`ask ${remote} for its default branch`]: `git fetch ${remote} && git remote set-head ${remote} --auto` }),
    'name the branch': `git config plan.policyRef refs/${remote === undefined ? 'heads' : `remotes/${remote}`}/${name}`,
  }
}
