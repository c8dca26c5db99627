// Opens the user's shell in the work tree of a plan.

import { PlanError } from '../../errors.ts'
import { escapeForTerminal } from '../../plan/text/display.ts'
import type { Environment } from '../../process/environment.ts'
import { runTerminalProgram } from './terminal-program.ts'

export async function openShell(
  directory: string,
  { env, say }: { env: Environment; say: (text: string) => void },
): Promise<void> {
  const shell = env['SHELL'] || '/bin/sh'
  say(`${escapeForTerminal(shell)} in ${escapeForTerminal(directory)}; exit returns to the question\n`)
  // Its exit code is that of the last command that was typed.
  if ((await runTerminalProgram(shell, [], { cwd: directory, env })) === undefined)
    throw new PlanError('usage', `the shell ${JSON.stringify(shell)} could not be started`, {
      hint: 'export SHELL=/bin/sh',
    })
}
