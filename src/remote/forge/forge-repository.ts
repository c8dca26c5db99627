// Which repository on which forge a remote is. The address of a remote is the only thing that decides where a token may
// go.

import { PlanError } from '../../errors.ts'
import type { ForgeKind, Place } from './forge.ts'

/**
 * By the host of the remote, with its port where it has one. The repository says this, so it decides how a host is
 * asked and never whose token it gets.
 */
export type Hosts = Readonly<Record<string, { readonly kind: ForgeKind; readonly api?: string | undefined }>>

const known: Hosts = {
  'github.com': { kind: 'github', api: 'https://api.github.com' },
  'gitlab.com': { kind: 'gitlab' },
  'codeberg.org': { kind: 'gitea' },
  'gitea.com': { kind: 'gitea' },
}

/** Other names of the same host, for SSH through port 443. */
const aliases: Readonly<Record<string, string>> = { 'ssh.github.com': 'github.com', 'altssh.gitlab.com': 'gitlab.com' }

const apiPaths: Readonly<Record<ForgeKind, string>> = { github: '/api/v3', gitlab: '/api/v4', gitea: '/api/v1' }

const refused = (message: string, hint: string): PlanError => new PlanError('forge', message, { hint })

/**
 * undefined: a path, or a host of which nothing says what it is. Throws where it is a forge, and not one that can be
 * asked.
 */
export function placeOf(remoteUrl: string, hosts: Hosts = {}): Place | undefined {
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
  // Groups are nested in GitLab only.
  const isTooDeep = segments.length > 1 && found.kind !== 'gitlab'
  if (segments.length === 0 || isTooDeep || [...segments, name].some((each) => !isName(each)))
    throw refused(
      `the remote ${host}/${path} does not name a repository`,
      'git remote -v: the address ends in OWNER/NAME',
    )
  const api = (found.api ?? entry(known, host)?.api ?? `${web}${apiPaths[found.kind]}`).replace(/\/+$/, '')
  return checkedPlace({ kind: found.kind, host, owner: segments.join('/'), name, api })
}

/** The host of an address as `forges` names it, with its port; undefined: a path. */
export const hostOf = (remoteUrl: string): string | undefined => addressOf(remoteUrl)?.host

/** A host may be called `constructor`. */
const entry = (hosts: Hosts, host: string): Hosts[string] | undefined =>
  Object.hasOwn(hosts, host) ? hosts[host] : undefined

/** The same place, if what it says may be asked with a token. */
export function checkedPlace(place: Place): Place {
  const api = URL.canParse(place.api) ? new URL(place.api) : undefined
  if (
    api === undefined ||
    !['https:', 'http:'].includes(api.protocol) ||
    api.username !== '' ||
    api.password !== '' ||
    api.search !== '' ||
    api.hash !== ''
  )
    throw refused(`the API of ${place.host} is not a URL: ${place.api}`, 'write it like https://git.example.org/api/v4')
  if (api.protocol === 'http:' && !isLoopback(api.hostname))
    throw refused(
      `the API of ${place.host} uses plain HTTP, which would expose the token`,
      `use https://${api.host}${api.pathname}`,
    )
  if (!isOfHost(api.hostname, withoutPort(place.host)))
    throw refused(
      `the API ${api.host} is not on ${place.host}, the host of the remote, so it gets no token`,
      `set the remote to the host of the API: git remote set-url`,
    )
  return place
}

/** The host itself, one below it (`api.…`), or the one that it serves SSH for. */
const isOfHost = (api: string, host: string): boolean =>
  api === host || api.endsWith(`.${host}`) || host === `ssh.${api}` || host === `altssh.${api}`

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

const withoutPort = (host: string): string => host.replace(/:\d+$/, '')

/** No traversal, no option, nothing that an address would have to hide. */
const isName = (segment: string): boolean => /^[\w.~+-]+$/.test(segment) && !/^(\.\.?|-.*)$/.test(segment)

interface Address {
  readonly host: string
  readonly path: string
  /** Where its pages are. */
  readonly web: string
}

const webProtocols = new Set(['https:', 'http:'])
const otherProtocols = new Set(['ssh:', 'git:', 'git+ssh:', 'ssh+git:', 'git+https:', 'git+http:'])

/** undefined: it names no host. */
function addressOf(remoteUrl: string): Address | undefined {
  // oxlint-disable-next-line no-control-regex -- what they are looked for to refuse them
  if (/[\u0000-\u0020\u007f\\]/.test(remoteUrl)) return undefined
  if (!remoteUrl.includes('://')) {
    // As `git@host:path`; a path has a slash before its first colon.
    const [, host, path] = /^(?:[^@/:]+@)?(\[[0-9a-f:]+\]|[^@/:[\]]+):(?!\/\/)(.+)$/i.exec(remoteUrl) ?? []
    if (host === undefined || path === undefined || host.length === 1 || !isHost(host)) return undefined
    return at(host, path)
  }
  const protocol = `${remoteUrl.slice(0, remoteUrl.indexOf('://')).toLowerCase()}:`
  // Read as a web address, whatever it is: only those have their hosts checked and put into one form.
  const web = `https${remoteUrl.slice(remoteUrl.indexOf('://'))}`
  const isWeb = webProtocols.has(protocol)
  if ((!isWeb && !otherProtocols.has(protocol)) || !URL.canParse(web)) return undefined
  const { hostname, port, pathname } = new URL(web)
  if (!isHost(hostname) || pathname.includes('%')) return undefined
  // The port of SSH or git says nothing about the one of the pages.
  if (!isWeb) return at(hostname, pathname)
  const isPlain = protocol === 'http:' && isLoopback(hostname)
  // What `https` leaves out as its own is not that of `http`.
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
