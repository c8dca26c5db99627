// A call of git taken apart: where it works, its settings, the subcommand and what is its own.

import type { Call } from './call.ts'

export interface GitCall {
  readonly sub: string
  /** Behind the subcommand. */
  readonly args: readonly string[]
  /** The work tree that it changes, from the top of the repository; empty for the top. */
  readonly cwd: string
  /** `key=value`, of this call alone. */
  readonly settings: readonly string[]
}

const valued = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--super-prefix',
  '--config-env',
  '--exec-path',
  '--attr-source',
])

export function gitCallOf({ args, cwd, env }: Call): GitCall {
  const settings: string[] = []
  let workTree = env.get('GIT_WORK_TREE')
  let directory = cwd
  let at = 0
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    if (!arg.startsWith('-')) break
    const equals = arg.startsWith('--') ? arg.indexOf('=') : -1
    const name = equals < 0 ? arg : arg.slice(0, equals)
    if (equals < 0 && !valued.has(name)) continue
    if (equals < 0) at += 1
    const value = equals < 0 ? (args[at] ?? '') : arg.slice(equals + 1)
    if (name === '-c') settings.push(value)
    if (name === '-C') directory = within(directory, value)
    if (name === '--work-tree') workTree = value
  }
  for (const [name, key] of env) {
    const number = /^GIT_CONFIG_KEY_(\d+)$/.exec(name)?.[1]
    if (number !== undefined) settings.push(`${key}=${env.get(`GIT_CONFIG_VALUE_${number}`) ?? ''}`)
  }
  for (const each of settings) workTree = /^core\.worktree=(.*)$/is.exec(each)?.[1] ?? workTree
  const own = args.slice(at + 1)
  // The manual is shown, whatever the subcommand is.
  const isHelp = own.length === 1 && own[0] === '--help'
  return {
    sub: isHelp ? 'help' : (args[at] ?? ''),
    args: own,
    cwd: workTree === undefined ? directory : within(directory, workTree),
    settings,
  }
}

const within = (directory: string, path: string): string =>
  /^[/\u{E005}\u{E009}]/u.test(path) || directory === '' ? path : `${directory}/${path}`
