// Tokens stored by gh, glab and tea in their configuration files. If a tool uses the system's keyring, its file has no
// token, and its credential helper answers Git.

import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseDocument } from 'yaml'
import type { ForgeKind, ForgeRepository } from './forge.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface Store {
  /** Possible locations; the first token found is used. */
  paths(directories: { home: string; config: string }, env: Environment): readonly string[]
  tokenIn(content: unknown, host: string): string | undefined
}

/** Returns the value at the given keys, own properties only. */
const at = (content: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined,
    content,
  )
const textAt = (content: unknown, ...keys: readonly string[]): string | undefined => {
  const value = at(content, ...keys)
  return typeof value === 'string' && value !== '' ? value : undefined
}
const isAt = (url: string | undefined, host: string): boolean =>
  url !== undefined && URL.canParse(url) && new URL(url).host === host

const stores: Readonly<Record<ForgeKind, Store>> = {
  github: {
    paths: ({ config }, env) => [join(env['GH_CONFIG_DIR'] || join(config, 'gh'), 'hosts.yml')],
    tokenIn: (content, host) => textAt(content, host, 'oauth_token'),
  },
  gitlab: {
    paths: ({ home, config }, env) => [
      join(env['GLAB_CONFIG_DIR'] || join(config, 'glab-cli'), 'config.yml'),
      join(home, 'Library', 'Application Support', 'glab-cli', 'config.yml'),
    ],
    tokenIn: (content, host) => textAt(content, 'hosts', host, 'token'),
  },
  gitea: {
    paths: ({ home, config }) => [
      join(config, 'tea', 'config.yml'),
      join(home, 'Library', 'Application Support', 'tea', 'config.yml'),
    ],
    tokenIn: (content, host) => {
      const logins = at(content, 'logins')
      return Array.isArray(logins)
        ? textAt(
            logins.find((each) => isAt(textAt(each, 'url'), host)),
            'token',
          )
        : undefined
    },
  },
}

const maxBytes = 1024 * 1024

export async function storedToken(
  forgeRepo: ForgeRepository,
  { env, home }: { env: Environment; home: string },
): Promise<string | undefined> {
  const store = stores[forgeRepo.kind]
  for (const path of store.paths({ home, config: env['XDG_CONFIG_HOME'] || join(home, '.config') }, env)) {
    const found = store.tokenIn(await contentOf(path), forgeRepo.host)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns undefined if the file does not exist or cannot be read. Its content is never quoted. */
async function contentOf(path: string): Promise<unknown> {
  try {
    if ((await stat(path)).size > maxBytes) return undefined
    // glab writes `token: !!null glpat-…`, which must be read as a string.
    const text = (await readFile(path, 'utf8')).replace(/^(\s*token:) !!null (?=\S)/gm, '$1 ')
    return parseDocument(text, { schema: 'failsafe', logLevel: 'silent' }).toJS({ maxAliasCount: 0 }) as unknown
  } catch {
    return undefined
  }
}
