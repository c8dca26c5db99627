// A forge's HTTP on loopback: real requests, answers from a table of routes, and whatever goes wrong on the way.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  readonly method: string
  /** Below the API's address, with what is encoded in it left so. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: Record<string, unknown>
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
  /** The connection ends in the middle of the body. */
  readonly isCut?: boolean
  /** No answer at all. */
  readonly hangs?: boolean
}

/** The parts of the path that the pattern has in parentheses, decoded. */
export type Route = readonly [method: string, pattern: RegExp, answer: (asked: Asked, ...parts: string[]) => Reply]

interface Fault {
  readonly reply: (asked: Asked) => Reply
  readonly when: (asked: Asked) => boolean
  left: number
}

export class Loopback {
  readonly asked: Asked[] = []
  readonly #server: Server
  readonly #faults: Fault[] = []
  readonly #base: string

  private constructor(server: Server, base: string) {
    this.#server = server
    this.#base = base
  }

  static async start(base: string, answer: (asked: Asked) => Reply): Promise<Loopback> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => loopback.#answer(request, response, Buffer.concat(chunks).toString(), answer))
    })
    const loopback = new Loopback(server, base)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return loopback
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get origin(): string {
    return `http://${this.host}`
  }

  get api(): string {
    return `${this.origin}${this.#base}`
  }

  /** What is answered instead, to the next requests that it is for. */
  fault(
    reply: Reply | ((asked: Asked) => Reply),
    options: { times?: number; when?: (asked: Asked) => boolean } = {},
  ): void {
    this.#faults.push({
      reply: typeof reply === 'function' ? reply : () => reply,
      when: options.when ?? (() => true),
      left: options.times ?? 1,
    })
  }

  /** No faults any more. */
  calm(): void {
    this.#faults.length = 0
  }

  count(method: string, pattern: RegExp): number {
    return this.asked.filter((each) => each.method === method && pattern.test(each.path)).length
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #answer(request: IncomingMessage, response: ServerResponse, text: string, answer: (asked: Asked) => Reply): void {
    const url = new URL(request.url ?? '/', this.origin)
    const path = url.pathname.startsWith(this.#base) ? url.pathname.slice(this.#base.length) : url.pathname
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    const asked: Asked = { method: request.method ?? '', path, query: url.searchParams, headers: request.headers, body }
    this.asked.push(asked)
    const fault = this.#faults.find((each) => each.left > 0 && each.when(asked))
    if (fault !== undefined) fault.left -= 1
    const reply = fault === undefined ? answer(asked) : fault.reply(asked)
    if (reply.hangs === true) return
    const content = reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json))
    const type = reply.json === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }
    response.writeHead(reply.status ?? 200, {
      ...type,
      ...reply.headers,
      ...(reply.isCut === true ? { 'content-length': String(Buffer.byteLength(content) + 100) } : {}),
    })
    if (reply.isCut !== true) response.end(content)
    else response.write(content, () => response.socket?.destroy())
  }
}

export function routed(routes: readonly Route[], asked: Asked): Reply {
  for (const [method, pattern, answer] of routes) {
    const parts = method === asked.method ? pattern.exec(asked.path) : null
    if (parts !== null) return answer(asked, ...parts.slice(1).map((part) => decodeURIComponent(part ?? '')))
  }
  return { status: 404, json: { message: 'Not Found' } }
}

/** One page of a list, with the links to the others. */
export function paged(asked: Asked, all: readonly unknown[], link: (page: number) => string): Reply {
  const page = Number(asked.query.get('page') ?? 1)
  const size = Math.min(Number(asked.query.get('per_page') ?? 30), 100)
  const last = Math.max(1, Math.ceil(all.length / size))
  const links = [
    ...(page > 1 ? [`<${link(page - 1)}>; rel="prev"`] : []),
    ...(page < last ? [`<${link(page + 1)}>; rel="next"`, `<${link(last)}>; rel="last"`] : []),
  ]
  return {
    json: all.slice((page - 1) * size, page * size),
    headers: links.length === 0 ? {} : { link: links.join(', ') },
  }
}

/** A commit that is as good as any. */
export const oid = (digit: string): string => digit.repeat(40)
