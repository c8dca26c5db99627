// Who is answered. The link that the command prints has a token that is good for one browser: it is exchanged for a
// cookie and for a key. A browser sends cookies to every port of a host, where other users may listen; the key is kept by
// the page of this port alone, and each question carries it. A page of somebody else can make this browser send requests, and can give its own name the address of this
// machine, so each request is also asked for the name that it was sent to and for the page that it comes from.

import { randomBytes, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { hostname } from 'node:os'

const secret = (): string => randomBytes(32).toString('base64url')

export class Session {
  readonly cookieName: string
  readonly #names: ReadonlySet<string>
  /** It listens on every address, and so has names that are unknown here. */
  readonly #isAnywhere: boolean
  readonly #cookie = secret()
  readonly #key = secret()
  #token: string | undefined = secret()

  constructor(host: string, port: number) {
    this.cookieName = `git-plan-${port}`
    this.#isAnywhere = host === '0.0.0.0' || host === '::'
    this.#names = new Set(
      ['localhost', '127.0.0.1', '[::1]', urlHost(host), ...(isLoopback(host) ? [] : [hostname()])].map((name) =>
        name.toLowerCase(),
      ),
    )
  }

  /** The token of the link, until it was used. */
  get token(): string | undefined {
    return this.#token
  }

  /** undefined: this is not the token, or it was used before. */
  exchange(token: string): { readonly cookie: string; readonly key: string } | undefined {
    if (this.#token === undefined || !isSame(token, this.#token)) return undefined
    this.#token = undefined
    return { cookie: this.#cookie, key: this.#key }
  }

  isKnown(cookie: string | undefined): boolean {
    return cookie !== undefined && isSame(cookie, this.#cookie)
  }

  isKey(key: string | undefined): boolean {
    return key !== undefined && isSame(key, this.#key)
  }

  /** The port is not compared, so that a forwarded one works. An address cannot be given to another machine, a name can. */
  isOwnHost(header: string | undefined): boolean {
    const name = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::\d+)?$/i.exec(header ?? '')?.[1]?.toLowerCase()
    if (name === undefined) return false
    return this.#names.has(name) || (this.#isAnywhere && isIP(name.replace(/^\[|\]$/g, '')) !== 0)
  }
}

const isSame = (given: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')

/** As it stands in an address. */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host)
