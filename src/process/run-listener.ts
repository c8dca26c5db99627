// Runs a command that is told something on standard input. Its output is not shown; it has a deadline.

import { randomBytes } from 'node:crypto'
import { factsOf } from './identity.ts'
import { killProcesses, runMarker } from './kill-descendants.ts'

export interface ListenerRequest {
  /** A program and its arguments. */
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly input: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Returns what went wrong. */
export async function runListener(request: ListenerRequest): Promise<string | undefined> {
  const { argv, cwd, env, input, timeoutMs, signal } = request
  const { execa } = await import('execa')
  const [program, ...args] = argv
  const run = `notify-${randomBytes(8).toString('hex')}`
  const child = execa(program, args, {
    cwd,
    env: { ...env, [runMarker]: run },
    extendEnv: false,
    detached: true,
    reject: false,
    // What it leaves in the background must not keep us waiting for the end of a pipe.
    stdout: 'ignore',
    stderr: 'ignore',
    buffer: false,
  })
  const group = child.pid
  if (group === undefined) return (await child).code ?? 'it could not be started'
  const groupStart = factsOf(group)?.start ?? ''
  // It may exit without reading.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const exited = new Promise<string | undefined>((resolve) =>
    child.once('exit', (code, name) =>
      resolve(code === 0 ? undefined : code === null ? `killed by ${name}` : `exit code ${code}`),
    ),
  )
  let timer: NodeJS.Timeout | undefined
  let stop = (): void => {}
  const stopped = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('it did not end in time'), timeoutMs)
    stop = () => resolve('it was interrupted')
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
  })
  try {
    const problem = await Promise.race([exited, stopped.then((why) => ({ why }))])
    if (typeof problem !== 'object') return problem
    await killProcesses({ run, group, groupStart }, { graceMs: 200 })
    return problem.why
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
