// Opens the forge of the repository's remote with the user's token.

import { PlanError } from '../errors.ts'
import { tokenFor } from './forge/credentials.ts'
import { openForge, type Forge } from './forge/forge.ts'
import { hostOf, forgeRepositoryOf } from './forge/forge-repository.ts'
import { credentialHelpers } from '../git/command/credential.ts'
import type { Repository } from '../git/repository.ts'
import { quoteIfNeeded } from '../process/shell-words.ts'
import { remoteOf } from '../store/remote-name.ts'
import type { CommandContext } from '../operation/context.ts'
import type { Settings } from '../operation/settings.ts'

const urlOf = async (repo: Repository, remote: string): Promise<string | undefined> =>
  repo.config.value(`remote.${remote}.url`)

/** Returns undefined if there is no remote, or if it is not a known forge. */
export async function forgeOf(
  repo: Repository,
  settings: Settings,
  context: CommandContext,
): Promise<Forge | undefined> {
  const url = await urlOf(repo, await remoteOf(repo))
  if (url === undefined) return undefined
  const forgeRepo = forgeRepositoryOf(url, settings.config.forges)
  if (forgeRepo === undefined) return undefined
  const token = await tokenFor(forgeRepo, {
    env: context.env,
    gitCredential: credentialHelpers({ env: context.env }),
    home: context.env['HOME'] ?? '/',
  })
  return openForge(forgeRepo, {
    token,
    clock: () => context.now(),
    signal: context.signal,
    ...(context.fleetLane === undefined ? {} : { limits: { tries: 1 } }),
  })
}

export async function needForge(repo: Repository, settings: Settings, context: CommandContext): Promise<Forge> {
  const forge = await forgeOf(repo, settings, context)
  if (forge !== undefined) return forge
  const remote = await remoteOf(repo)
  const { host, line } = (await missingLine(repo, remote)) ?? {}
  const file = `${settings.dir}/config.yml`
  throw new PlanError('forge', `the remote ${remote}${host === undefined ? '' : ` (${host})`} is not a known forge`, {
    hint: {
      'check its URL': `git remote get-url ${remote}`,
      ...(line === undefined ? {} : { [`add it to ${file} as github, gitlab or gitea`]: line }),
      'use another remote': 'git config plan.remote upstream',
    },
    facts: { isUnknown: true },
  })
}

/** For a plan pushed to an unknown host: explains the consequence and what to do. */
export async function unknownForge(
  repo: Repository,
  settings: Settings,
  { id, from }: { readonly id: string; readonly from: readonly string[] },
): Promise<{ message: string; next: string[] }> {
  const remote = await remoteOf(repo)
  const { host, line } = (await missingLine(repo, remote)) ?? {}
  const file = `${settings.dir}/config.yml`
  const isReviewed = from.length === 1 && from[0] === 'review'
  const outcome = isReviewed ? ', and the reviews that the policy requires cannot be read' : ''
  const naming = line === undefined ? '' : `. To use a forge of your own, add to ${file}: ${line}`
  const message = `Pushed plan/${id} to ${remote}. No pull request was opened: ${remote}${host === undefined ? '' : ` (${host})`} is not a known forge${outcome}${naming}`
  if (!isReviewed || line === undefined) return { message, next: [`git plan status ${id}`] }
  return {
    message,
    next: [`echo '${line}' >> ${quoteIfNeeded(file)} && git plan check ${quoteIfNeeded(file)}`],
  }
}

/** Returns the configuration line that would make the remote known; undefined if its address names no host. */
async function missingLine(repo: Repository, remote: string): Promise<{ host: string; line: string } | undefined> {
  const host = hostOf((await urlOf(repo, remote)) ?? '')
  return host === undefined ? undefined : { host, line: `forges: { "${host}": { kind: github } }` }
}
