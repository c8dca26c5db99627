// The remote that plans are exchanged with, as readers need it: only if it is configured here.

import type { Repository } from '../git/repository.ts'

/** undefined: this repository has no such remote. */
export const remoteHere = (repo: Repository): Promise<string | undefined> =>
  repo.once('remote of plans', async () => {
    const remote = (await repo.config.value('plan.remote')) ?? 'origin'
    return (await repo.config.value(`remote.${remote}.url`)) === undefined ? undefined : remote
  })
