// Runs one shell command in a process group of its own, and leaves nothing of it alive.

import type { ShellResult } from '../plan/model/verb.ts'
import { startGated, type CommandRequest } from './gated-command.ts'
import { endTree } from './kill-descendants.ts'

export interface ShellRequest extends CommandRequest {
  readonly timeoutMs?: number | undefined
  readonly outputLimit: number
  readonly signal: AbortSignal
  readonly graceMs?: number | undefined
  /** Called with the process group before the command begins; it begins when this resolves. */
  onGroup(group: number, start: string): Promise<void>
  /** Nothing more is read while a promise that this returned is open. */
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
    // The command waits, instead of its output filling our memory.
    command.pause()
    void isFull.then(() => command.resume())
  })
  const { group, groupStart } = command
  const traces = { run: request.run, group, groupStart }
  const end = (graceMs: number): Promise<unknown> => endTree(traces, { graceMs })
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
  // It may have come while we were asking about the process.
  if (request.signal.aborted) interrupted()
  let timer: NodeJS.Timeout | undefined
  try {
    await request.onGroup(group, groupStart)
    if (reason === undefined) command.begin()
    if (request.timeoutMs !== undefined) timer = setTimeout(() => stop('timeout'), request.timeoutMs)
    const { code, signal } = await command.exited
    // What the command left in the background ends with it: the next step and the checkpoint need a tree that stands
    // still.
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
