// Porcelain, run as a person would run it, and the network go through simple-git. Plumbing does not: its block-list
// refuses even the settings that we pin to harmless values, and a checkpoint needs exit codes and bytes.

import { PlanError } from '../../errors.ts'
import { maskTokens } from '../../secrets/mask.ts'
import type { GitRunner } from './runner.ts'
import { troubleOf } from './machine-errors.ts'

export async function runPorcelain(git: GitRunner, args: readonly string[]): Promise<string> {
  const { simpleGit } = await import('simple-git')
  const env = git.environment({ hooks: true })
  // Without `onExit: false` it waits 50 ms after a command that printed nothing. It drops every GIT_* that is not
  // named. EDITOR, PAGER, SSH_ASKPASS and PREFIX are the user's own, who has typed the command: every second shell sets
  // one of them, and git is not to fail for it.
  const unsafe = {
    allowUnsafeEditor: true,
    allowUnsafePager: true,
    allowUnsafeAskPass: true,
    allowUnsafeConfigPaths: true,
  }
  // By itself it takes a git that says nothing for one that did it, also where a signal has ended it.
  const errors = (
    error: Buffer | Error | undefined,
    { exitCode }: { exitCode: number | null },
  ): Buffer | Error | undefined =>
    error ??
    (exitCode === 0
      ? undefined
      : Buffer.from(exitCode === null ? 'it was killed by a signal' : `exit code ${exitCode}`))
  const client = simpleGit({
    baseDir: git.cwd,
    allowEnvironment: Object.keys(env),
    completion: { onClose: true, onExit: false },
    unsafe,
    errors,
  })
  try {
    return await client.env(env).raw([...args])
  } catch (error) {
    const message = maskTokens((error as Error).message)
    const trouble = troubleOf(args[0] ?? '', { stderr: message })
    if (trouble !== undefined) throw trouble
    throw new PlanError('git-failed', maskTokens(`git ${args.slice(0, 2).join(' ')} failed: ${message.trim()}`), {
      cause: error,
    })
  }
}
