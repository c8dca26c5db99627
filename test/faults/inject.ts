// Runs `git plan` with a fault at the n-th call of git-plan and all its children; see inject.c.

import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ended, type Ran, type TestRepo } from '../helpers/repo.ts'
import { tool } from './causes.ts'
import { pointsOf, type Point } from './points.ts'

/**
 * group: SIGKILL to every process of the run. alone: SIGKILL to the executor. Otherwise the error that the call
 * returns.
 */
export type Action = 'record' | 'group' | 'alone' | 'EIO' | 'ENOSPC'

export interface Injection {
  /** The n-th call; or a call that was seen in another run. */
  readonly at: number | Pick<Point, 'shape' | 'nth'>
  readonly action: Action
  /** How long the run goes on before the signal. */
  readonly waitUs?: number
  /** For a server: its standard input, which ends when this many lines were answered. */
  readonly input?: { readonly text: string; readonly answers: number } | undefined
}

export interface Injected extends Ran {
  /** The n-th call was made. */
  readonly isFired: boolean
  readonly points: readonly Point[]
}

let built: string | undefined

/** Compiled once for this text of it. */
function injector(): string {
  if (built !== undefined) return built
  const source = fileURLToPath(new URL('inject.c', import.meta.url))
  const name = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16)
  const path = join(tmpdir(), 'git-plan-inject', name)
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true })
    const draft = `${path}.${process.pid}`
    try {
      execFileSync(tool('gcc', 'gcc libc6-dev'), ['-O2', '-o', draft, source], { stdio: ['ignore', 'inherit', 'pipe'] })
    } catch (error) {
      throw new Error(
        'the fault injector could not be compiled: it needs gcc on Linux for x86_64 (apt-get install gcc libc6-dev)',
        { cause: error },
      )
    }
    renameSync(draft, path)
  }
  built = path
  return path
}

/** Counts what happens below the repository's directory. */
export async function inject(
  repo: TestRepo,
  command: readonly string[],
  { at, action, waitUs = 0, input }: Injection,
): Promise<Injected> {
  const log = join(dirname(repo.dir), 'points')
  // Who still watches what an earlier run left alive writes to the old one.
  rmSync(log, { force: true })
  const which = typeof at === 'number' ? ['--at', String(at)] : ['--of', at.shape, '--at', String(at.nth)]
  const what = ['--do', action, '--wait', String(waitUs), '--through', 'git-plan']
  const words = ['--root', repo.dir, ...which, ...what, '--log', log, '--', 'git', 'plan', ...command]
  const env = { ...repo.env, PATH: repo.pathForGit(), UV_THREADPOOL_SIZE: '1' }
  // One thread for files: their order is the program's own, and not the scheduler's.
  const child = spawn(injector(), words, { cwd: repo.dir, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  // A server that is killed does not read.
  child.stdin.on('error', () => {})
  if (input === undefined) child.stdin.end()
  else {
    let answered = 0
    child.stdin.write(input.text)
    child.stdout.on('data', (chunk: Buffer) => {
      answered += chunk.toString().split('\n').length - 1
      if (answered >= input.answers) child.stdin.end()
    })
  }
  const ran = await ended(child)
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
  const end = lines.find((line) => line.startsWith('end '))
  if (end === undefined) throw new Error(`the injector did not come to its end: ${ran.all}`)
  const [, code, fired] = end.split(' ')
  return { ...ran, code: Number(code), isFired: fired === 'fired', points: pointsOf(lines, repo.dir) }
}
