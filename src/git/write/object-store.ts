// Protects new objects from `git gc` until a ref names them. `git gc --prune=now` removes every loose object that
// nothing names, however new, even one that a ref named after gc had looked. It leaves a pack with a `.keep` file
// alone, which is how `git fetch` protects its objects. So none of our objects is loose in the repository: Git writes
// into a scratch directory, as it does while it receives a push, and everything becomes packs that are kept until the
// ref has moved.

import { randomBytes } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Oid } from '../../plan/model/ids.ts'
import { makeDirectories, syncNow } from './durable-fs.ts'

const writers = new Set(['add', 'commit-tree', 'hash-object', 'merge-tree', 'mktree', 'pack-objects', 'write-tree'])
/** These commands need their objects in the repository itself. */
const refWriters = new Set(['update-ref', 'stash'])

export class ObjectStore {
  readonly #objects: string
  readonly #scratch: string
  readonly #kept = new Set<string>()
  #depth = 0
  #isSwept = false
  #isUsedByGit = false
  #hasNew = false

  constructor(commonDir: string) {
    this.#objects = join(commonDir, 'objects')
    this.#scratch = join(commonDir, 'plan', `objects.${randomBytes(4).toString('hex')}`)
  }

  /** True once Git has to be told of the scratch directory. */
  get isUsedByGit(): boolean {
    return this.#isUsedByGit
  }

  /** The variables for a Git command that starts now: where it writes objects, and where else it looks. */
  environmentOf(command: string | undefined): Readonly<Record<string, string>> {
    const isWriter = writers.has(command ?? '')
    this.#isUsedByGit ||= isWriter
    this.#hasNew ||= isWriter
    if (!this.#isUsedByGit || refWriters.has(command ?? '')) return {}
    this.#directory('pack')
    if (!isWriter) return { GIT_ALTERNATE_OBJECT_DIRECTORIES: quotePath(this.#scratch) }
    return { GIT_OBJECT_DIRECTORY: this.#scratch, GIT_ALTERNATE_OBJECT_DIRECTORIES: quotePath(this.#objects) }
  }

  /** A directory for packs in progress; Git does not look there. */
  packDraftDirectory(): string {
    return this.#directory('made')
  }

  /** Keeps new objects until the action, which moves the ref, has ended. A nested call does nothing of its own. */
  async withKeptObjects<T>(action: () => Promise<T>): Promise<T> {
    this.#depth += 1
    try {
      return await action()
    } finally {
      this.#depth -= 1
      if (this.#depth === 0) this.#release()
    }
  }

  /** Moves a finished and synced pack into the repository. The index goes last: Git finds a pack by its index. */
  install(made: string): string {
    const directory = join(this.#objects, 'pack')
    const isNew = !existsSync(directory)
    makeDirectories(this.#objects, 'pack')
    const name = join(directory, basename(made))
    if (!this.#isSwept) this.#sweep()
    if (this.#depth > 0) {
      writeFileSync(`${name}.keep`, keepText)
      this.#kept.add(name)
    }
    for (const end of ['.pack', '.idx']) move(`${made}${end}`, `${name}${end}`)
    syncNow(directory)
    if (isNew) syncNow(this.#objects)
    return name
  }

  /** Removes a pack whose objects are all in another one. A leftover only wastes space. */
  remove(name: string): void {
    for (const end of ['.idx', '.pack', '.keep']) rmSync(`${name}${end}`, { force: true })
    this.#kept.delete(name)
  }

  /** The loose objects that Git has written since the last flush. */
  looseFiles(): { readonly oid: Oid; readonly path: string; readonly size: number }[] {
    if (!this.#hasNew) return []
    const directories = namesIn(this.#scratch).filter((name) => /^[0-9a-f]{2}$/.test(name))
    const names = directories.flatMap((first) => namesIn(join(this.#scratch, first)).map((rest) => ({ first, rest })))
    return names
      .filter(({ rest }) => /^[0-9a-f]{38,62}$/.test(rest))
      .map(({ first, rest }) => ({ oid: `${first}${rest}` as Oid, path: join(this.#scratch, first, rest) }))
      .map((file) => ({ ...file, size: statSync(file.path).size }))
  }

  /** Installs the packs that Git has written, for example of large files. */
  installPacks(): void {
    if (!this.#hasNew) return
    for (const directory of [this.packDraftDirectory(), this.#directory('pack')]) {
      for (const name of namesIn(directory).filter((each) => each.endsWith('.idx'))) {
        const made = join(directory, name.slice(0, -'.idx'.length))
        for (const end of ['.pack', '.idx']) syncNow(`${made}${end}`)
        this.install(made)
      }
    }
    this.#hasNew = false
  }

  close(): void {
    this.#release()
    if (existsSync(this.#scratch)) rmSync(this.#scratch, { recursive: true, force: true })
  }

  /** Made each time: a step may have removed it. */
  #directory(name: string): string {
    makeDirectories(dirname(this.#objects), 'plan', basename(this.#scratch), name)
    return join(this.#scratch, name)
  }

  /** Removes leftovers of killed runs: none is needed for longer than a commit takes. */
  #sweep(): void {
    this.#isSwept = true
    // By the clock of the file system, which need not be ours.
    const now = statSync(this.#directory('made')).mtimeMs
    const isOld = (path: string): boolean =>
      path !== this.#scratch && now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > 24 * 3600_000
    const packs = join(this.#objects, 'pack')
    const keeps = pathsIn(packs).filter(
      (path) => path.endsWith('.keep') && isOld(path) && readFileSync(path, 'utf8') === keepText,
    )
    const scratches = pathsIn(dirname(this.#scratch)).filter(
      (path) => /\/objects\.[0-9a-f]{8}$/.test(path) && isOld(path),
    )
    for (const path of [...keeps, ...scratches]) rmSync(path, { recursive: true, force: true })
  }

  #release(): void {
    for (const name of this.#kept) rmSync(`${name}.keep`, { force: true })
    this.#kept.clear()
  }
}

const keepText = 'git plan\n'

/** Quoted as Git does, since a colon would start another path. */
const quotePath = (path: string): string => `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`

/** The repository may be on another file system. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    copyFileSync(from, `${to}.new`)
    syncNow(`${to}.new`)
    renameSync(`${to}.new`, to)
    rmSync(from)
  }
}

const pathsIn = (directory: string): string[] => namesIn(directory).map((name) => join(directory, name))

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
