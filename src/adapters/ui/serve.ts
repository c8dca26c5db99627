// Listens until it is asked to stop. Then the runs that were started from the page are stopped, and waited for.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { PlanError } from '../../errors.ts'
import { Calls, type CallsWorld } from '../library/calls.ts'
import { makeApp } from './app.ts'
import { Runs } from './runs.ts'
import { isLoopback, Session, urlHost } from './session.ts'

export interface UiWorld extends CallsWorld {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  readonly hasOpenMetrics: boolean
  /** Aborted when the program is asked to stop. */
  readonly signal: AbortSignal
  /** Called once the server answers. `isOpen`: other machines reach it. */
  readonly onListening: (facts: { readonly url: string; readonly isOpen: boolean }) => void
}

export async function serveUi(given: UiWorld): Promise<void> {
  const { host, signal, directory, env, now } = given
  const world: CallsWorld = { directory, env, now }
  const calls = new Calls(world)
  // Fails here if this is not a repository.
  await calls.run('list', {}, { signal })
  const runs = new Runs(calls)
  const server = createServer()
  const port = await listen(server, given)
  const session = new Session(host, port)
  const app = makeApp({
    world,
    calls,
    runs,
    session,
    name: basename(directory),
    signal,
    hasOpenMetrics: given.hasOpenMetrics,
  })
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  server.on('request', (request, response) => void answer(request, response))
  // No name of this machine is a wildcard.
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : urlHost(host)
  given.onListening({ url: `http://${name}:${port}/open?token=${session.token}`, isOpen: !isLoopback(host) })
  await aborted(signal)
  await calls.stop()
  server.close()
  server.closeAllConnections()
}

function listen(server: Server, { host, port }: UiWorld): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new PlanError('usage', `cannot listen on ${urlHost(host)}:${port}: ${error.code ?? error.message}`, {
          hint: 'git plan ui',
          cause: error,
        }),
      ),
    )
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port))
  })
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
