// Where a token for a place comes from: the environment, git's credential helpers, the files of the forges' own
// programs. Never the plan, its branch or the repository.

import type { Place } from './forge.ts'
import { storedToken } from './stored-tokens.ts'
import { ownVariable, sharedVariables } from './token-names.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface TokenSources {
  readonly env: Environment
  /** What git's credential helpers know; see git/command/credential.ts. Left out, they are not asked. */
  readonly gitCredential?:
    | ((of: { protocol: string; host: string; path: string }) => Promise<{ password: string } | undefined>)
    | undefined
  /** The user's directory. */
  readonly home: string
}

/** undefined where there is none. It is for `openForge` alone, and never shown. */
export async function tokenFor(place: Place, { env, gitCredential, home }: TokenSources): Promise<string | undefined> {
  return (
    fromEnvironment(place, env) ?? (await fromGit(place, gitCredential)) ?? (await storedToken(place, { env, home }))
  )
}

const fromEnvironment = (place: Place, env: Environment): string | undefined =>
  [ownVariable(place.host), ...sharedVariables(place, (variable) => hostIn(env[variable]))]
    .map((name) => usable(env[name]))
    .find((token) => token !== undefined)

/** Some give a host in them, some an address. */
const hostIn = (value: string | undefined): string | undefined =>
  usable(value)
    ?.replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '')
    .toLowerCase()

async function fromGit(place: Place, ask: TokenSources['gitCredential']): Promise<string | undefined> {
  const { protocol } = new URL(place.api)
  const found = await ask?.({
    protocol: protocol.slice(0, -1),
    host: place.host,
    path: `${place.owner}/${place.name}.git`,
  })
  return usable(found?.password)
}

const usable = (value: string | undefined): string | undefined => {
  const trimmed = value?.trim()
  return trimmed === '' ? undefined : trimmed
}
