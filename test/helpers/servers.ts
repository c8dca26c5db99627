// Redis and PostgreSQL on loopback, on a port of their own, for as long as a test file runs.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pg from 'pg'

export interface Server {
  readonly address: string
  /** Kills it, as if its machine were gone. */
  kill(): Promise<void>
  /** Starts it again: Redis empty, PostgreSQL with what it had. */
  startAgain(): Promise<void>
  /** Forgets everything that is in it. */
  flush(): Promise<void>
  stop(): Promise<void>
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

async function accepts(port: number): Promise<void> {
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        resolve(true)
      })
      socket.on('error', () => resolve(false))
    })
    if (isOpen) return
    await sleep(50)
  }
}

const exited = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', () => resolve()))

function programIn(name: string, places: readonly string[], install: string): string {
  const found = places.map((place) => join(place, name)).find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new Error(`${name} is not installed: apt-get install ${install}`)
}

const path = (): string[] => (process.env['PATH'] ?? '').split(':')

export async function startRedis(): Promise<Server> {
  const program = programIn('redis-server', path(), 'redis-server')
  const port = await freePort()
  const directory = mkdtempSync(join(tmpdir(), 'git-plan-redis-'))
  const options = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    directory,
  ]
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    child = spawn(program, options, { stdio: 'ignore' })
    await accepts(port)
  }
  const kill = async (): Promise<void> => {
    child?.kill('SIGKILL')
    if (child !== undefined) await exited(child)
  }
  await start()
  return {
    address: `redis://127.0.0.1:${port}`,
    kill,
    startAgain: start,
    flush: async () => {
      const client = new Redis(`redis://127.0.0.1:${port}`)
      await client.flushall()
      client.disconnect()
    },
    stop: async () => {
      await kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export async function startPostgres(): Promise<Server> {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
  const places = [...path(), ...versions.map((version) => `/usr/lib/postgresql/${version}/bin`)]
  const [initdb, postgres] = ['initdb', 'postgres'].map((name) => programIn(name, places, 'postgresql'))
  const port = await freePort()
  const directory = mkdtempSync(join(tmpdir(), 'git-plan-postgres-'))
  // It refuses to be root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) execFileSync('chown', ['postgres', directory])
  chmodSync(directory, 0o700)
  const as = (words: readonly string[]): [string, string[]] =>
    isRoot ? ['runuser', ['-u', 'postgres', '--', ...words]] : [words[0] ?? '', words.slice(1)]
  const [program, args] = as([initdb!, '-D', directory, '-U', 'fleet', '-A', 'trust', '--no-sync'])
  execFileSync(program, args, { stdio: 'ignore', cwd: '/' })
  const settings = ['-p', String(port), '-h', '127.0.0.1', '-k', directory, '-c', 'fsync=off']
  const spawned = (): ChildProcess =>
    spawn(...as([postgres!, '-D', directory, ...settings]), { stdio: 'ignore', cwd: '/', detached: true })
  let child = spawned()
  await accepts(port)
  const kill = async (): Promise<void> => {
    // Its children end when it does.
    process.kill(-child.pid!, 'SIGQUIT')
    await exited(child)
  }
  const ready = async (): Promise<boolean> => {
    const client = new pg.Client({ connectionString: `postgres://fleet@127.0.0.1:${port}/postgres` })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('select 1')
      return true
    } catch {
      return false
    } finally {
      await client.end().catch(() => {})
    }
  }
  const accepting = async (): Promise<void> => {
    while (!(await ready())) await sleep(100)
  }
  await accepting()
  return {
    address: `postgres://fleet@127.0.0.1:${port}/postgres`,
    kill,
    startAgain: async () => {
      child = spawned()
      await accepting()
    },
    flush: () => Promise.reject(new Error('not needed')),
    stop: async () => {
      await kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
