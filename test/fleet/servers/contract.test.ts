// The engines on a server keep the contract of the port. npm run test:fleet.

import { afterAll, beforeAll } from 'vitest'
import { openDispatch } from '../../../src/fleet/dispatch/open-dispatch.ts'
import { startPostgres, startRedis, type Server } from '../../helpers/servers.ts'
import { contract } from '../contract.ts'

const servers: Server[] = []
const started = new Map<string, Server>()

beforeAll(async () => {
  for (const [name, start] of [
    ['redis', startRedis],
    ['postgres', startPostgres],
  ] as const) {
    const server = await start()
    servers.push(server)
    started.set(name, server)
  }
})
afterAll(async () => {
  for (const server of servers) await server.stop()
})

for (const name of ['redis', 'postgres'])
  contract(
    name,
    () => openDispatch(started.get(name)?.address, { leaseMs: 2000, backoffMs: 20, now: () => Date.now() }),
    name === 'redis' ? () => started.get(name)!.flush() : undefined,
  )
