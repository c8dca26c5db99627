// Finds the token for a forge: in the environment, from Git's credential helpers, or in the configuration files of the
// forges' own tools. Never in the plan, its branch or the repository.

import type { ForgeRepository } from './forge.ts'
import { storedToken } from './stored-tokens.ts'
import { ownVariable, sharedVariables } from './token-names.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface TokenSources {
  readonly env: Environment
  /** Asks Git's credential helpers, see git/command/credential.ts. They are not asked if it is left out. */
  readonly gitCredential?:
    | ((of: { protocol: string; host: string; path: string }) => Promise<{ password: string } | undefined>)
    | undefined
  /** The home directory of the user. */
  readonly home: string
}

/** Returns undefined if there is none. The token is passed only to `openForge` and never shown. */
export async function tokenFor(
  forgeRepo: ForgeRepository,
  { env, gitCredential, home }: TokenSources,
): Promise<string | undefined> {
  return (
    fromEnvironment(forgeRepo, env) ??
    (await fromGit(forgeRepo, gitCredential)) ??
    (await storedToken(forgeRepo, { env, home }))
  )
}

const fromEnvironment = (forgeRepo: ForgeRepository, env: Environment): string | undefined =>
  [ownVariable(forgeRepo.host), ...sharedVariables(forgeRepo, (variable) => hostIn(env[variable]))]
    .map((name) => nonEmpty(env[name]))
    .find((token) => token !== undefined)

/** Some variables hold a host, some a URL. */
const hostIn = (value: string | undefined): string | undefined =>
  nonEmpty(value)
    ?.replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '')
    .toLowerCase()

async function fromGit(forgeRepo: ForgeRepository, ask: TokenSources['gitCredential']): Promise<string | undefined> {
  const { protocol } = new URL(forgeRepo.api)
  const found = await ask?.({
    protocol: protocol.slice(0, -1),
    host: forgeRepo.host,
    path: `${forgeRepo.owner}/${forgeRepo.name}.git`,
  })
  return nonEmpty(found?.password)
}

const nonEmpty = (value: string | undefined): string | undefined => {
  const trimmed = value?.trim()
  return trimmed === '' ? undefined : trimmed
}
