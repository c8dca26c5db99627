// Between the client and Prism: says which operation of the description each request is, whether it fits, and what is
// to be answered.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Operations, type Description } from './description.ts'

/** How a case wants to be answered, where not by the first example. Each by the name of an operation. */
export interface Wishes {
  /** The status. */
  readonly code?: Readonly<Record<string, number>>
  /** The name of another example. */
  readonly example?: Readonly<Record<string, string>>
  /** What is another in the example. */
  readonly change?: Readonly<Record<string, (body: never) => unknown>>
  /** The first page of a list says that there is a second. */
  readonly isPaged?: boolean
}

export interface Seen {
  /** As the description names it: `GET /user`. undefined: it names no such request. */
  readonly operation: string | undefined
  readonly request: string
  /** In which way it does not fit. */
  readonly problems: readonly string[]
  /** In which way the published example is not what its own description says. */
  readonly oddities: readonly string[]
}

type Graphql = (
  query: string,
  variables: Readonly<Record<string, unknown>>,
) => Promise<{ readonly errors?: readonly { readonly message: string }[] }>

export interface FrontOptions {
  /** Where the API begins on this server. */
  readonly base: string
  readonly prism: string
  readonly description: Description
  /** What every answer goes through: a description without examples has texts that say `string`. */
  readonly filled?: (body: unknown) => unknown
  /** Beside the API, where the forge has one. */
  readonly graphql?: Graphql
}

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export class Front {
  readonly seen: Seen[] = []
  wishes: Wishes = {}
  readonly #options: FrontOptions
  readonly #operations: Operations
  readonly #server: Server

  private constructor(options: FrontOptions) {
    this.#options = options
    this.#operations = new Operations(options.description)
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  static async start(options: FrontOptions): Promise<Front> {
    const front = new Front(options)
    await new Promise<void>((resolve) => front.#server.listen(0, '127.0.0.1', resolve))
    return front
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get api(): string {
    return `http://${this.host}${this.#options.base}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { status, headers, body } = await this.#ask(request, Buffer.concat(chunks).toString())
      response.writeHead(status, headers).end(body)
    } catch (error) {
      this.#note(undefined, request, [`it could not be passed on: ${String(error)}`])
      response.writeHead(500).end()
    }
  }

  async #ask(request: IncomingMessage, sent: string): Promise<Reply> {
    const { base, graphql } = this.#options
    const url = new URL(request.url ?? '/', `http://${this.host}`)
    if (graphql !== undefined && url.pathname === `${base.replace(/\/v3$/, '')}/graphql`)
      return this.#askGraphql(request, sent, graphql)
    const path = url.pathname.startsWith(`${base}/`) ? url.pathname.slice(base.length) : undefined
    const operation = path === undefined ? undefined : this.#operations.named(request.method ?? '', path)
    if (path === undefined || operation === undefined) {
      this.#note(undefined, request, ['not in the description'])
      return { status: 404, headers: {}, body: '' }
    }
    return this.#askPrism(operation, { request, url, path, sent })
  }

  async #askPrism(
    operation: string,
    { request, url, path, sent }: { request: IncomingMessage; url: URL; path: string; sent: string },
  ): Promise<Reply> {
    const { wishes } = this
    const wished = wishes.code?.[operation]
    const example = wishes.example?.[operation]
    const prefer = [
      ...(wished === undefined ? [] : [`code=${wished}`]),
      ...(example === undefined ? [] : [`example=${example}`]),
    ].join(', ')
    const answer = await fetch(`${this.#options.prism}${path}${url.search}`, {
      method: request.method ?? 'GET',
      headers: { ...passedOn(request), ...(prefer === '' ? {} : { prefer }) },
      ...(sent === '' ? {} : { body: sent }),
    })
    const text = await answer.text()
    const violations = JSON.parse(answer.headers.get('sl-violations') ?? '[]') as readonly {
      location: readonly string[]
      message: string
    }[]
    const messages = (side: string): string[] =>
      violations.flatMap(({ location, message }) => (location[0] === side ? [message] : []))
    const isRefused =
      (answer.status >= 400 && answer.status !== wished) ||
      answer.headers.get('content-type')?.includes('problem+json') === true
    const unfit = [
      ...messages('request'),
      ...this.#operations.unknownIn(operation, url.searchParams, sent === '' ? undefined : JSON.parse(sent)),
    ]
    this.#note(
      operation,
      request,
      isRefused && unfit.length === 0 ? [`${answer.status} ${text.slice(0, 300)}`] : unfit,
      messages('response'),
    )
    const [filled, change] = [this.#options.filled ?? same, wishes.change?.[operation] ?? same]
    const body = isRefused || text === '' ? text : JSON.stringify(change(filled(JSON.parse(text)) as never))
    return { status: answer.status, headers: this.#headersOf(answer.headers, url), body }
  }

  /** The link of the examples goes to a `resource`; here, to the second page of what was asked for. */
  #headersOf(headers: Headers, url: URL): Record<string, string> {
    const type = headers.get('content-type')
    const next = new URL(url)
    next.searchParams.set('page', '2')
    const isFirst = this.wishes.isPaged === true && headers.has('link') && !url.searchParams.has('page')
    return {
      ...(type === null ? {} : { 'content-type': type }),
      ...(isFirst ? { link: `<${next.href}>; rel="next", <${next.href}>; rel="last"` } : {}),
    }
  }

  async #askGraphql(request: IncomingMessage, sent: string, graphql: Graphql): Promise<Reply> {
    const { query, variables } = JSON.parse(sent) as { query: string; variables: Record<string, unknown> }
    const answer = await graphql(query, variables)
    this.#note(
      'POST /graphql',
      request,
      (answer.errors ?? []).map(({ message }) => message),
    )
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) }
  }

  #note(
    operation: string | undefined,
    { method = '', url = '' }: IncomingMessage,
    problems: readonly string[],
    oddities: readonly string[] = [],
  ): void {
    this.seen.push({ operation, request: `${method} ${url}`, problems, oddities })
  }
}

const same = (body: unknown): unknown => body

/**
 * What was sent, without what is about this connection. The descriptions know GitHub's own name for JSON in their
 * words, but not in their lists.
 */
function passedOn({ headers }: IncomingMessage): Record<string, string> {
  const own = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'])
  const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    own.has(name) || typeof value !== 'string' ? [] : [[name, value]],
  )
  return Object.fromEntries(
    sent.map(([name, value]) => [
      name,
      name === 'accept' ? value.replace('application/vnd.github+json', 'application/json') : value,
    ]),
  )
}
