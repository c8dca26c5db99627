// Runs one shell command in a process group of its own, and leaves nothing of it alive.

import type { ShellResult } from '../plan/verb.ts'
import { limitsOf, startAlone, type Hear } from './running-command.ts'
import type { ShellHost } from './shell-host.ts'
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
  /** Who starts it, where that can be. */
  readonly host?: ShellHost | undefined
  /** Called with the process group before the command begins; it begins when this resolves. */
  onGroup(group: number, start: string): Promise<void>
  /** Nothing more is read while a promise that this returned is open. */
  onOutput(chunk: Uint8Array, stream: 'stdout' | 'stderr'): Promise<void> | undefined
}

export async function runShell(request: ShellRequest): Promise<ShellResult> {
  if (request.signal.aborted) return { kind: 'killed', reason: 'interrupted' }
  const watch = ProcessWatch.begin()
  let received = 0
  const hear: Hear = (chunk, stream) => {
    if (received >= request.outputLimit) return
    const room = request.outputLimit - received
    received += chunk.length
    const isFull = request.onOutput(chunk.length > room ? chunk.subarray(0, room) : chunk, stream)
    if (received >= request.outputLimit) stop('output-limit')
    if (isFull === undefined) return
    // The command waits, instead of its output filling our memory.
    command.pause()
    void isFull.then(() => command.resume())
  }
  const limits = limitsOf(request)
  const hosted = limits === '' ? request.host?.start(request.command, request.env, hear) : undefined
  const command = hosted ?? (await startAlone({ ...request, limits }, hear))
  const { group, groupStart } = command
  const traces = { run: request.run, group, groupStart, watch }

  let reason: 'timeout' | 'output-limit' | 'interrupted' | undefined
  let stopping: Promise<unknown> | undefined
  const stop = (why: typeof reason): void => {
    if (reason !== undefined) return
    reason = why
    // First, so that nothing begins after we have looked.
    command.host?.end()
    // Group first, then child: a grandchild that holds stdout would keep this promise open past the timeout.
    stopping = endTree(traces, { graceMs: request.graceMs ?? 2000 })
  }
  const interrupted = (): void => stop('interrupted')
  request.signal.addEventListener('abort', interrupted)
  // It may have come while we were asking about the process.
  if (request.signal.aborted) interrupted()
  let timer: NodeJS.Timeout | undefined
  try {
    await request.onGroup(group, groupStart)
    command.begin()
    if (request.timeoutMs !== undefined) timer = setTimeout(() => stop('timeout'), request.timeoutMs)
    const { code, signal } = await command.exited
    // What the command left in the background ends with it: the next step and the checkpoint need a tree that stands still.
    await stopping
    await endTree(
      { ...traces, ...(command.host === undefined || reason !== undefined ? {} : { spare: command.host.pid }) },
      { graceMs: request.graceMs ?? 2000 },
    )
    await command.drained()
    if (reason !== undefined) return { kind: 'killed', reason }
    if (signal !== null) return { kind: 'killed', reason: 'signal', signal }
    return { kind: 'exited', code: code ?? 1 }
  } catch (error) {
    command.host?.end()
    await endTree(traces, { graceMs: 0 })
    throw error
  } finally {
    clearTimeout(timer)
    request.signal.removeEventListener('abort', interrupted)
  }
}
