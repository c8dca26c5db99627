// The program in a process of its own: its arguments, streams and environment, and the exit code.

import { exitCodes } from '../errors.ts'
import { run } from './main.ts'
import { Output } from './output.ts'

const out = new Output(1, () => process.stdout)
const err = new Output(2, () => process.stderr)

async function start(): Promise<void> {
  const argv = process.argv.slice(2)
  // A copy: what the prompts are told of colours is not for the steps.
  const env = { ...process.env }
  if (argv.includes('--no-color')) process.env['NO_COLOR'] = '1'
  process.exitCode = await run(argv, {
    cwd: process.cwd(),
    env,
    // To ask for it opens a stream on it.
    get stdin() {
      return process.stdin
    },
    stdout: out,
    stderr: err,
    now: () => new Date(),
  })
  // Helpers of git may still hold the loop open; what was written goes out first. Where nothing does, there is nothing to wait for.
  out.afterwards(() => err.afterwards(leave))
}

/** The command is over, and its output is lost: to a script, exit code 0 would say that it has read everything. A hook has answered git already. */
function noteLostOutput(): void {
  const lost = out.failure ?? err.failure
  if (lost === undefined || process.exitCode !== 0 || process.argv[2] === 'hook') return
  err.write(`git plan: the output could not be written: ${lost.message}\nHint: git plan status\n`)
  process.exitCode = exitCodes.system
}

function leave(): void {
  noteLostOutput()
  if (process.getActiveResourcesInfo().length === 0) process.exit()
  setTimeout(() => process.exit(), 100).unref()
}

void start()
