// Serves one client on two streams, until it has gone. Both revisions of the protocol are served, that of 2025, which
// begins with `initialize`, and that of 2026.

import type { Readable, Writable } from 'node:stream'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { Calls, type CallsWorld } from '../library/calls.ts'
import type { Print } from './resources.ts'
import { makeServer } from './server.ts'

export interface McpWorld extends CallsWorld {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly print: Print
  /** Aborted when the program is asked to stop, or has lost its parent. */
  readonly signal: AbortSignal
  /** Problems of the connection, for people. */
  readonly log: (line: string) => void
}

class ClientTransport extends StdioServerTransport {
  #resolve = (): void => {}
  /** The client has gone, has sent something too large, or is sent away. */
  readonly closed = new Promise<void>((resolve) => (this.#resolve = resolve))

  override async close(): Promise<void> {
    await super.close()
    this.#resolve()
  }
}

/** Returns when the client has gone and every command has ended. */
export async function serveMcp(world: McpWorld): Promise<void> {
  const { stdin, stdout, print, signal, log, env } = world
  // What only a person does is refused, as in the shell of an agent.
  const calls = new Calls({ ...world, env: { ...env, GIT_PLAN_MCP: '1' } })
  const transport = new ClientTransport(stdin, stdout)
  const connection = serveStdio(() => makeServer({ calls, print, driver: env['GIT_PLAN_DRIVER'] }), {
    transport,
    onerror: ({ message }) => log(message),
  })
  const close = (): void => void connection.close()
  if (signal.aborted) close()
  else signal.addEventListener('abort', close, { once: true })
  await transport.closed
  await calls.stop()
}
