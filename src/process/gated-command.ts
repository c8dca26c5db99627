// A shell command that was started and waits for a word: if we die before the intent is on disk, it reads the end of
// its input and nothing has run.

import { factsOf } from './identity.ts'
import { markingWords } from './limit-mark.ts'

export interface CommandRequest {
  readonly command: string
  readonly cwd: string
  /** Must carry the run's marker. */
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
  /** Nothing of what it wrote is still on its way. */
  drained(): Promise<void>
}

/** In a process group and session of its own. */
export async function startGated(
  request: CommandRequest,
  hear: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void,
): Promise<GatedCommand> {
  const { execa } = await import('execa')
  const words = `${markingWords(request.run)}${limitsOf(request)}`
  const gate = `IFS= read -r go || exit 125; ${words}exec /bin/sh -c "$1" </dev/null`
  const child = execa('/bin/sh', ['-c', gate, 'sh', request.command], {
    cwd: request.cwd,
    env: request.env,
    extendEnv: false,
    detached: true,
    reject: false,
    // Read here, as fast as it can be kept.
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
  child.stdout.on('data', (chunk: Buffer) => hear(chunk, 'stdout'))
  child.stderr.on('data', (chunk: Buffer) => hear(chunk, 'stderr'))
  return {
    group,
    groupStart: factsOf(group)?.start ?? '',
    exited,
    begin: () => child.stdin.end('\n'),
    pause: () => streams.forEach((stream) => stream.pause()),
    resume: () => streams.forEach((stream) => stream.resume()),
    // A process that got away from us, without mark, group or parent, may hold the pipes open: it does not hold us.
    drained: async () => {
      const timer = setTimeout(() => streams.forEach((stream) => stream.destroy()), 3000)
      await child
      clearTimeout(timer)
    },
  }
}

/** Limits are the shell's own, so no other tool is needed. */
function limitsOf({ cpuMs, memory }: CommandRequest): string {
  const cpu = cpuMs === undefined ? '' : `ulimit -t ${Math.max(1, Math.ceil(cpuMs / 1000))}; `
  return `${cpu}${memory === undefined ? '' : `ulimit -d ${Math.ceil(memory / 1024)}; `}`
}
