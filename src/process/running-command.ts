// A shell command that was started and waits for a word: if we die before the intent is on disk, it reads the end of its input and nothing has run.

import { spawn } from 'node:child_process'
import { factsOf } from './identity.ts'
import { markingWords } from './limit-mark.ts'

export type Hear = (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void

export interface RunningCommand {
  readonly group: number
  readonly groupStart: string
  /** The process that started it and stays; once it is ended it starts nothing any more. */
  readonly host?: { readonly pid: number; end(): void }
  readonly exited: Promise<{ code: number | null; signal: string | null }>
  begin(): void
  pause(): void
  resume(): void
  /** Nothing of what it wrote is still on its way. */
  drained(): Promise<void>
}

const gate = (words: string): string => `IFS= read -r go || exit 125; ${words}exec /bin/sh -c "$1" </dev/null`

/** Limits are the shell's own, so no other tool is needed. */
export function limitsOf({ cpuMs, memory }: { cpuMs?: number | undefined; memory?: number | undefined }): string {
  const cpu = cpuMs === undefined ? '' : `ulimit -t ${Math.max(1, Math.ceil(cpuMs / 1000))}; `
  return `${cpu}${memory === undefined ? '' : `ulimit -d ${Math.ceil(memory / 1024)}; `}`
}

/** In a process of its own. */
export async function startAlone(
  request: { readonly command: string; readonly limits: string; readonly run: string; readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  hear: Hear,
): Promise<RunningCommand> {
  // Plain spawn: execa adds more to the cost of a short command than the command itself.
  const child = spawn('/bin/sh', ['-c', gate(markingWords(request.run) + request.limits), 'sh', request.command], {
    cwd: request.cwd,
    env: request.env,
    stdio: 'pipe',
    detached: true,
  })
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  const group = child.pid
  if (group === undefined) {
    await closed
    throw new Error(`/bin/sh could not be started in ${request.cwd}`)
  }
  const streams = [child.stdout, child.stderr]
  child.stdout.on('data', (chunk: Buffer) => hear(chunk, 'stdout'))
  child.stderr.on('data', (chunk: Buffer) => hear(chunk, 'stderr'))
  child.stdin.on('error', () => {})
  return {
    group,
    groupStart: factsOf(group)?.start ?? '',
    exited: new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal }))),
    begin: () => child.stdin.end('\n'),
    pause: () => streams.forEach((stream) => stream.pause()),
    resume: () => streams.forEach((stream) => stream.resume()),
    // A process that got away from us, without mark, group or parent, may hold the pipes open: it does not hold us.
    drained: async () => {
      const timer = setTimeout(() => streams.forEach((stream) => stream.destroy()), 3000)
      await closed
      clearTimeout(timer)
    },
  }
}
