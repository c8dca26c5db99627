// One repository, in the words of the domain. Readers use this alone; what touches a work tree is in work-tree.ts.

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { PlanError } from '../errors.ts'
import type { Oid } from '../plan/model/ids.ts'
import { CatFile, type GitObject, type MostSize } from './read/cat-file.ts'
import { parseCommit, type Commit } from './write/commit.ts'
import { syncNow } from './write/durable-fs.ts'
import { refuseForeignGitFile } from './read/git-file.ts'
import { GitConfig } from './command/git-config.ts'
import { ObjectStore } from './write/object-store.ts'
import { RefMover, type RefMove } from './read/refs.ts'
import { GitRunner } from './command/runner.ts'
import { refuseOldGit } from './command/version.ts'

export interface Ref {
  readonly name: string
  readonly oid: Oid
}

export class Repository {
  readonly git: GitRunner
  /** Of the work tree that the command was given in. */
  readonly root: string
  readonly gitDir: string
  readonly commonDir: string
  readonly objectFormat: 'sha1' | 'sha256'
  readonly store: ObjectStore
  /** Whether anything is written, or read from a file of git's, without git. */
  readonly isFast: boolean
  readonly #objects: CatFile
  readonly #ownsObjects: boolean
  readonly #isView: boolean
  /** Answers that do not change while a command runs, shared with the same repository seen from elsewhere. */
  readonly #memo: Map<string, Promise<unknown>>
  readonly #refs: RefMover
  readonly config: GitConfig
  #headAtOpen: Promise<string | undefined> | undefined
  /** Directories of refs that are themselves on disk under their names, and which directory it was. */
  readonly #syncedRefs = new Map<string, string>()

  private constructor(
    git: GitRunner,
    places: { root: string; gitDir: string; commonDir: string; objectFormat: 'sha1' | 'sha256' },
    known: {
      readonly store: ObjectStore
      readonly isFast: boolean
      readonly headAtOpen?: Promise<string | undefined> | undefined
    },
    /** Of the repository that this is another view of. */
    shared?: { objects?: CatFile; memo: Map<string, Promise<unknown>>; config?: GitConfig },
  ) {
    this.git = git
    this.root = places.root
    this.gitDir = places.gitDir
    this.commonDir = places.commonDir
    this.objectFormat = places.objectFormat
    this.store = known.store
    this.isFast = known.isFast
    this.#isView = shared !== undefined
    this.#ownsObjects = shared?.objects === undefined
    this.#memo = shared?.memo ?? new Map<string, Promise<unknown>>()
    this.#refs = new RefMover(git)
    this.config = shared?.config ?? new GitConfig(git, places)
    this.#objects = shared?.objects ?? new CatFile(git, known.store)
    this.#headAtOpen = known.headAtOpen
  }

  static async open(options: {
    cwd: string
    env: Readonly<Record<string, string>>
    mayFetch?: boolean
    isFast?: boolean
  }): Promise<Repository> {
    const git = new GitRunner(options)
    const places = [
      '--is-bare-repository',
      '--is-inside-work-tree',
      '--absolute-git-dir',
      '--git-common-dir',
      '--show-object-format',
      '--show-toplevel',
    ]
    const asked = [...places, '--symbolic-full-name', 'HEAD']
    // Who reads finds out where an old git fails.
    const [answer] = await Promise.all([
      git.run(['rev-parse', '--path-format=absolute', ...asked], { ok: [0, 128, 129] }),
      options.mayFetch === true ? refuseOldGit(git) : undefined,
    ])
    const [isBare, isInside, gitDir, commonDir, format, root, head] = answer.stdout.toString().split('\n')
    if ((gitDir === undefined || gitDir === '') && options.mayFetch !== true) await refuseOldGit(git)
    if (gitDir === undefined || gitDir === '') throw notARepository(options.cwd, answer.stderr)
    if (isBare === 'true')
      throw new PlanError('bare-repository', 'this repository is bare: a plan needs a work tree', {
        hint: 'git worktree add ../work && cd ../work',
      })
    if (isInside !== 'true' || root === undefined || root === '')
      throw new PlanError('not-a-repository', 'this directory is inside the git directory, not in a work tree', {
        hint: 'cd to the work tree',
      })
    const found = {
      gitDir,
      commonDir: resolve(options.cwd, commonDir ?? gitDir),
      root: realpathSync.native(root),
      objectFormat: format === 'sha256' ? ('sha256' as const) : ('sha1' as const),
    }
    refuseForeignGitFile(found)
    // Git does not say it of a branch without commits, and where another ref is called HEAD, too.
    const headAtOpen = answer.code === 0 && head?.startsWith('refs/') === true ? Promise.resolve(head) : undefined
    const store = new ObjectStore(found.commonDir)
    const known = { store, isFast: options.isFast === true, headAtOpen }
    return new Repository(git.in({ cwd: found.root, gitDir, workTree: found.root, store }), found, known)
  }

