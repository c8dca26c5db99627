// The refs of a server over HTTP, asked in this process: a process of `git ls-remote` per repository takes longer.

import type { HttpClient } from 'isomorphic-git'
import type { GitRunner } from '../git/command/runner.ts'
import type { Environment } from '../process/environment.ts'

type AskServer = (address: string, names: readonly string[]) => Promise<Map<string, string> | undefined>

/**
 * The answer is undefined where Git has to be asked: only it knows credentials, other protocols, and what the settings of
 * the user do to an address. A server that wants credentials is asked once.
 */
export async function openServerRefs(git: GitRunner, env: Environment): Promise<AskServer> {
  const settings = await git.run(['config', '--get-regexp', String.raw`^(http\.|url\..*\.insteadof$)`], { ok: [0, 1] })
  const hasProxy = Object.keys(env).some((name) => /^(https?|all)_proxy$/i.test(name))
  if (settings.code === 0 || hasProxy) return () => Promise.resolve(undefined)
  const gitOnly = new Set<string>()
  return async (address, names) => {
    const url = /^https?:/.test(address) && URL.canParse(address) ? new URL(address) : undefined
    if (url === undefined || url.username !== '' || gitOnly.has(url.host)) return undefined
    try {
      return await ask(address, names)
    } catch (error) {
      // Git says better what is wrong. A repository that is gone says nothing of its server.
      const { data } = error as { readonly data?: { readonly statusCode?: number } }
      if (data?.statusCode !== 404) gitOnly.add(url.host)
      return undefined
    }
  }
}

async function ask(url: string, names: readonly string[]): Promise<Map<string, string>> {
  const [{ listServerRefs }, { default: http }] = await Promise.all([
    import('isomorphic-git'),
    import('isomorphic-git/http/node'),
  ])
  const refs = await listServerRefs({ http: withPrefixes(http, names), url, prefix: 'refs/' })
  return new Map(refs.flatMap(({ ref, oid }) => (names.includes(ref) ? [[ref, oid] as const] : [])))
}

/** Asks for several prefixes at once: the library takes one. */
const withPrefixes = (http: HttpClient, names: readonly string[]): HttpClient => ({
  request: async ({ body, ...call }) => {
    const parts: Uint8Array[] = []
    for await (const part of body ?? [])
      if (Buffer.from(part).includes('ref-prefix ')) parts.push(...names.map((name) => packet(`ref-prefix ${name}\n`)))
      else parts.push(part)
    return http.request({ ...call, ...(body === undefined ? {} : { body: iterate(parts) }) })
  },
})

const packet = (line: string): Uint8Array => Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}`)

async function* iterate(parts: readonly Uint8Array[]): AsyncIterableIterator<Uint8Array> {
  yield* parts
}
