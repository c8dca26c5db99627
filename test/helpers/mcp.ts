// `git plan mcp` and a client of it: the official one, or lines as an agent's client wrote them.

import { PassThrough } from 'node:stream'
import {
  Client,
  ReadBuffer,
  serializeMessage,
  type CallToolResult,
  type ClientCapabilities,
  type JSONRPCMessage,
  type ProgressCallback,
  type Transport,
} from '@modelcontextprotocol/client'
import { run } from '../../src/adapters/cli/main.ts'
import { PipeSink, type TestRepo } from './repo.ts'

/** A sink that is drawn on as a stream. */
class StreamSink extends PipeSink {
  readonly #stream: PassThrough

  constructor(stream: PassThrough) {
    super()
    this.#stream = stream
  }

  override get stream(): never {
    return this.#stream as never
  }
}

export interface McpServerInProcess {
  readonly stdin: PassThrough
  readonly stdout: PassThrough
  readonly stderr: PipeSink
  /** Its exit code, once standard input is closed. */
  readonly ended: Promise<number>
}

/** The program in this process. */
export function serveInProcess(repo: TestRepo, more: readonly string[] = []): McpServerInProcess {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PipeSink()]
  const ended = run(['mcp', ...more], {
    cwd: repo.dir,
    env: repo.env,
    stdin,
    stdout: new StreamSink(stdout),
    stderr,
    now: () => new Date(),
    signal: new AbortController().signal,
  })
  return { stdin, stdout, stderr, ended }
}

class StreamTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #server: McpServerInProcess

  constructor(server: McpServerInProcess) {
    this.#server = server
  }

  start(): Promise<void> {
    const buffer = new ReadBuffer()
    this.#server.stdout.on('data', (chunk: Buffer) => {
      buffer.append(chunk)
      for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage())
        this.onmessage?.(message)
    })
    return Promise.resolve()
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.#server.stdin.write(serializeMessage(message))
    return Promise.resolve()
  }

  async close(): Promise<void> {
    this.#server.stdin.end()
    await this.#server.ended
    this.onclose?.()
  }
}

/** `initialize`, or `server/discover` and an envelope in each request. */
export const eras = { '2025': 'legacy', '2026': 'auto' } as const
export type Era = keyof typeof eras

export interface Answered {
  readonly isError: boolean
  readonly data: Readonly<Record<string, unknown>>
  readonly text: string
}

export interface McpClient {
  readonly client: Client
  readonly server: McpServerInProcess
  call(name: string, args?: object, options?: CallOptions): Promise<Answered>
  close(): Promise<number>
}

interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: ProgressCallback
}

export async function connectMcp(
  repo: TestRepo,
  {
    era = '2026',
    name = 'test-agent',
    capabilities = {},
  }: { era?: Era; name?: string; capabilities?: ClientCapabilities } = {},
): Promise<McpClient> {
  const server = serveInProcess(repo)
  const client = new Client({ name, version: '1' }, { capabilities, versionNegotiation: { mode: eras[era] } })
  await client.connect(new StreamTransport(server))
  return {
    client,
    server,
    call: async (tool, args = {}, options = {}) =>
      answered(await client.callTool({ name: tool, arguments: args as Record<string, unknown> }, options)),
    close: async () => {
      await client.close()
      return server.ended
    },
  }
}

function answered({ isError = false, structuredContent, content }: CallToolResult): Answered {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  return { isError, data: (structuredContent ?? {}) as Answered['data'], text }
}
