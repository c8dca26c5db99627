// Starts git, and nothing else does. Arguments are arrays, commands are on a list, the environment is scrubbed, and settings
// through which a repository could make git run something, ask something or lose something are pinned.

import { execa } from 'execa'
import { PlanError } from '../errors.ts'

const allowed = new Set([
  'add', 'cat-file', 'checkout-index', 'check-attr', 'check-ignore', 'check-ref-format', 'checkout', 'commit-tree', 'config', 'diff', 'diff-index', 'diff-tree', 'for-each-ref',
  'hash-object', 'hook', 'log', 'ls-files', 'ls-tree', 'merge-base', 'merge-tree', 'mktag', 'mktree', 'notes', 'read-tree', 'rev-list', 'rev-parse',
  'stash', 'status', 'symbolic-ref', 'update-index', 'update-ref', 'var', 'verify-commit', 'version', 'worktree', 'write-tree',
])

const pinned: Readonly<Record<string, string>> = {
  'core.fsmonitor': 'false',
  'core.pager': 'cat',
  'core.editor': 'false',
  'core.quotePath': 'false',
  'core.fsync': 'committed,reference,index',
  'core.filesRefLockTimeout': '3000',
  'core.packedRefsTimeout': '3000',
  'core.splitIndex': 'false',
  'core.logAllRefUpdates': 'true',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'log.showSignature': 'false',
  'color.ui': 'false',
  'submodule.recurse': 'false',
  'user.useConfigOnly': 'true',
  'i18n.commitEncoding': 'utf-8',
  'advice.addEmbeddedRepo': 'false',
  'protocol.allow': 'never',
}

export interface GitCall {
  readonly cwd?: string
  /** Another index than the work tree's own. */
  readonly index?: string
  readonly input?: string | Uint8Array
  /** Exit codes that are answers, not failures. Default: 0 only. */
  readonly ok?: readonly number[]
  /** Let the repository's hooks run, as the user's own command would. */
  readonly hooks?: boolean
  readonly env?: Readonly<Record<string, string>>
  readonly settings?: Readonly<Record<string, string>>
}

export interface GitAnswer {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
}

export class GitRunner {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>

  /** `env` is already scrubbed; see process/environment.ts. */
  constructor(options: { cwd: string; env: Readonly<Record<string, string>> }) {
    this.cwd = options.cwd
    this.env = options.env
  }

  /** The same git, in one repository and work tree that were found before: no discovery, whatever a step does to `.git`. */
  in(options: { cwd: string; gitDir: string; workTree: string }): GitRunner {
    return new GitRunner({ cwd: options.cwd, env: { ...this.env, GIT_DIR: options.gitDir, GIT_WORK_TREE: options.workTree } })
  }

  commandLine(args: readonly string[], call: GitCall = {}): string[] {
    const command = args[0] ?? ''
    if (!allowed.has(command)) throw new Error(`git ${command} is not on the list of commands`)
    if (args.some((arg) => arg.includes('\0'))) throw new Error(`git ${command}: an argument holds a NUL byte`)
    const settings = { ...pinned, ...(call.hooks === true ? {} : { 'core.hooksPath': '/dev/null' }), ...call.settings }
    return [...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]), ...args]
  }

  environment(call: GitCall = {}): Record<string, string> {
    return { ...this.env, ...(call.index === undefined ? {} : { GIT_INDEX_FILE: call.index }), ...call.env }
  }

  async run(args: readonly string[], call: GitCall = {}): Promise<GitAnswer> {
    const result = await execa('git', this.commandLine(args, call), {
      cwd: call.cwd ?? this.cwd,
      env: this.environment(call),
      extendEnv: false,
      reject: false,
      stripFinalNewline: false,
      encoding: 'buffer',
      maxBuffer: 1024 * 1024 * 1024,
      ...(call.input === undefined ? { stdin: 'ignore' as const } : { input: typeof call.input === 'string' ? Buffer.from(call.input) : call.input }),
    })
    if (result.code === 'ENOENT') throw new PlanError('not-a-repository', 'git is not on PATH', { hint: 'install git 2.38 or newer' })
    const answer = { code: result.exitCode ?? 128, stdout: Buffer.from(result.stdout), stderr: Buffer.from(result.stderr).toString() }
    if (!(call.ok ?? [0]).includes(answer.code)) throw gitFailure(args, answer)
    return answer
  }

  async text(args: readonly string[], call: GitCall = {}): Promise<string> {
    return (await this.run(args, call)).stdout.toString().replace(/\n$/, '')
  }
}

export function gitFailure(args: readonly string[], answer: { code: number; stderr: string }): PlanError {
  const said = answer.stderr.trim()
  const lock = /Unable to create '([^']+\.lock)'/.exec(said)?.[1]
  if (lock !== undefined) {
    return new PlanError('foreign-lock', `another git process holds ${lock}`, {
      hint: `wait for it and try again; if no git process is running here: rm '${lock}'`,
      facts: { lock },
    })
  }
  return new PlanError('git-failed', `git ${args[0]} failed (${answer.code}): ${said.split('\n').slice(0, 6).join('\n')}`, { facts: { args: args.slice(0, 8) } })
}
