// What happens when: machines, workers, the reconciler and the server fail while a campaign runs. Whatever fails, every
// repository completes with one linear history, and only steps that were interrupted run again.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { Queue } from 'bullmq'
import { namespaceOf } from '../../../src/fleet/dispatch/open-dispatch.ts'
import type { Hint } from '../../../src/fleet/dispatch/port.ts'
import { keyOf } from '../../../src/fleet/campaign.ts'
import { until } from '../../helpers/crash.ts'
import { Machine, signedFleet, type Fleet } from '../../helpers/fleet.ts'
import { planText, test, type TestRepo } from '../../helpers/repo.ts'
import { startPostgres, startRedis, type Server } from '../../helpers/servers.ts'

const servers = new Map<string, Server>()

beforeAll(async () => {
  servers.set('redis', await startRedis())
  servers.set('postgres', await startPostgres())
})
afterAll(async () => {
  for (const server of servers.values()) await server.stop()
})

class World {
  readonly fleet: Fleet
  readonly server: Server
  readonly #machines: Machine[] = []
  readonly #ran: string

  constructor(repo: TestRepo, server: Server, count: number) {
    this.server = server
    this.fleet = signedFleet(repo, { count, files: (number) => ({ name: `r${number}\n` }) })
    this.#ran = join(repo.home, 'ran')
  }

  /** The address with which workers are taken for dead after two seconds. */
  get engine(): string {
    return `${this.server.address}?lease=2s`
  }

  machine(name: string): Machine {
    const machine = new Machine(this.fleet, name)
    this.#machines.push(machine)
    return machine
  }

  worker(name: string, jobs = 2): Machine {
    const machine = this.machine(name)
    machine.start(['work', this.engine, '-j', String(jobs)])
    return machine
  }

  /** Two steps, of which the second takes a while and says that it began. */
  async approve(command = 'sleep 1', options: readonly string[] = []): Promise<void> {
    const begin = `echo $(cat name) >> ${this.#ran}; ${command}; echo 2 > two.txt`
    const text = planText(
      `  - {id: one, create: one.txt, content: "1"}\n  - id: two\n    run: ${JSON.stringify(begin)}`,
      'title: P\n',
    )
    const proposed = await this.fleet.fleet(['new', this.fleet.list, this.fleet.write('p.md', text), ...options])
    expect(proposed, proposed.all).toMatchObject({ code: 0 })
    expect(await this.fleet.fleet(['approve', 'p', '--sign'])).toMatchObject({ code: 0 })
  }

