// Starts `git plan` as a child process: a fleet carries out each repository in a process of its own, which ends its step
// by itself if this one is killed.

import { spawn } from 'node:child_process'
import { setMaxListeners } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Environment } from './environment.ts'

declare const GIT_PLAN_VERSION: string | undefined

/** Of a build, or of the sources after a build. */
const program = (): string =>
  fileURLToPath(new URL(typeof GIT_PLAN_VERSION === 'string' ? '../cli.mjs' : '../../dist/cli.mjs', import.meta.url))

export interface OwnAnswer {
  /** null: a signal killed it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const mostOutput = 4 * 1024 * 1024

/** `signal`: asks it to stop, as Ctrl-C does. */
export function runOwnProgram(
  args: readonly string[],
  { cwd, env, signal }: { readonly cwd: string; readonly env: Environment; readonly signal: AbortSignal },
): Promise<OwnAnswer> {
  return new Promise((resolve, reject) => {
    // A group of its own: Ctrl-C at the terminal reaches it through this process, once.
    const child = spawn(process.execPath, [program(), ...args], {
      cwd,
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const output = { stdout: '', stderr: '' }
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].on('data', (chunk: Buffer) => {
        // The last line is the result.
        output[stream] = (output[stream] + chunk.toString()).slice(-mostOutput)
      })
    const stop = (): void => {
      child.kill('SIGINT')
    }
    // Any number of programs may run until the same signal.
    setMaxListeners(0, signal)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    child.once('error', reject)
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop)
      resolve({ code, ...output })
    })
  })
}
