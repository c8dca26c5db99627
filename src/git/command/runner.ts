// Starts git, and nothing else does. Arguments are arrays, commands are on a list, the environment is scrubbed, and
// settings through which a repository could make git run something, ask something or lose something are pinned.

import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../../errors.ts'
import { maskTokens } from '../../secrets/mask.ts'
import type { ObjectStore } from '../write/object-store.ts'
import { troubleOf } from './machine-errors.ts'

const allowed = new Set([
  'add',
  'cat-file',
  'checkout-index',
  'check-attr',
  'check-ignore',
  'check-ref-format',
  'checkout',
  'commit-tree',
  'config',
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
}

/** For hooks: the commit or push that they are called for is one of git plan itself. */
const ownMark: Readonly<Record<string, string>> = { GIT_PLAN_OWN: '1' }

/** For commands of ours alone: what a hook or a filter starts must not inherit them. */
const ours: Readonly<Record<string, string>> = {
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
}

export interface GitCall {
  readonly cwd?: string
  /** Another index than the work tree's own. */
  readonly index?: string
  readonly input?: string | Uint8Array
  /** Exit codes that are answers, not failures. Default: 0 only. */
  readonly ok?: readonly number[]
  /** As the user's own command would run: hooks included, nothing pinned, because git hands its settings on to them. */
  readonly hooks?: boolean
  /** undefined takes a variable out. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly settings?: Readonly<Record<string, string>>
  /** Without a work tree, also where there is one. With a `cwd` outside of that, git reads no .gitattributes. */
  readonly isBare?: boolean
  /** Objects go straight into the repository: no ref here is going to name them. */
  readonly isUnnamed?: boolean
  /** An open file that gets what git prints: for what may be larger than memory. */
  readonly output?: number
}

export interface GitAnswer {
  readonly code: number
  /** What ended it, where it did not end by itself. */
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
   * `env` is already scrubbed; see process/environment.ts. `mayFetch`: in a partial clone git may get what it misses,
   * as writers need it.
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
   * The same git, in one repository and work tree (none: bare) that were found before: no discovery, whatever a step
   * does to `.git`.
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
    if (!allowed.has(command)) throw new Error(`git ${command} is not on the list of commands`)
    if (args.some((arg) => arg.includes('\0'))) throw new Error(`git ${command}: an argument holds a NUL byte`)
    const settings = Object.entries(this.#settings(call)).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    return [...(call.isBare === true ? ['--bare'] : []), ...settings, ...args]
  }

  #settings(call: GitCall): Record<string, string> {
    if (call.hooks === true) return { ...call.settings }
    return {
      ...pinned,
      ...(this.#mayFetch ? {} : { 'protocol.allow': 'never' }),
      'core.hooksPath': '/dev/null',
      ...call.settings,
    }
  }

  /** `command`: where it writes objects, and whether it sees those that no ref names yet, depends on it. */
  environment(call: GitCall = {}, command?: string): Record<string, string> {
    // On a server git has said where the objects of a push are.
    const isElsewhere = call.hooks === true || call.isUnnamed === true || this.env['GIT_OBJECT_DIRECTORY'] !== undefined
    const objects = isElsewhere ? {} : this.#store?.environmentOf(command)
    const all = {
      ...this.env,
      ...objects,
      ...(call.hooks === true ? ownMark : ours),
      ...(call.index === undefined ? {} : { GIT_INDEX_FILE: call.index }),
      ...(call.isBare === true ? { GIT_WORK_TREE: undefined } : {}),
      ...call.env,
    }
    return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined))
  }

  /** Waits a little where another git process holds a lock: git that cannot have one has done nothing yet. */
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
    const heard = await this.#start(args, call)
    const answer = heard.stderr === '' ? heard : { ...heard, stderr: maskTokens(heard.stderr) }
    // What a hook says is the hook's; all else that git was kept from is no answer, whatever code it ended with.
    const isLocked = args[0] !== 'hook' && lockIn(answer.stderr) !== undefined
    const isPrevented = answer.code !== 0 && (isLocked || (call.hooks !== true && troubleOf('', answer) !== undefined))
    const isKilled = typeof answer.signal === 'string'
    if (!(call.ok ?? [0]).includes(answer.code) || isPrevented || isKilled) throw gitFailure(args, answer)
    return answer
  }

  #start(args: readonly string[], call: GitCall): Promise<GitAnswer> {
    const words = this.commandLine(args, call)
    return collect(
      spawn('git', words, {
        cwd: call.cwd ?? this.cwd,
        env: this.environment(call, args[0]),
        stdio: [call.input === undefined ? 'ignore' : 'pipe', call.output ?? 'pipe', 'pipe'],
        // Ctrl-C goes to the whole foreground group: it must not end git in the middle of a commit. Signing may have to
        // ask at the terminal.
        detached: !needsTerminal(args),
      }),
      call.input,
    )
  }

  /** A git that is asked again and again on its standard input; see git-child.ts. */
  open(args: readonly string[], call: GitCall = {}): ChildProcessWithoutNullStreams {
    return spawn('git', this.commandLine(args, call), {
      cwd: this.cwd,
      env: this.environment(call, args[0]),
      stdio: 'pipe',
      detached: true,
    })
  }

  async text(args: readonly string[], call: GitCall = {}): Promise<string> {
    return (await this.run(args, call)).stdout.toString().replace(/\n$/, '')
  }
}

// Plain spawn: git is called dozens of times in a run, and execa adds half as much again to the cost of each call.
function collect(child: ChildProcess, input: string | Uint8Array | undefined): Promise<GitAnswer> {
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
    // Git may answer without reading all of it.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

const needsTerminal = (args: readonly string[]): boolean => args.includes('-S') || args[0] === 'hook'

const lockIn = (stderr: string): string | undefined => /Unable to create '([^']+\.lock)': File exists/.exec(stderr)?.[1]

export function gitFailure(args: readonly string[], answer: Pick<GitAnswer, 'code' | 'signal' | 'stderr'>): PlanError {
  const said = answer.stderr.trim()
  const lock = lockIn(said)
  if (lock !== undefined) {
    return new PlanError('foreign-lock', `another git process holds ${lock}`, {
      hint: `wait for it and try again; if no git process is running here: rm '${lock}'`,
      facts: { lock },
    })
  }
  const trouble = troubleOf(args[0] ?? '', answer)
  if (trouble !== undefined) return trouble
  return new PlanError(
    'git-failed',
    `git ${args[0]} failed (${answer.code}): ${said.split('\n').slice(0, 6).join('\n')}`,
    {
      facts: { args: args.slice(0, 8).map(maskTokens) },
    },
  )
}
