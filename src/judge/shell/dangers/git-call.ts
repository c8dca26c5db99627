// A call of git: its work tree, settings, subcommand and arguments.

import { readArguments, type Call } from './call.ts'
import { fromTop } from './location.ts'

export interface GitCall {
  readonly sub: string
  readonly args: readonly string[]
  /** The work tree, relative to the top of the repository. */
  readonly cwd: string
  /** `key=value`, for this call. */
  readonly settings: readonly string[]
}

const usage = '-C= -c= --git-dir= --work-tree= --namespace= --exec-path= --config-env='

export function gitCallOf({ args, cwd, env }: Call): GitCall {
  const { operands, values } = readArguments(args, usage, 'first')
  const [sub = '', ...own] = operands
  const directories = [...values('-C'), env.get('GIT_WORK_TREE') ?? '', ...values('--work-tree')]
  return {
    // `git reset --help` shows the manual.
    sub: own.length === 1 && own[0] === '--help' ? 'help' : sub,
    args: own,
    cwd: directories.filter((path) => path !== '').reduce((directory, path) => fromTop(path, directory), cwd),
    settings: values('-c'),
  }
}
