// The forge that a repository's remote is on, asked with the user's token. Nobody but those who need it loads any of this.

import { PlanError } from '../errors.ts'
import type { Forge } from '../forge/forge.ts'
import type { Repository } from '../git/repository.ts'
import type { CommandContext } from './context.ts'
import type { Settings } from './settings.ts'

/** The remote that plans are pushed to. */
export const remoteOf = async (repo: Repository): Promise<string> => (await repo.config.value('plan.remote')) ?? 'origin'

const urlOf = async (repo: Repository, remote: string): Promise<string | undefined> => repo.config.value(`remote.${remote}.url`)

/** undefined: there is no remote, or it is no forge that anybody told us of. */
export async function forgeOf(repo: Repository, settings: Settings, context: CommandContext): Promise<Forge | undefined> {
  const url = await urlOf(repo, await remoteOf(repo))
  if (url === undefined) return undefined
  const [{ openForge }, { placeOf }, { tokenFor }, { credentialHelpers }] = await Promise.all([
    import('../forge/forge.ts'),
    import('../forge/place.ts'),
    import('../forge/credentials.ts'),
    import('../git/credential.ts'),
  ])
  const place = placeOf(url, settings.config.forges)
  if (place === undefined) return undefined
  const token = await tokenFor(place, { env: context.env, gitCredential: credentialHelpers({ env: context.env }), home: context.env['HOME'] ?? '/' })
  return openForge(place, { token, clock: () => context.now(), signal: context.signal })
}

export async function needForge(repo: Repository, settings: Settings, context: CommandContext): Promise<Forge> {
  const forge = await forgeOf(repo, settings, context)
  if (forge !== undefined) return forge
  const remote = await remoteOf(repo)
  throw new PlanError('forge', `the remote ${remote} is no forge that is known here`, {
    hint: `look where it leads: git remote get-url ${remote}; a forge of your own is named by \`forges\` in config.yml (see docs/approval.md), another remote by: git config plan.remote upstream`,
  })
}
