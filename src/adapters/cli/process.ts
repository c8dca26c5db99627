// The program as a process: arguments, streams, environment and exit code.

import { exitCodes } from '../../errors.ts'
import { callGuard, isAgentHook } from './call-guard.ts'
import { Output } from './output.ts'
import type { Surroundings } from './surroundings.ts'

const out = new Output(1, () => process.stdout)
const err = new Output(2, () => process.stderr)

async function start(): Promise<void> {
  const argv = process.argv.slice(2)
  // A copy: NO_COLOR is set for the prompts and must not reach the steps.
  const env = { ...process.env }
  if (argv.includes('--no-color')) process.env['NO_COLOR'] = '1'
  const around: Surroundings = {
    cwd: process.cwd(),
    env,
    // A getter: reading it opens a stream.
    get stdin() {
      return process.stdin
    },
    stdout: out,
    stderr: err,
    now: () => new Date(),
    elapsedMs: () => process.uptime() * 1000,
  }
  process.exitCode = isAgentHook(argv)
    ? await callGuard(argv.slice(1), around)
    : await (await import('./main.ts')).run(argv, around)
  // Git helper processes may keep the event loop alive, so write everything and then exit.
  out.afterwards(() => err.afterwards(leave))
}

/**
 * Lost output must not end with exit code 0, since a script would take it for complete. A hook has already answered.
 */
function noteLostOutput(): void {
  const lost = out.failure ?? err.failure
  if (lost === undefined || process.exitCode !== 0 || ['hook', 'guard'].includes(process.argv[2] ?? '')) return
  err.write(`git plan: the output could not be written: ${lost.message}\nHint: git plan status\n`)
  process.exitCode = exitCodes.system
}

function leave(): void {
  noteLostOutput()
  if (process.getActiveResourcesInfo().length === 0) process.exit()
  setTimeout(() => process.exit(), 100).unref()
}

void start()
