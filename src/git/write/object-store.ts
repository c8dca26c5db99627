// Where objects are until a ref names them. `git gc --prune=now` removes every loose object that nothing names, however young it is, and so it does with one
// that was named after it had looked. A pack with a file `.keep` beside it is left alone, which is how `git fetch` protects what it gets. So nothing of ours is
// loose in the repository: git writes into a directory of its own, as it does while it receives a push, and all of it becomes packs that are kept until the ref
// has moved.

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
/** What a ref is moved to has to be in the repository itself. */
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

  /** Git has to be told of the scratch directory from here on. */
  get isUsedByGit(): boolean {
    return this.#isUsedByGit
  }

  /** For a command of git that is started now: where it writes, and where else it looks. */
  environmentOf(command: string | undefined): Readonly<Record<string, string>> {
    const isWriter = writers.has(command ?? '')
    this.#isUsedByGit ||= isWriter
    this.#hasNew ||= isWriter
    if (!this.#isUsedByGit || refWriters.has(command ?? '')) return {}
    this.#directory('pack')
    if (!isWriter) return { GIT_ALTERNATE_OBJECT_DIRECTORIES: listed(this.#scratch) }
    return { GIT_OBJECT_DIRECTORY: this.#scratch, GIT_ALTERNATE_OBJECT_DIRECTORIES: listed(this.#objects) }
  }

  /** A directory in which to make packs; git does not look there. */
  workshop(): string {
    return this.#directory('made')
  }

  /** From the first object that is written to the ref that names it. Within another one it does nothing. */
  async keeping<T>(action: () => Promise<T>): Promise<T> {
    this.#depth += 1
    try {
      return await action()
    } finally {
      this.#depth -= 1
      if (this.#depth === 0) this.#release()
    }
  }

  /** A finished and synced pack comes into the repository. The index last: by it git finds a pack. */
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

  /** All of it is in another one. What cannot be removed is there twice, which harms nobody. */
  remove(name: string): void {
    for (const end of ['.idx', '.pack', '.keep']) rmSync(`${name}${end}`, { force: true })
    this.#kept.delete(name)
  }

  /** The files of the loose objects that git has written since the last time. */
  looseFiles(): { readonly oid: Oid; readonly path: string; readonly size: number }[] {
    if (!this.#hasNew) return []
    const directories = namesIn(this.#scratch).filter((name) => /^[0-9a-f]{2}$/.test(name))
    const names = directories.flatMap((first) => namesIn(join(this.#scratch, first)).map((rest) => ({ first, rest })))
    return names
      .filter(({ rest }) => /^[0-9a-f]{38,62}$/.test(rest))
      .map(({ first, rest }) => ({ oid: `${first}${rest}` as Oid, path: join(this.#scratch, first, rest) }))
      .map((file) => ({ ...file, size: statSync(file.path).size }))
  }

  /** The packs that git has made, of large files for instance. */
  takePacks(): void {
    if (!this.#hasNew) return
    for (const directory of [this.workshop(), this.#directory('pack')]) {
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

  /** Each time: a step may have removed it. */
  #directory(name: string): string {
    makeDirectories(dirname(this.#objects), 'plan', basename(this.#scratch), name)
    return join(this.#scratch, name)
  }

  /** What a killed run has left: nothing of it is needed for longer than a commit takes. */
  #sweep(): void {
    this.#isSwept = true
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

const isOld = (path: string): boolean =>
  Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > 24 * 3600_000

/** In the quotes of git: a colon would begin another path. */
const listed = (path: string): string => `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`

/** The store may be on another file system. */
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
