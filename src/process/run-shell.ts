// Runs one shell command in a process group of its own, and leaves nothing of it alive.

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import type { ShellResult } from '../plan/verb.ts'
import { factsOf } from './identity.ts'
import { endTree } from './tree.ts'
import { ProcessWatch } from './watch.ts'

export interface ShellRequest {
  readonly command: string
  readonly cwd: string
  /** Must carry the run's marker. */
  readonly env: Readonly<Record<string, string>>
  readonly run: string
  readonly timeoutMs?: number | undefined
  readonly outputLimit: number
  readonly memory?: number | undefined
  readonly cpuMs?: number | undefined
  readonly signal: AbortSignal
  readonly graceMs?: number | undefined
  /** Called with the process group before the command begins; it begins when this resolves. */
  onGroup(group: number, start: string): Promise<void>
  /** Nothing more is read while a promise that this returned is open. */
  onOutput(chunk: Uint8Array, stream: 'stdout' | 'stderr'): Promise<void> | undefined
}

// The shell waits for a line before it becomes the command: if we die before the intent is on disk, it reads the end of
// its input and nothing has run. Limits are the shell's own, so no other tool is needed.
const gate = (limits: string): string => `IFS= read -r go || exit 125; ${limits}exec /bin/sh -c "$1" </dev/null`

export async function runShell(request: ShellRequest): Promise<ShellResult> {
  const limits = [
    request.cpuMs === undefined ? '' : `ulimit -t ${Math.max(1, Math.ceil(request.cpuMs / 1000))}; `,
    request.memory === undefined ? '' : `ulimit -d ${Math.ceil(request.memory / 1024)}; `,
  ].join('')
  if (request.signal.aborted) return { kind: 'killed', reason: 'interrupted' }
  const watch = ProcessWatch.begin()
  // Plain spawn: execa adds more to the cost of a short command than the command itself.
  const child = spawn('/bin/sh', ['-c', gate(limits), 'sh', request.command], { cwd: request.cwd, env: request.env, stdio: 'pipe', detached: true })
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  const group = child.pid
  if (group === undefined) {
    await closed
    throw new Error(`/bin/sh could not be started in ${request.cwd}`)
  }
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  const traces = { run: request.run, group, groupStart: factsOf(group)?.start ?? '', watch }

  let reason: 'timeout' | 'output-limit' | 'interrupted' | undefined
  let stopping: Promise<unknown> | undefined
  const stop = (why: typeof reason): void => {
    if (reason !== undefined) return
    reason = why
    // Group first, then child: a grandchild that holds stdout would keep this promise open past the timeout.
    stopping = endTree(traces, { graceMs: request.graceMs ?? 2000 })
  }
  let received = 0
  const listen = (stream: 'stdout' | 'stderr') => (chunk: Uint8Array) => {
    if (received >= request.outputLimit) return
    const room = request.outputLimit - received
    received += chunk.length
    const isFull = request.onOutput(chunk.length > room ? chunk.subarray(0, room) : chunk, stream)
    if (received >= request.outputLimit) stop('output-limit')
    if (isFull === undefined) return
    // The command waits, instead of its output filling our memory.
    for (const each of [child.stdout, child.stderr]) each.pause()
    void isFull.then(() => [child.stdout, child.stderr].forEach((each) => each.resume()))
  }
  child.stdout.on('data', listen('stdout'))
  child.stderr.on('data', listen('stderr'))
  child.stdin.on('error', () => {})

  const interrupted = (): void => stop('interrupted')
  request.signal.addEventListener('abort', interrupted)
  // It may have come while we were asking about the process.
  if (request.signal.aborted) interrupted()
  let timer: NodeJS.Timeout | undefined
  try {
    await request.onGroup(group, traces.groupStart)
    child.stdin.end('\n')
    if (request.timeoutMs !== undefined) timer = setTimeout(() => stop('timeout'), request.timeoutMs)
    const { code, signal } = await exited
    // What the command left in the background ends with it: the next step and the checkpoint need a tree that stands still.
    await stopping
    await endTree(traces, { graceMs: request.graceMs ?? 2000 })
    await lastOutput(child, closed)
    if (reason !== undefined) return { kind: 'killed', reason }
    if (signal !== null) return { kind: 'killed', reason: 'signal', signal }
    return { kind: 'exited', code: code ?? 1 }
  } catch (error) {
    await endTree(traces, { graceMs: 0 })
    throw error
  } finally {
    clearTimeout(timer)
    request.signal.removeEventListener('abort', interrupted)
  }
}

/** What is still in the pipes. A process that got away from us, without mark, group or parent, may hold them open: it does not hold us. */
async function lastOutput(child: ChildProcessWithoutNullStreams, closed: Promise<void>): Promise<void> {
  const timer = setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream.destroy()), 3000)
  await closed
  clearTimeout(timer)
}
