// One repository, in domain terms. Readers need nothing else; work-tree.ts has the operations on a work tree.

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { PlanError } from '../errors.ts'
import type { Oid } from '../plan/model/ids.ts'
import { CatFile, type GitObject, type SizeLimit } from './read/cat-file.ts'
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
  /** Top of the work tree in which the command was run; the Git directory if there is no work tree. */
  readonly root: string
  readonly gitDir: string
  readonly commonDir: string
  readonly objectFormat: 'sha1' | 'sha256'
  readonly store: ObjectStore
  /** True if objects and index may be written, and some of Git's files read, without Git. */
  readonly isFast: boolean
  readonly #objects: CatFile
  readonly #ownsObjects: boolean
  readonly #isView: boolean
  /** Answers that do not change while a command runs, shared by all views of the repository. */
  readonly #memo: Map<string, Promise<unknown>>
  readonly #refs: RefMover
  readonly config: GitConfig
  #headAtOpen: Promise<string | undefined> | undefined
  /** Ref directories whose own entries are already synced, with the identity of the directory. */
  readonly #syncedRefs = new Map<string, string>()

  private constructor(
    git: GitRunner,
    paths: { root: string; gitDir: string; commonDir: string; objectFormat: 'sha1' | 'sha256' },
    known: {
      readonly store: ObjectStore
      readonly isFast: boolean
      readonly headAtOpen?: Promise<string | undefined> | undefined
    },
    /** From the repository of which this is another view. */
    shared?: { objects?: CatFile; memo: Map<string, Promise<unknown>>; config?: GitConfig },
  ) {
    this.git = git
    this.root = paths.root
    this.gitDir = paths.gitDir
    this.commonDir = paths.commonDir
    this.objectFormat = paths.objectFormat
    this.store = known.store
    this.isFast = known.isFast
    this.#isView = shared !== undefined
    this.#ownsObjects = shared?.objects === undefined
    this.#memo = shared?.memo ?? new Map<string, Promise<unknown>>()
    this.#refs = new RefMover(git)
    this.config = shared?.config ?? new GitConfig(git, paths)
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
    const locations = [
      '--is-bare-repository',
      '--is-inside-work-tree',
      '--absolute-git-dir',
      '--git-common-dir',
      '--show-object-format',
      '--show-toplevel',
    ]
    const asked = [...locations, '--symbolic-full-name', 'HEAD']
    // Readers find out about an old Git only when it fails.
    const [answer] = await Promise.all([
      git.run(['rev-parse', '--path-format=absolute', ...asked], { ok: [0, 128, 129] }),
      options.mayFetch === true ? refuseOldGit(git) : undefined,
    ])
    const [isBare, isInside, gitDir, commonDir, format, root, head] = answer.stdout.toString().split('\n')
    if ((gitDir === undefined || gitDir === '') && options.mayFetch !== true) await refuseOldGit(git)
    if (gitDir === undefined || gitDir === '') throw notARepository(options.cwd, answer.stderr)
    if (isBare === 'true') throw bareRepositoryError()
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
    // Git does not print it for a branch without commits, or if another ref is called HEAD.
    const headAtOpen = answer.code === 0 && head?.startsWith('refs/') === true ? Promise.resolve(head) : undefined
    const store = new ObjectStore(found.commonDir)
    const known = { store, isFast: options.isFast === true, headAtOpen }
    return new Repository(git.in({ cwd: found.root, gitDir, workTree: found.root, store }), found, known)
  }

  /** With a work tree, or bare: for commands that need none. */
  static async openAny(options: { cwd: string; env: Readonly<Record<string, string>> }): Promise<Repository> {
    try {
      return await Repository.open(options)
    } catch (error) {
      if (!(error instanceof PlanError) || error.code !== 'bare-repository') throw error
      return Repository.openStore(options)
    }
  }

  /** Opens only refs and objects, bare or not, without a work tree: for a hook on a server. */
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
    const paths = {
      root: gitDir,
      gitDir,
      commonDir,
      objectFormat: format === 'sha256' ? ('sha256' as const) : ('sha1' as const),
    }
    const store = new ObjectStore(commonDir)
    return new Repository(git.in({ cwd: gitDir, gitDir, workTree: undefined, store }), paths, { store, isFast: false })
  }

  /**
   * The same repository seen from another of its work trees, or with additional environment variables for Git. Must be
   * closed before this one. `store`: its own place for new objects, so that both can write at the same time; the caller
   * closes it.
   */
  at(
    root: string,
    gitDir: string,
    { env = {}, store = this.store }: { env?: Readonly<Record<string, string>>; store?: ObjectStore } = {},
  ): Repository {
    const { isFast } = this
    const git = this.git.in({ cwd: root, gitDir, workTree: root, store, env })
    // In the same work tree all names mean the same, so one process reads for both.
    const isHere = root === this.root && gitDir === this.gitDir
    const shared = { ...(isHere ? { objects: this.#objects, config: this.config } : {}), memo: this.#memo }
    return new Repository(
      git,
      { root, gitDir, commonDir: this.commonDir, objectFormat: this.objectFormat },
      { store, isFast },
      shared,
    )
  }

  /** Remembers the answer for the life of the repository. */
  once<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#memo.get(key) as Promise<T> | undefined
    if (known !== undefined) return known
    const answer = ask()
    this.#memo.set(key, answer)
    return answer
  }

  close(): void {
    if (this.#ownsObjects) this.#objects.close()
    this.#refs.close()
    if (!this.#isView) this.store.close()
  }

  /** True if it was opened without a work tree. */
  get isBare(): boolean {
    return this.root === this.gitDir
  }

  get zero(): Oid {
    return '0'.repeat(this.objectFormat === 'sha256' ? 64 : 40) as Oid
  }

  /** The object that a full ref name or object id names, with tags peeled to `type`. */
  async resolve(name: string, type: 'commit' | 'tree' | 'blob' | 'object' = 'commit'): Promise<Oid | undefined> {
    const found = await this.#objects.info(type === 'object' ? name : `${name}^{${type}}`)
    return found?.oid as Oid | undefined
  }

  tipOf(ref: string): Promise<Oid | undefined> {
    return this.resolve(ref)
  }

  /** A blob by `<commit>:<path>` or id. */
  async readBlob(name: string, size: SizeLimit = 'usual'): Promise<Buffer | undefined> {
    const object = await this.#objects.contents(name, size)
    return object?.type === 'blob' ? object.bytes : undefined
  }

  /** Bytes of an object; undefined if there is none. */
  async sizeOf(name: string): Promise<number | undefined> {
    return (await this.#objects.info(name))?.size
  }

  readObject(name: string): Promise<GitObject | undefined> {
    return this.#objects.contents(name)
  }

  async readCommit(name: string): Promise<Commit | undefined> {
    const object = await this.#objects.contents(`${name}^{commit}`)
    return object === undefined ? undefined : parseCommit(object.oid as Oid, object.bytes)
  }

  /**
   * The commit and up to `count` - 1 first parents, newest first, in one round trip. Stops early if a commit below the
   * first cannot be read.
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

  /** First parents, newest first, up to and including the one for which `isLast` is true. */
  async *history(from: Oid, isLast: (commit: Commit) => boolean = () => false): AsyncGenerator<Commit> {
    for (let at: Oid | undefined = from; at !== undefined;) {
      const commit: Commit | undefined = await this.readCommit(at)
      if (commit === undefined) return
      yield commit
      if (isLast(commit)) return
      at = commit.parents[0]
    }
  }

  /** Refs below these prefixes, such as `refs/heads/plan/`, or with these names. */
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
   * Makes ref names durable. Git syncs the contents of a ref; its directory entry is ours to sync, and so are the
   * entries of its parent directories, once for each directory that Git makes.
   */
  #syncRefs(directory: string): void {
    const facts = statSync(join(this.commonDir, directory), { throwIfNoEntry: false })
    // Git removes a ref directory with its last ref, also when it packs refs, and makes a new one later.
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

  /** The branch that HEAD names, as a full ref; undefined: detached. */
  async headBranch(): Promise<string | undefined> {
    const [, named] = /^ref: (refs\/heads\/.+)\n$/.exec(this.isFast ? textOf(join(this.gitDir, 'HEAD')) : '') ?? []
    // With a ref store other than files, HEAD contains a name that no branch can have.
    return named === undefined || named.endsWith('/.invalid') ? this.#symbolic('HEAD', [0, 1]) : named
  }

  /** HEAD at the start of the command, before anything is checked out. */
  headAtOpen(): Promise<string | undefined> {
    this.#headAtOpen ??= this.headBranch()
    return this.#headAtOpen
  }

  /**
   * The default branch of a remote, from `refs/remotes/<remote>/HEAD`, as a full ref. undefined: unknown or not
   * fetched.
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

  /** The directory in which Git looks for hooks. */
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

export const bareRepositoryError = (): PlanError =>
  new PlanError('bare-repository', 'this repository is bare: a plan needs a work tree', {
    hint: 'git clone . ../work && cd ../work',
  })

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
