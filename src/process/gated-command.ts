// Starts a shell command that waits for a line on stdin before it runs. If we die before the intent is on disk, the
// shell reads end of file and exits without running anything.

import { factsOf } from './identity.ts'
import { setMarkCommand } from './limit-mark.ts'

export interface CommandRequest {
  readonly command: string
  readonly cwd: string
  /** Must contain the run's marker. */
  readonly env: Readonly<Record<string, string>>
  readonly run: string
  readonly memory?: number | undefined
  readonly cpuMs?: number | undefined
}

export interface GatedCommand {
  readonly group: number
  readonly groupStart: string
  readonly exited: Promise<{ code: number | null; signal: string | null }>
  begin(): void
  pause(): void
  resume(): void
  /** Resolves when all output of the command has been received. */
  drained(): Promise<void>
}

/** Starts the command in its own process group and session. */
export async function startGated(
  request: CommandRequest,
  onOutput: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void,
): Promise<GatedCommand> {
  const { execa } = await import('execa')
  const setup = `${setMarkCommand(request.run)}${limitsOf(request)}`
  const gate = `IFS= read -r go || exit 125; ${setup}exec /bin/sh -c "$1" </dev/null`
  const child = execa('/bin/sh', ['-c', gate, 'sh', request.command], {
    cwd: request.cwd,
    env: request.env,
    extendEnv: false,
    detached: true,
    reject: false,
    // We read the output ourselves, no faster than it can be stored.
    buffer: false,
  })
  const group = child.pid
  if (group === undefined) {
    const { cause } = await child
    throw new Error(`/bin/sh could not be started in ${request.cwd}`, { cause })
  }
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  )
  const streams = [child.stdout, child.stderr]
  child.stdout.on('data', (chunk: Buffer) => onOutput(chunk, 'stdout'))
  child.stderr.on('data', (chunk: Buffer) => onOutput(chunk, 'stderr'))
  return {
    group,
    groupStart: factsOf(group)?.start ?? '',
    exited,
    begin: () => child.stdin.end('\n'),
    pause: () => streams.forEach((stream) => stream.pause()),
    resume: () => streams.forEach((stream) => stream.resume()),
    // A process that escaped (no mark, group or parent of ours) may keep the pipes open: do not wait for it forever.
    drained: async () => {
      const timer = setTimeout(() => streams.forEach((stream) => stream.destroy()), 3000)
      await child
      clearTimeout(timer)
    },
  }
}

/**
 * Uses the shell's own `ulimit`, so no other tool is needed. It is for one process. Where processes can be measured, it
 * only ends what grows faster than that, and `runShell` applies the limits to all of them.
 */
function limitsOf({ cpuMs, memory }: CommandRequest): string {
  const isMeasured = process.platform === 'linux'
  const seconds = cpuMs === undefined ? undefined : Math.max(1, Math.ceil(cpuMs / 1000)) + (isMeasured ? 2 : 0)
  const bytes = memory === undefined ? undefined : isMeasured ? 2 * memory + 1024 ** 3 : memory
  return `${seconds === undefined ? '' : `ulimit -t ${seconds}; `}${bytes === undefined ? '' : `ulimit -d ${Math.ceil(bytes / 1024)}; `}`
}
