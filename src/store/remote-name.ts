// The remote through which plans are shared.

import type { Repository } from '../git/repository.ts'

/** The configured name, even if there is no such remote. */
export const remoteOf = async (repo: Repository): Promise<string> =>
  (await repo.config.value('plan.remote')) ?? 'origin'

/** Accepts only names that Git cannot take for an option or a path outside refs/remotes. */
export const isRemoteName = (name: string): boolean => /^[\w][\w./-]*$/.test(name) && !name.includes('..')

/** For readers. undefined: this repository has no such remote. */
export const existingRemote = (repo: Repository): Promise<string | undefined> =>
  repo.once('remote of plans', async () => {
    const remote = await remoteOf(repo)
    return (await repo.config.value(`remote.${remote}.url`)) === undefined ? undefined : remote
  })