  /**
   * The store alone, bare or not, as a hook on a server has it: refs and objects can be read, and there is no work
   * tree.
   */
  static async openStore(options: { cwd: string; env: Readonly<Record<string, string>> }): Promise<Repository> {
    const git = new GitRunner(options)
    const answer = await git.run(
      ['rev-parse', '--path-format=absolute', '--absolute-git-dir', '--git-common-dir', '--show-object-format'],
      {
        ok: [0, 128, 129],
      },
    )
    const [gitDir = '', commonDir = '', format] = answer.stdout.toString().split('\n')
    if (gitDir === '') throw notARepository(options.cwd, answer.stderr)
    const places = {
      root: gitDir,
      gitDir,
      commonDir,
      objectFormat: format === 'sha256' ? ('sha256' as const) : ('sha1' as const),
    }
    const store = new ObjectStore(commonDir)
    return new Repository(git.in({ cwd: gitDir, gitDir, workTree: undefined, store }), places, { store, isFast: false })
  }

  /**
   * The same repository seen from another of its work trees, or with more in the environment of git. To be closed
   * before this one.
   */
  at(root: string, gitDir: string, { env = {} }: { env?: Readonly<Record<string, string>> } = {}): Repository {
    const { store, isFast } = this
    const git = this.git.in({ cwd: root, gitDir, workTree: root, store, env })
    // In the same place all names mean the same: one process reads for both.
    const isHere = root === this.root && gitDir === this.gitDir
    const shared = { ...(isHere ? { objects: this.#objects, config: this.config } : {}), memo: this.#memo }
    return new Repository(
      git,
      { root, gitDir, commonDir: this.commonDir, objectFormat: this.objectFormat },
      { store, isFast },
      shared,
    )
  }

  /** Asks once. */
  once<T>(question: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#memo.get(question) as Promise<T> | undefined
    if (known !== undefined) return known
    const answer = ask()
    this.#memo.set(question, answer)
    return answer
  }

  close(): void {
    if (this.#ownsObjects) this.#objects.close()
    this.#refs.close()
    if (!this.#isView) this.store.close()
  }

  get zero(): Oid {
    return '0'.repeat(this.objectFormat === 'sha256' ? 64 : 40) as Oid
  }

  /** The object that a full ref name or object id stands for, tags peeled to `type`. */
  async resolve(name: string, type: 'commit' | 'tree' | 'blob' | 'object' = 'commit'): Promise<Oid | undefined> {
    const found = await this.#objects.info(type === 'object' ? name : `${name}^{${type}}`)
    return found?.oid as Oid | undefined
  }

  tipOf(ref: string): Promise<Oid | undefined> {
    return this.resolve(ref)
  }

  /** A blob by `<commit>:<path>` or id. */
  async readBlob(name: string, size: MostSize = 'usual'): Promise<Buffer | undefined> {
    const object = await this.#objects.contents(name, size)
    return object?.type === 'blob' ? object.bytes : undefined
  }

  readObject(name: string): Promise<GitObject | undefined> {
    return this.#objects.contents(name)
  }

  async readCommit(name: string): Promise<Commit | undefined> {
    const object = await this.#objects.contents(`${name}^{commit}`)
    return object === undefined ? undefined : parseCommit(object.oid as Oid, object.bytes)
  }

  /**
   * The commit and its first parents, newest first, as many as there are up to `count`: asked for at once, and answered
   * at once. Fewer where one below the first cannot be read.
   */
  async firstParents(from: Oid, count: number): Promise<Commit[]> {
    const read = await Promise.allSettled(
      Array.from({ length: count }, (_, back) => this.readCommit(back === 0 ? from : `${from}~${back}`)),
    )
    if (read[0]?.status === 'rejected') throw read[0].reason
    const commits: Commit[] = []
    for (const each of read) {
      if (each.status === 'rejected' || each.value === undefined) break
      commits.push(each.value)
    }
    return commits
  }

  /** First parents, newest first, until `isLast` says so. */
  async *history(from: Oid, isLast: (commit: Commit) => boolean = () => false): AsyncGenerator<Commit> {
    for (let at: Oid | undefined = from; at !== undefined;) {
      const commit: Commit | undefined = await this.readCommit(at)
      if (commit === undefined) return
      yield commit
      if (isLast(commit)) return
      at = commit.parents[0]
    }
  }

  /** Refs below these prefixes, such as `refs/heads/plan/`, or of these names. */
  async refs(...prefixes: string[]): Promise<Ref[]> {
    const text = await this.git.text(['for-each-ref', '--format=%(objectname) %(refname)', ...prefixes])
    return text === ''
      ? []
      : text.split('\n').map((line) => {
          const [oid = '', name = ''] = line.split(' ')
          return { name, oid: oid as Oid }
        })
  }

  async moveRefs(moves: readonly RefMove[]): Promise<void> {
    await this.#refs.move(moves, this.zero)
    for (const directory of new Set(moves.map(({ ref }) => dirname(ref)))) this.#syncRefs(directory)
  }

  /**
   * Git syncs what is in a ref; that it is there under its name is ours to sync, and that its directory is, once for
   * each that git makes.
   */
  #syncRefs(directory: string): void {
    const facts = statSync(join(this.commonDir, directory), { throwIfNoEntry: false })
    // Git removes a directory of refs with its last one, also when it packs them, and makes another.
    if (facts === undefined) return
    const made = `${facts.dev} ${facts.ino} ${facts.birthtimeMs}`
    const above = this.#syncedRefs.get(directory) === made ? [] : parentsOf(directory)
    for (const each of [directory, ...above]) {
      try {
        syncNow(join(this.commonDir, each))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    }
    this.#syncedRefs.set(directory, made)
  }

  /** What HEAD names: a branch (full ref), or undefined when detached. */
  async headBranch(): Promise<string | undefined> {
    const [, named] = /^ref: (refs\/heads\/.+)\n$/.exec(this.isFast ? textOf(join(this.gitDir, 'HEAD')) : '') ?? []
    // A store of refs that is no directory has a name there that no branch can have.
    return named === undefined || named.endsWith('/.invalid') ? this.#symbolic('HEAD', [0, 1]) : named
  }

  /** The same at the beginning of a command, before anything is checked out. */
  headAtOpen(): Promise<string | undefined> {
    this.#headAtOpen ??= this.headBranch()
    return this.#headAtOpen
  }

  /**
   * The default branch of a remote, as `refs/remotes/<remote>/HEAD` names it: a full ref; undefined where it is not
   * known here, or not fetched.
   */
  async remoteHead(remote = 'origin'): Promise<string | undefined> {
    const name = `refs/remotes/${remote}/HEAD`
    return (await this.resolve(name)) === undefined ? undefined : this.#symbolic(name, [0, 1, 128])
  }

  async #symbolic(name: string, ok: readonly number[]): Promise<string | undefined> {
    const answer = await this.git.run(['symbolic-ref', '-q', name], { ok })
    return answer.code === 0 ? answer.stdout.toString().trim() : undefined
  }

  async headCommit(): Promise<Oid> {
    const tip = await this.resolve('HEAD')
    const head = tip === undefined ? await this.headBranch() : undefined
    if (head?.startsWith('refs/heads/plan/') === true) {
      const name = head.slice('refs/heads/'.length)
      throw new PlanError('branch-moved', `${name} is checked out, but no longer exists`, {
        hint: {
          'find its last commit': 'git reflog',
          'restore it': `git branch ${name} COMMIT`,
          'leave it': 'git symbolic-ref HEAD refs/heads/main',
        },
      })
    }
    if (tip === undefined)
      throw new PlanError('no-commits', 'this repository has no commits yet', {
        hint: "git commit --allow-empty -m 'First commit'",
      })
    return tip
  }

  /** Where git looks for hooks. */
  async hooksPath(): Promise<string> {
    if ((await this.config.value('core.hookspath')) === undefined) return join(this.commonDir, 'hooks')
    return this.git.text(['rev-parse', '--path-format=absolute', '--git-path', 'hooks'], { hooks: true })
  }

  async isAncestor(ancestor: Oid, of: Oid): Promise<boolean> {
    return (await this.git.run(['merge-base', '--is-ancestor', ancestor, of], { ok: [0, 1] })).code === 0
  }

  async mergeBase(a: Oid, b: Oid): Promise<Oid | undefined> {
    const answer = await this.git.run(['merge-base', a, b], { ok: [0, 1] })
    return answer.code === 0 ? (answer.stdout.toString().trim() as Oid) : undefined
  }
}

function notARepository(cwd: string, stderr: string): PlanError {
  if (/dubious ownership|safe\.directory/.test(stderr))
    return new PlanError('not-a-repository', stderr.trim().replace(/^fatal: /, ''))
  return new PlanError('not-a-repository', `${cwd} is not in a git repository`, { hint: 'git init' })
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const parentsOf = (path: string): string[] =>
  dirname(path) === '.' ? [] : [dirname(path), ...parentsOf(dirname(path))]
