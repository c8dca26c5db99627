// The remote that plans are exchanged with.

import type { Repository } from '../git/repository.ts'

/** As it is configured, whether it is there or not. */
export const remoteOf = async (repo: Repository): Promise<string> =>
  (await repo.config.value('plan.remote')) ?? 'origin'

/** A name that git takes for that of a remote, and never for an option or a path out of refs/remotes. */
export const isRemoteName = (name: string): boolean => /^[\w][\w./-]*$/.test(name) && !name.includes('..')

/** For readers; undefined: this repository has no such remote. */
export const remoteHere = (repo: Repository): Promise<string | undefined> =>
  repo.once('remote of plans', async () => {
    const remote = await remoteOf(repo)
    return (await repo.config.value(`remote.${remote}.url`)) === undefined ? undefined : remote
  })
