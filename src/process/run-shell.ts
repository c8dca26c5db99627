// Runs one shell command in its own process group, and leaves none of its processes alive.

import type { ShellResult } from '../plan/model/verb.ts'
import { startGated, type CommandRequest } from './gated-command.ts'
import { killProcesses } from './kill-descendants.ts'

export interface ShellRequest extends CommandRequest {
  readonly timeoutMs?: number | undefined
  readonly outputLimit: number
  readonly signal: AbortSignal
  readonly graceMs?: number | undefined
  /** Called with the process group before the command runs; the command runs once this resolves. */
  onGroup(group: number, start: string): Promise<void>
  /** Reading stops until the returned promise resolves. */
  onOutput(chunk: Uint8Array, stream: 'stdout' | 'stderr'): Promise<void> | undefined
}

export async function runShell(request: ShellRequest): Promise<ShellResult> {
  if (request.signal.aborted) return { kind: 'killed', reason: 'interrupted' }
  let received = 0
  const command = await startGated(request, (chunk, stream) => {
    if (received >= request.outputLimit) return
    const room = request.outputLimit - received
    received += chunk.length
    const isFull = request.onOutput(chunk.length > room ? chunk.subarray(0, room) : chunk, stream)
    if (received >= request.outputLimit) stop('output-limit')
    if (isFull === undefined) return
    // Blocks the command instead of buffering its output in memory.
    command.pause()
    void isFull.then(() => command.resume())
  })
  const { group, groupStart } = command
  const traces = { run: request.run, group, groupStart }
  const end = (graceMs: number): Promise<unknown> => killProcesses(traces, { graceMs })
  const graceMs = request.graceMs ?? 2000

  let reason: 'timeout' | 'output-limit' | 'interrupted' | undefined
  let stopping: Promise<unknown> | undefined
  const stop = (why: typeof reason): void => {
    if (reason !== undefined) return
    reason = why
    // Group first, then child: a grandchild that holds stdout would keep this promise open past the timeout.
    stopping = end(graceMs)
  }
  const interrupted = (): void => stop('interrupted')
  request.signal.addEventListener('abort', interrupted)
  // The signal may have fired while the process was starting.
  if (request.signal.aborted) interrupted()
  let timer: NodeJS.Timeout | undefined
  try {
    await request.onGroup(group, groupStart)
    if (reason === undefined) command.begin()
    if (request.timeoutMs !== undefined) timer = setTimeout(() => stop('timeout'), request.timeoutMs)
    const { code, signal } = await command.exited
    // Background processes end with the command: the next step and the checkpoint need a tree that does not change.
    await stopping
    await end(graceMs)
    await command.drained()
    if (reason !== undefined) return { kind: 'killed', reason }
    if (signal !== null) return { kind: 'killed', reason: 'signal', signal }
    return { kind: 'exited', code: code ?? 1 }
  } catch (error) {
    await end(0)
    throw error
  } finally {
    clearTimeout(timer)
    request.signal.removeEventListener('abort', interrupted)
  }
}
