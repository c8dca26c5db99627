// Runs porcelain, as a person would run it, and network commands through simple-git. Plumbing does not use it: its
// block list rejects even settings that we pin to harmless values, and a checkpoint needs exit codes and bytes.

import { PlanError } from '../../errors.ts'
import { maskTokens } from '../../secrets/mask.ts'
import type { GitRunner } from './runner.ts'
import { machineErrorOf } from './machine-errors.ts'

export async function runPorcelain(git: GitRunner, args: readonly string[]): Promise<string> {
  const { simpleGit } = await import('simple-git')
  const env = git.environment({ hooks: true })
  // It waits 50 ms after a command that printed nothing, so network commands are asked to print. It drops every GIT_* variable that is
  // not listed. EDITOR, PAGER, SSH_ASKPASS and PREFIX belong to the user who typed the command: many shells set one of
  // them, and Git must not fail because of it.
  const unsafe = {
    allowUnsafeEditor: true,
    allowUnsafePager: true,
    allowUnsafeAskPass: true,
    allowUnsafeConfigPaths: true,
  }
  // By default it treats a Git that printed nothing as successful, even if a signal killed it.
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
    const trouble = machineErrorOf(args[0] ?? '', { stderr: message })
    if (trouble !== undefined) throw trouble
    throw new PlanError('git-failed', maskTokens(`git ${args.slice(0, 2).join(' ')} failed: ${message.trim()}`), {
      cause: error,
    })
  }
}
