// Runs one shell command in its own process group, and leaves none of its processes alive.

import type { ShellResult } from '../plan/model/verb.ts'
import { startGated, type CommandRequest } from './gated-command.ts'
import { killProcesses } from './kill-descendants.ts'
import { TreeMeter, type TreeUsage } from './tree-meter.ts'

export interface ShellRequest extends CommandRequest {
  readonly timeoutMs?: number | undefined
  /** The longest time without output. */
  readonly idleMs?: number | undefined
  /** Ends the command; its `reason` is a text. */
  readonly limitSignal?: AbortSignal | undefined
  readonly outputLimit: number
  readonly signal: AbortSignal
  readonly graceMs?: number | undefined
  /** Called once, with what the processes used as far as it was measured, and the bytes that they printed. */
  onUsage?(usage: TreeUsage, outputBytes: number): void
  /** Called with the process group before the command runs; the command runs once this resolves. */
  onGroup(group: number, start: string): Promise<void>
  /** Reading stops until the returned promise resolves. */
  onOutput(chunk: Uint8Array, stream: 'stdout' | 'stderr'): Promise<void> | undefined
}

type KillReason = Exclude<Extract<ShellResult, { kind: 'killed' }>['reason'], 'signal'>

export async function runShell(request: ShellRequest): Promise<ShellResult> {
  if (request.signal.aborted) return { kind: 'killed', reason: 'interrupted' }
  let received = 0
  const command = await startGated(request, (chunk, stream) => {
    idle?.refresh()
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

  let reason: KillReason | undefined
  let detail: string | undefined
  let stopping: Promise<unknown> | undefined
  const stop = (why: KillReason, used?: string): void => {
    if (reason !== undefined) return
    reason = why
    detail = used
    // Group first, then child: a grandchild that holds stdout would keep this promise open past the timeout.
    stopping = end(graceMs)
  }
  const interrupted = (): void => stop('interrupted')
  request.signal.addEventListener('abort', interrupted)
  // The signal may have fired while the process was starting.
  if (request.signal.aborted) interrupted()
  let timer: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined
  const limited = (): void => stop('agent-limit', String(request.limitSignal?.reason))
  request.limitSignal?.addEventListener('abort', limited)
  const meter = new TreeMeter(traces)
  const measuring = measure(meter, request, stop)
  try {
    await request.onGroup(group, groupStart)
    if (reason === undefined) command.begin()
    if (request.timeoutMs !== undefined) timer = setTimeout(() => stop('timeout'), request.timeoutMs)
    if (request.idleMs !== undefined) idle = setTimeout(() => stop('idle'), request.idleMs)
    measuring.begin()
    const { code, signal } = await command.exited
    measuring.end()
    // Background processes end with the command: the next step and the checkpoint need a tree that does not change.
    await stopping
    await end(graceMs)
    await command.drained()
    if (reason !== undefined) return { kind: 'killed', reason, ...(detail === undefined ? {} : { detail }) }
    if (signal === 'SIGXCPU' && request.cpuMs !== undefined) return { kind: 'killed', reason: 'cpu-limit' }
    if (signal !== null) return { kind: 'killed', reason: 'signal', signal }
    return { kind: 'exited', code: code ?? 1 }
  } catch (error) {
    await end(0)
    throw error
  } finally {
    clearTimeout(timer)
    clearTimeout(idle)
    request.limitSignal?.removeEventListener('abort', limited)
    measuring.end()
    request.onUsage?.(meter.usage, received)
    request.signal.removeEventListener('abort', interrupted)
  }
}

/**
 * Looks at the processes every 20 ms in the first second, since many commands are short, later less often, and never
 * for more than a twentieth of the time.
 */
function measure(
  meter: TreeMeter,
  { cpuMs, memory }: CommandRequest,
  stop: (why: KillReason, used: string) => void,
): { begin(): void; end(): void } {
  const longest = memory === undefined && cpuMs === undefined ? 500 : 100
  let startedAt = 0
  let delay = 20
  let timer: NodeJS.Timeout | undefined
  let isOver = true
  const look = (): void => {
    const before = performance.now()
    meter.sample()
    const { cpuMs: used = 0, peakBytes = 0 } = meter.usage
    if (cpuMs !== undefined && used > cpuMs) stop('cpu-limit', `${seconds(used)} of ${seconds(cpuMs)}`)
    if (memory !== undefined && peakBytes > memory)
      stop('memory-limit', `${megabytes(peakBytes)} of ${megabytes(memory)}`)
    if (before - startedAt > 1000) delay = Math.min(delay * 1.2, longest)
    schedule(Math.max(delay, 20 * (performance.now() - before)))
  }
  const schedule = (ms: number): void => {
    if (!isOver) timer = setTimeout(look, ms)
  }
  return {
    begin: () => {
      isOver = false
      startedAt = performance.now()
      meter.begin()
      schedule(delay)
    },
    end: () => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      meter.end()
    },
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`
