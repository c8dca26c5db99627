// Determines the forge and repository of a remote. The address of the remote alone decides which host may get a token.

import { PlanError } from '../../errors.ts'
import type { ForgeKind, ForgeRepository } from './forge.ts'

/**
 * Keyed by the host of the remote, with its port if it has one. The repository provides this, so it only says which API
 * a host has, never whose token it gets.
 */
export type Hosts = Readonly<Record<string, { readonly kind: ForgeKind; readonly api?: string | undefined }>>

const known: Hosts = {
  'github.com': { kind: 'github', api: 'https://api.github.com' },
  'gitlab.com': { kind: 'gitlab' },
  'codeberg.org': { kind: 'gitea' },
  'gitea.com': { kind: 'gitea' },
}

/** Alternative host names for SSH over port 443. */
const aliases: Readonly<Record<string, string>> = { 'ssh.github.com': 'github.com', 'altssh.gitlab.com': 'gitlab.com' }

const apiPaths: Readonly<Record<ForgeKind, string>> = { github: '/api/v3', gitlab: '/api/v4', gitea: '/api/v1' }

const forgeError = (message: string, hint: string): PlanError => new PlanError('forge', message, { hint })

/** Returns undefined for a path or an unknown host. Throws for a forge that cannot be used. */
export function forgeRepositoryOf(remoteUrl: string, hosts: Hosts = {}): ForgeRepository | undefined {
  const address = addressOf(remoteUrl)
  if (address === undefined) return undefined
  const { host, path, web } = address
  const found = entry(hosts, host) ?? entry(hosts, withoutPort(host)) ?? entry(known, host)
  if (found === undefined) return undefined
  const segments = path
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '')
    .split('/')
  const name = segments.pop() ?? ''
  // Only GitLab has nested groups.
  const isTooDeep = segments.length > 1 && found.kind !== 'gitlab'
  if (segments.length === 0 || isTooDeep || [...segments, name].some((each) => !isName(each)))
    throw forgeError(
      `the remote ${host}/${path} does not name a repository`,
      'git remote -v: the address ends in OWNER/NAME',
    )
  const api = (found.api ?? entry(known, host)?.api ?? `${web}${apiPaths[found.kind]}`).replace(/\/+$/, '')
  return requireSafeApi({ kind: found.kind, host, owner: segments.join('/'), name, api })
}

/** Returns the host of an address as `forges` in the configuration names it, with its port; undefined for a path. */
export const hostOf = (remoteUrl: string): string | undefined => addressOf(remoteUrl)?.host

/** A host may be called `constructor`. */
const entry = (hosts: Hosts, host: string): Hosts[string] | undefined =>
  Object.hasOwn(hosts, host) ? hosts[host] : undefined

/** Returns the repository if its API may receive a token, throws otherwise. */
export function requireSafeApi(forgeRepo: ForgeRepository): ForgeRepository {
  const api = URL.canParse(forgeRepo.api) ? new URL(forgeRepo.api) : undefined
  if (
    api === undefined ||
    !['https:', 'http:'].includes(api.protocol) ||
    api.username !== '' ||
    api.password !== '' ||
    api.search !== '' ||
    api.hash !== ''
  )
    throw forgeError(
      `the API of ${forgeRepo.host} is not a URL: ${forgeRepo.api}`,
      'write it like https://git.example.org/api/v4',
    )
  if (api.protocol === 'http:' && !isLoopback(api.hostname))
    throw forgeError(
      `the API of ${forgeRepo.host} uses plain HTTP, which would expose the token`,
      `use https://${api.host}${api.pathname}`,
    )
  if (!isOfHost(api.hostname, withoutPort(forgeRepo.host)))
    throw forgeError(
      `the API ${api.host} is not on ${forgeRepo.host}, the host of the remote, so it gets no token`,
      `set the remote to the host of the API: git remote set-url`,
    )
  return forgeRepo
}

/** The host itself, a subdomain (`api.…`), or the host behind its SSH alias. */
const isOfHost = (api: string, host: string): boolean =>
  api === host || api.endsWith(`.${host}`) || host === `ssh.${api}` || host === `altssh.${api}`

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

const withoutPort = (host: string): string => host.replace(/:\d+$/, '')

/** Excludes path traversal, options and characters that need escaping. */
const isName = (segment: string): boolean => /^[\w.~+-]+$/.test(segment) && !/^(\.\.?|-.*)$/.test(segment)

interface Address {
  readonly host: string
  readonly path: string
  /** The address of its web pages. */
  readonly web: string
}

const webProtocols = new Set(['https:', 'http:'])
const otherProtocols = new Set(['ssh:', 'git:', 'git+ssh:', 'ssh+git:', 'git+https:', 'git+http:'])

/** Returns undefined if the address names no host. */
function addressOf(remoteUrl: string): Address | undefined {
  // oxlint-disable-next-line no-control-regex -- what they are looked for to refuse them
  if (/[\u0000-\u0020\u007f\\]/.test(remoteUrl)) return undefined
  if (!remoteUrl.includes('://')) {
    // The scp form `git@host:path`; a local path has a slash before its first colon.
    const [, host, path] = /^(?:[^@/:]+@)?(\[[0-9a-f:]+\]|[^@/:[\]]+):(?!\/\/)(.+)$/i.exec(remoteUrl) ?? []
    if (host === undefined || path === undefined || host.length === 1 || !isHost(host)) return undefined
    return at(host, path)
  }
  const protocol = `${remoteUrl.slice(0, remoteUrl.indexOf('://')).toLowerCase()}:`
  // Every scheme is parsed as https, since URL normalizes the host only for web schemes.
  const web = `https${remoteUrl.slice(remoteUrl.indexOf('://'))}`
  const isWeb = webProtocols.has(protocol)
  if ((!isWeb && !otherProtocols.has(protocol)) || !URL.canParse(web)) return undefined
  const { hostname, port, pathname } = new URL(web)
  if (!isHost(hostname) || pathname.includes('%')) return undefined
  // The port of SSH or git says nothing about the port of the web pages.
  if (!isWeb) return at(hostname, pathname)
  const isPlain = protocol === 'http:' && isLoopback(hostname)
  // URL drops port 443, the default of https; for http the default is 80.
  const own = port === '' || (port === '80' && protocol === 'http:') ? '' : `:${port}`
  return {
    ...at(`${hostname}${own}`, pathname),
    web: `${isPlain ? 'http' : 'https'}://${hostname}${protocol === 'http:' && !isPlain ? '' : own}`,
  }
}

function at(given: string, path: string): Address {
  const host = given.toLowerCase().replace(/\.$/, '')
  const named = Object.hasOwn(aliases, host) ? (aliases[host] ?? host) : host
  return { host: named, path: path.replace(/^\//, ''), web: `https://${named}` }
}

const isHost = (host: string): boolean => /^(?!-)[a-z0-9._-]+$/i.test(host) || /^\[[0-9a-f:]+\]$/i.test(host)
