// The only place that starts Git. Arguments are arrays, commands are on an allow list, the environment is scrubbed, and
// settings through which a repository could make Git run, ask or lose something are pinned.

import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../../errors.ts'
import { maskTokens } from '../../secrets/mask.ts'
import type { ObjectStore } from '../write/object-store.ts'
import { machineErrorOf } from './machine-errors.ts'

const allowedCommands = new Set([
  'add',
  'cat-file',
  'checkout-index',
  'check-attr',
  'check-ignore',
  'check-ref-format',
  'checkout',
  'commit-tree',
  'config',
  'count-objects',
  'diff',
  'diff-index',
  'diff-tree',
  'for-each-ref',
  'hash-object',
  'hook',
  'log',
  'ls-files',
  'ls-tree',
  'merge-base',
  'merge-tree',
  'mktag',
  'mktree',
  'notes',
  'pack-objects',
  'read-tree',
  'rev-list',
  'rev-parse',
  'stash',
  'status',
  'symbolic-ref',
  'update-index',
  'update-ref',
  'var',
  'verify-commit',
  'version',
  'worktree',
  'write-tree',
])

/** Commands that ask a remote and touch no work tree. */
const networkCommands = new Set(['fetch', 'ls-remote'])

const pinnedSettings: Readonly<Record<string, string>> = {
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
}

/** Tells our hooks that git plan itself makes this commit or push. */
const ownMark: Readonly<Record<string, string>> = { GIT_PLAN_OWN: '1' }

/** For our own commands only: programs that a hook or filter starts must not inherit these. */
const ownVariables: Readonly<Record<string, string>> = {
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
}

export interface GitCall {
  readonly cwd?: string
  /** An index file other than the one of the work tree. */
  readonly index?: string
  readonly input?: string | Uint8Array
  /** Exit codes that are answers, not failures. Default: 0 only. */
  readonly ok?: readonly number[]
  /** As the user's own command would run: with hooks, and nothing pinned, because hooks would inherit the settings. */
  readonly hooks?: boolean
  /** undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly settings?: Readonly<Record<string, string>>
  /** Ignore the work tree, even if there is one. With a `cwd` outside of it, Git reads no .gitattributes. */
  readonly isBare?: boolean
  /** Write objects directly into the repository, since no ref here will name them. */
  readonly isUnnamed?: boolean
  /** Asks a remote, which only `network` does. */
  readonly isNetwork?: boolean
  /** An open file that receives stdout, for output that may be larger than memory. */
  readonly output?: number
}

export interface GitAnswer {
  readonly code: number
  /** The signal that killed it, if one did. */
  readonly signal?: string | null
  readonly stdout: Buffer
  readonly stderr: string
}

export class GitRunner {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly #mayFetch: boolean
  readonly #store: ObjectStore | undefined

  /**
   * `env` is already scrubbed; see process/environment.ts. `mayFetch`: Git may fetch in a partial clone, for writers.
   */
  constructor(options: {
    cwd: string
    env: Readonly<Record<string, string>>
    mayFetch?: boolean
    store?: ObjectStore
  }) {
    this.cwd = options.cwd
    this.env = options.env
    this.#mayFetch = options.mayFetch === true
    this.#store = options.store
  }

  /**
   * The same Git for a repository and work tree (none: bare) that were found before: no discovery, whatever a step does
   * to `.git`.
   */
  in(options: {
    cwd: string
    gitDir: string
    workTree: string | undefined
    store: ObjectStore
    env?: Readonly<Record<string, string>>
  }): GitRunner {
    return new GitRunner({
      store: options.store,
      cwd: options.cwd,
      env: {
        ...this.env,
        ...options.env,
        GIT_DIR: options.gitDir,
        ...(options.workTree === undefined ? {} : { GIT_WORK_TREE: options.workTree }),
      },
      mayFetch: this.#mayFetch,
    })
  }