  /** The repositories in which the second step began, in this order. */
  began(): string[] {
    return existsSync(this.#ran) ? readFileSync(this.#ran, 'utf8').trimEnd().split('\n') : []
  }

  /** As somebody does who can write to the server. */
  async addJobs(jobs: readonly unknown[]): Promise<void> {
    const queue = new Queue(`git-plan.${namespaceOf(this.fleet.control)}.local`, {
      connection: { url: this.server.address },
    })
    await queue.addBulk(jobs.map((data, at) => ({ name: 'look', data, opts: { jobId: `extra-${at}` } })))
    await queue.close()
  }

  /** Runs the reconciler to its end, on a machine of its own. */
  async finish(machine = this.machine('reconciler')): Promise<Record<string, never>> {
    return machine.json(['resume', 'p', '--engine', this.engine])
  }

  /** Every repository is complete with one linear history. Returns how many times the second step ran too often. */
  again(result: Record<string, never>): number {
    const { addresses } = this.fleet
    expect(result, JSON.stringify(result)).toMatchObject({ counts: { completed: addresses.length }, why: null })
    for (const address of addresses)
      expect(this.fleet.history(address, 'p'), address).toEqual([
        'Plan: P',
        'Approved: P',
        'Create one.txt',
        expect.stringMatching(/^Run echo/) as string,
        'Completed: P',
      ])
    expect(new Set(this.began()).size).toBe(addresses.length)
    return this.began().length - addresses.length
  }

  async end(): Promise<void> {
    for (const machine of this.#machines) await machine.off()
  }
}

async function inWorld(repo: TestRepo, engine: string, act: (world: World) => Promise<void>, count = 4): Promise<void> {
  const world = new World(repo, servers.get(engine)!, count)
  try {
    await act(world)
  } finally {
    await world.end()
  }
}

describe.for(['redis', 'postgres'])('%s', (engine) => {
  test('without faults, two machines share the work, and no step runs twice', ({ repo }) =>
    inWorld(repo, engine, async (world) => {
      await world.approve('sleep 0.2')
      world.worker('a')
      world.worker('b')
      expect(world.again(await world.finish())).toBe(0)
    }))

  test('a machine that is gone in the middle of a step is replaced by another', ({ repo }) =>
    inWorld(repo, engine, async (world) => {
      await world.approve()
      const gone = world.worker('a', 1)
      const finished = world.finish()
      await until('it works', () => world.began().length > 0)
      await gone.off()
      world.worker('b')
      expect(world.again(await finished)).toBeLessThanOrEqual(1)
    }))

  test('the server is away for two seconds, and comes back', ({ repo }) =>
    inWorld(repo, engine, async (world) => {
      await world.approve()
      world.worker('a')
      const finished = world.finish()
      await until('it works', () => world.began().length > 0)
      await world.server.kill()
      await sleep(2000)
      await world.server.startAgain()
      expect(world.again(await finished)).toBe(0)
    }))
})

describe('redis', () => {
  const engine = 'redis'

  test('a worker that is killed leaves a child that ends its step, and the same machine continues', ({ repo }) =>
    inWorld(repo, engine, async (world) => {
      await world.approve()
      const machine = world.machine('a')
      const worker = machine.start(['work', world.engine, '-j', '1'])
      const finished = world.finish()
      await until('it works', () => world.began().length > 0)
      process.kill(worker.pid!, 'SIGKILL')
      await machine.ended(worker)
      machine.start(['work', world.engine, '-j', '2'])
      expect(world.again(await finished)).toBe(0)
    }))

  test('the reconciler is killed, and another continues', ({ repo }) =>
    inWorld(repo, engine, async (world) => {
      await world.approve()
      world.worker('a')
      const machine = world.machine('reconciler')
      const reconciler = machine.start(['resume', 'p', '--engine', world.engine])
      await until('it works', () => world.began().length > 0)
      process.kill(reconciler.pid!, 'SIGKILL')
      await machine.ended(reconciler)
      expect(world.again(await world.finish(machine))).toBe(0)
    }))

  test('the queue is flushed three times', ({ repo }) =>
    inWorld(repo, engine, async (world) => {
      await world.approve()
      world.worker('a')
      const finished = world.finish()
      for (let times = 1; times <= 3; times++) {
        await until('it works', () => world.began().length >= times)
        await world.server.flush()
      }
      expect(world.again(await finished)).toBe(0)
    }))

  test('the queue is flushed, and the limits of the campaign hold all the same', ({ repo }) =>
    inWorld(repo, engine, async (world) => {
      const [busy, crowd] = [join(repo.home, 'busy'), join(repo.home, 'crowd')]
      await world.approve(`mkdir ${busy} || touch ${crowd}; sleep 1; rmdir ${busy}`, ['--limit', 'local.clones=1'])
      const finished = world.finish()
      world.worker('a', 3)
      await until('it works', () => world.began().length > 0)
      await world.server.flush()
      expect(world.again(await finished)).toBe(0)
      expect(existsSync(crowd)).toBe(false)
    }))

  test('every job is delivered twice at once: one of the two waits for the other', ({ repo }) =>
    inWorld(repo, engine, async (world) => {
      await world.approve()
      world.worker('a')
      world.worker('b')
      const finished = world.finish()
      await until('it works', () => world.began().length > 0)
      // Of another name: the engine takes them for other jobs.
      await world.addJobs(world.fleet.addresses.map((address) => hintFor(address)))
      expect(world.again(await finished)).toBe(0)
    }))

  test('a zombie that was stopped for longer than its lease writes nothing', ({ repo }) =>
    inWorld(repo, engine, async (world) => {
      await world.approve('sleep 3')
      const zombie = world.worker('a', 1)
      const finished = world.finish()
      await until('it works', () => world.began().length > 0)
      zombie.signal('SIGSTOP')
      world.worker('b')
      const result = await finished
      const tips = world.fleet.addresses.map((address) => repo.git(['rev-parse', 'plan/p'], { cwd: address }))
      zombie.signal('SIGCONT')
      await sleep(6000)
      expect(world.again(result)).toBeLessThanOrEqual(1)
      expect(world.fleet.addresses.map((address) => repo.git(['rev-parse', 'plan/p'], { cwd: address }))).toEqual(tips)
    }))

  test('a job that kills its worker each time is parked in Git; all others complete, and a flush does not bring it back', ({
    repo,
  }) =>
    inWorld(repo, engine, async (world) => {
      const pid = join(repo.home, 'worker.pid')
      await world.approve(`if grep -q r2 name; then kill -9 $(cat ${pid}) $PPID; fi`)
      const machine = world.machine('a')
      const finished = world.finish()
      let deaths = -1
      const service = (async () => {
        for (let isDone = false; !isDone; deaths++) {
          const worker = machine.start(['work', world.engine, '-j', '1'])
          writeFileSync(pid, String(worker.pid))
          isDone = await Promise.race([machine.ended(worker).then(() => false), finished.then(() => true)])
        }
      })()
      const result = await finished
      await service
      expect(result, JSON.stringify(result)).toMatchObject({ counts: { completed: 3, parked: 1 } })
      expect(deaths).toBe(3)
      await world.server.flush()
      expect(await world.finish()).toMatchObject({ counts: { completed: 3, parked: 1 } })
      expect(world.began().filter((name) => name === 'r2')).toHaveLength(3)
    }))

  test('jobs that somebody forged run nothing', ({ repo }) =>
    inWorld(repo, engine, async (world) => {
      await world.approve('touch forged; true')
      const [address = '', ...others] = world.fleet.addresses
      expect(await world.fleet.fleet(['exclude', address, '--campaign', 'p'])).toMatchObject({ code: 0 })
      const evil = join(repo.home, 'evil')
      await world.addJobs([
        hintFor(address),
        { ...hintFor(address), epoch: 7 },
        { ...hintFor(address), campaign: 'q' },
        { ...hintFor(address), campaign: '../../p' },
        { ...hintFor(address), lane: 'local/pr', landing: 'finish' },
        { ...hintFor('/somewhere/else') },
        {
          ...hintFor(others[0]!),
          command: `touch ${evil}`,
          text: `touch ${evil}`,
          address: evil,
          digest: 'a'.repeat(64),
        },
        { target: { toString: `touch ${evil}` } },
        'text',
        null,
      ])
      world.worker('a')
      const result = await world.finish()
      expect(result, JSON.stringify(result)).toMatchObject({ counts: { completed: others.length, excluded: 1 } })
      expect(repo.git(['branch', '--list', 'plan/*'], { cwd: address })).toBe('')
      expect(world.began()).toHaveLength(others.length)
      expect(existsSync(evil)).toBe(false)
      for (const other of others)
        expect(repo.git(['rev-parse', 'main'], { cwd: other })).toBe(
          repo.git(['rev-parse', 'plan/p~5'], { cwd: other }),
        )
    }))
})

const hintFor = (address: string): Hint => ({
  campaign: 'p',
  target: keyOf(address),
  lane: 'local',
  epoch: 1,
  urgency: 'usual',
})
