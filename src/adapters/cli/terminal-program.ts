// Programs of the user that own the terminal while they run: editor, shell and pager. They inherit it, so they are
// started here and not in process/.

import type { Environment } from '../../process/environment.ts'

export interface TerminalProgram {
  readonly cwd: string
  readonly env: Environment
  /** Text for its standard input; default: the terminal. */
  readonly input?: string
  /** The descriptor that receives its standard output; default: 1. */
  readonly output?: 1 | 2
}

/** Returns the exit code; undefined if it could not be started. */
export async function runTerminalProgram(
  file: string,
  args: readonly string[],
  { cwd, env, input, output = 1 }: TerminalProgram,
): Promise<number | undefined> {
  // Loaded on demand, because most commands start none.
  const { execa } = await import('execa')
  const { exitCode, code } = await execa(file, [...args], {
    cwd,
    env: { ...env },
    extendEnv: false,
    ...(input === undefined ? { stdin: 'inherit' } : { input }),
    stdout: output,
    stderr: 'inherit',
    reject: false,
  })
  // A program that was killed has neither.
  return exitCode ?? (code === undefined ? 1 : undefined)
}

/** As with Git, a shell command from the user's configuration. The arguments are never part of the command. */
export const runShellCommand = (
  command: string,
  args: readonly string[],
  options: TerminalProgram,
): Promise<number | undefined> => runTerminalProgram('/bin/sh', ['-c', `${command} "$@"`, command, ...args], options)

/** Starts a program that goes on by itself, with nothing of the terminal. */
export async function launchProgram(file: string, args: readonly string[], env: Environment): Promise<void> {
  const { execa } = await import('execa')
  const child = execa(file, [...args], {
    env: { ...env },
    extendEnv: false,
    stdio: 'ignore',
    detached: true,
    cleanup: false,
    reject: false,
  })
  child.unref()
}