  commandLine(args: readonly string[], call: GitCall = {}): string[] {
    const command = args[0] ?? ''
    const isAllowed = call.isNetwork === true ? networkCommands : allowedCommands
    if (!isAllowed.has(command)) throw new Error(`git ${command} is not on the list of commands`)
    if (args.some((arg) => arg.includes('\0'))) throw new Error(`git ${command}: an argument holds a NUL byte`)
    const settings = Object.entries(this.#settings(call)).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    return [...(call.isBare === true ? ['--bare'] : []), ...settings, ...args]
  }

  #settings(call: GitCall): Record<string, string> {
    if (call.hooks === true) return { ...call.settings }
    return {
      ...pinnedSettings,
      ...(this.#mayFetch ? {} : { 'protocol.allow': 'never' }),
      'core.hooksPath': '/dev/null',
      ...call.settings,
    }
  }

  /** `command` decides where Git writes objects, and if it sees those that no ref names yet. */
  environment(call: GitCall = {}, command?: string): Record<string, string> {
    // On a server Git has already set the object directory of the push.
    const isElsewhere = call.hooks === true || call.isUnnamed === true || this.env['GIT_OBJECT_DIRECTORY'] !== undefined
    const objects = isElsewhere ? {} : this.#store?.environmentOf(command)
    const all = {
      ...this.env,
      ...objects,
      ...(call.hooks === true ? ownMark : ownVariables),
      ...(call.index === undefined ? {} : { GIT_INDEX_FILE: call.index }),
      ...(call.isBare === true ? { GIT_WORK_TREE: undefined } : {}),
      ...call.env,
    }
    return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined))
  }

  /** Retries for a while if another Git process holds a lock: Git that cannot get one has done nothing yet. */
  async run(args: readonly string[], call: GitCall = {}): Promise<GitAnswer> {
    for (let waited = 0, pause = 25; ; waited += pause, pause = Math.min(pause * 2, 400)) {
      try {
        return await this.#runOnce(args, call)
      } catch (error) {
        if (!(error instanceof PlanError) || error.code !== 'foreign-lock' || waited >= 3000) throw error
        await sleep(pause)
      }
    }
  }

  async #runOnce(args: readonly string[], call: GitCall): Promise<GitAnswer> {
    const raw = await this.#start(args, call)
    const answer = raw.stderr === '' ? raw : { ...raw, stderr: maskTokens(raw.stderr) }
    // A hook's complaints are its own. A Git that could not do its work has given no answer, whatever its exit code.
    const isLocked = args[0] !== 'hook' && lockIn(answer.stderr) !== undefined
    const isPrevented =
      answer.code !== 0 && (isLocked || (call.hooks !== true && machineErrorOf('', answer) !== undefined))
    const isKilled = typeof answer.signal === 'string'
    if (!(call.ok ?? [0]).includes(answer.code) || isPrevented || isKilled) throw gitFailure(args, answer)
    return answer
  }

  #start(args: readonly string[], call: GitCall): Promise<GitAnswer> {
    const words = this.commandLine(args, call)
    return collectOutput(
      spawn('git', words, {
        cwd: call.cwd ?? this.cwd,
        env: this.environment(call, args[0]),
        stdio: [call.input === undefined ? 'ignore' : 'pipe', call.output ?? 'pipe', 'pipe'],
        // Ctrl-C goes to the whole foreground group and must not kill Git in the middle of a commit. Signing stays in
        // the group: it may have to prompt at the terminal.
        detached: !needsTerminal(args),
      }),
      call.input,
    )
  }

  /** A Git process that takes many requests on stdin; see git-child.ts. */
  open(args: readonly string[], call: GitCall = {}): ChildProcessWithoutNullStreams {
    return spawn('git', this.commandLine(args, call), {
      cwd: this.cwd,
      env: this.environment(call, args[0]),
      stdio: 'pipe',
      detached: true,
    })
  }

  /** Asks a remote, as the user's own command would. Without porcelain's waits: a fleet asks thousands. */
  async network(args: readonly string[], settings: Readonly<Record<string, string>> = {}): Promise<string> {
    return (await this.run(args, { hooks: true, isNetwork: true, settings })).stdout.toString()
  }

  async text(args: readonly string[], call: GitCall = {}): Promise<string> {
    return (await this.run(args, call)).stdout.toString().replace(/\n$/, '')
  }
}

// Uses spawn: Git is called dozens of times in a run, and execa adds half as much again to the cost of each call.
function collectOutput(child: ChildProcess, input: string | Uint8Array | undefined): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'ENOENT'
          ? new PlanError('not-a-repository', 'git is not on PATH, or the directory is gone', {
              hint: 'install git 2.38 or newer',
              cause: error,
            })
          : error,
      ),
    )
    child.once('close', (code, signal) =>
      resolve({ code: code ?? 128, signal, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() }),
    )
    // Git may answer without reading all of its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

const needsTerminal = (args: readonly string[]): boolean => args.includes('-S') || args[0] === 'hook'

const lockIn = (stderr: string): string | undefined => /Unable to create '([^']+\.lock)': File exists/.exec(stderr)?.[1]

export function gitFailure(args: readonly string[], answer: Pick<GitAnswer, 'code' | 'signal' | 'stderr'>): PlanError {
  const complaint = answer.stderr.trim()
  const lock = lockIn(complaint)
  if (lock !== undefined) {
    return new PlanError('foreign-lock', `another git process holds ${lock}`, {
      hint: `wait for it and try again; if no git process is running here: rm '${lock}'`,
      facts: { lock },
    })
  }
  const trouble = machineErrorOf(args[0] ?? '', answer)
  if (trouble !== undefined) return trouble
  return new PlanError(
    'git-failed',
    `git ${args[0]} failed (${answer.code}): ${complaint.split('\n').slice(0, 6).join('\n')}`,
    {
      facts: { args: args.slice(0, 8).map(maskTokens) },
    },
  )
}
