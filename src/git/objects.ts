// Writing objects. Nothing here moves a ref or touches a work tree; `flush` makes what was written survive a power loss, and comes
// before any ref is moved to it.

import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PlanError } from '../errors.ts'
import type { Oid } from '../plan/values.ts'
import { syncNow } from './disk.ts'
import { isOff } from './git-config.ts'
import { identityOf, noIdentity } from './identity.ts'
import { writeLoose, type ObjectType } from './loose-objects.ts'
import { removePack, writePack, type PackedObject } from './pack-file.ts'
import { onDisk, rawPath, type RawPath } from './raw-path.ts'
import type { RefMove } from './refs.ts'
import type { Repository } from './repository.ts'
import { byDirectory, readTree, treeMode, treeText, type EditedDirectory, type TreeChange, type TreeEdits, type TreeEntry } from './tree-text.ts'

export class ObjectWriter {
  readonly #repo: Repository
  /** What was written before this command began is not ours to make durable. A margin, for file systems with coarse times. */
  readonly #since = Date.now() - 5000
  /** Directories as they were when they were synced. */
  readonly #synced = new Map<string, { readonly mtime: bigint; readonly entries: number }>()
  /** Directories that name something that we wrote, and how much git had written when they were synced last. */
  readonly #shelves = new Set<string>()
  #gitWrites = 0
  /** While objects are gathered. */
  #asked: Promise<WriteSettings> | undefined
  /** Objects that are not on disk yet; see `gather`. */
  #gathered: Gathered | undefined
  #gatheredBytes = 0
  /** The last pack, as long as it is short. */
  #rolling: { readonly pack: string; readonly objects: Gathered; readonly bytes: number } | undefined

  constructor(repo: Repository) {
    this.#repo = repo
  }

  get #store(): { readonly directory: string; readonly format: 'sha1' | 'sha256' } {
    return { directory: join(this.#repo.commonDir, 'objects'), format: this.#repo.objectFormat }
  }

  /** From here to the next `flush` objects are kept in memory, and then written into one file. Nobody but this writer sees them until then. */
  gather(): void {
    this.#asked = undefined
    if (this.#gathered === undefined) this.#gatheredBytes = 0
    this.#gathered ??= new Map()
  }

  /** More is going to be written into the file that was begun. */
  get isRolling(): boolean {
    return this.#rolling !== undefined
  }

  /** They were not wanted after all. */
  forget(): void {
    this.#gathered = undefined
  }

  get gatheredBytes(): number {
    return this.#gatheredBytes
  }

  async isSigning(): Promise<boolean> {
    return (await this.#settings()).isSigning
  }

  /** With a path: through the filters that `git add` would use there. */
  async blob(bytes: Uint8Array, path?: string): Promise<Oid> {
    if (path === undefined) return this.#write('blob', bytes)
    return (await this.#repo.git.text(['hash-object', '-w', '--stdin', `--path=${path}`], { input: bytes })) as Oid
  }

  /** Files of the work tree as they are, without filters, in one go. */
  async rawFiles(paths: readonly RawPath[]): Promise<Oid[]> {
    // A few small files are not worth a process; a large one is streamed by git.
    const isFew = paths.length <= mostByHand
    const streamed = paths.filter((path) => !(isFew && isSmall(onDisk(this.#repo.root, path))))
    const input = Buffer.from(streamed.map((path) => `${asLine(path)}\n`).join(''), 'latin1')
    const answer = streamed.length === 0 ? '' : await this.#repo.git.text(['hash-object', '-w', '--no-filters', '--stdin-paths'], { input })
    const ids = new Map(answer.split('\n').map((id, at) => [streamed[at], id as Oid]))
    const blobs: Oid[] = []
    for (const path of paths) blobs.push(ids.get(path) ?? (await this.blob(await readFile(onDisk(this.#repo.root, path)))))
    return blobs
  }

  /** Signed where the user's configuration says that commits are. */
  async commit(parts: { tree: Oid; parents: readonly Oid[]; message: string; isUnsigned?: boolean; isSigned?: boolean }): Promise<Oid> {
    const found = await this.#settings()
    const settings = parts.isUnsigned === true ? { ...found, isSigning: false } : { ...found, isSigning: found.isSigning || parts.isSigned === true }
    const text = settings.isSigning || settings.isShared || parts.message.includes('\0') ? undefined : await this.#commitText(parts)
    if (text !== undefined) return this.#write('commit', Buffer.from(text))
    // Git has to see what it makes a commit of.
    await this.flush()
    const signing = settings.isSigning ? ['-S'] : parts.isUnsigned === true ? ['--no-gpg-sign'] : []
    const args = ['commit-tree', ...signing, ...parts.parents.flatMap((parent) => ['-p', parent]), '-F', '-', parts.tree]
    const answer = await this.#repo.git.run(args, { input: parts.message, ok: [0, 1, 128] })
    if (answer.code === 0) return answer.stdout.toString().trim() as Oid
    throw commitFailure(answer.stderr, settings)
  }

  async tag(parts: { object: Oid; name: string; message: string; tagger: string }): Promise<Oid> {
    const text = `object ${parts.object}\ntype commit\ntag ${parts.name}\ntagger ${parts.tagger}\n\n${parts.message}`
    return (await this.#repo.git.text(['mktag'], { input: text })) as Oid
  }

  /** `Name <mail> seconds zone`, as commits have it. Refuses where the user has no identity. */
  committer(): Promise<string> {
    return identityOf(this.#repo, 'COMMITTER')
  }

  /** The tree with one file put in its place, or taken out. */
  treeWith(tree: Oid, path: string, blob: Oid | undefined): Promise<Oid> {
    return this.treeWithAll(tree, new Map([[rawPath(path), blob === undefined ? undefined : { mode: '100644', oid: blob }]]))
  }

  /** With many; what lies in a directory where a file is put must be among them. */
  async treeWithAll(tree: Oid, edits: TreeEdits): Promise<Oid> {
    return (await this.#edit(tree, byDirectory(edits))) ?? this.emptyTree()
  }

  /** What these edits change in a tree. */
  async changesBy(tree: Oid, edits: TreeEdits): Promise<TreeChange[]> {
    const changes: TreeChange[] = []
    for (const path of [...edits.keys()].toSorted()) {
      const found = await this.entryIn(tree, path)
      const [old, file] = [found?.mode === treeMode ? undefined : found, edits.get(path)]
      if (old?.id === file?.oid && old?.mode === file?.mode) continue
      const isOtherType = old !== undefined && file !== undefined && old.mode.slice(0, 2) !== file.mode.slice(0, 2)
      const status = old === undefined ? 'A' : file === undefined ? 'D' : isOtherType ? 'T' : 'M'
      changes.push({ path, status, oldMode: old?.mode ?? '000000', newMode: file?.mode ?? '000000' })
    }
    return changes
  }

  /** What a tree has at a path. */
  async entryIn(tree: Oid, path: RawPath): Promise<TreeEntry | undefined> {
    let at: TreeEntry | undefined = { mode: treeMode, name: '', id: tree }
    for (const name of path.split('/')) at = at?.mode === treeMode ? (await this.#entries(at.id)).get(name) : undefined
    return at
  }

  async emptyTree(): Promise<Oid> {
    return this.#write('tree', new Uint8Array())
  }

  /** Bytes as they are in the notes of a commit. The ref is the caller's to move, after `flush`. */
  async note(ref: string, commit: Oid, bytes: Uint8Array): Promise<RefMove> {
    const tip = await this.#repo.readCommit(ref)
    // One directory for each first byte, as git has it where there are many: the tree of all of them would grow with every step.
    const path = `${commit.slice(0, 2)}/${commit.slice(2)}`
    const tree = await this.treeWith(tip?.tree ?? (await this.emptyTree()), path, await this.blob(bytes))
    const to = await this.commit({ tree, parents: tip === undefined ? [] : [tip.oid], message: 'Output of git plan\n', isUnsigned: true })
    return { ref, from: tip?.oid, to }
  }

  /** Git syncs the files it writes; the directories that name them are ours to sync. */
  async flush(): Promise<void> {
    this.#asked = undefined
    await this.#writeGathered()
    const { directory } = this.#store
    if (this.#repo.git.objectWrites !== this.#gitWrites) {
      // Git does not say where it has written.
      this.#gitWrites = this.#repo.git.objectWrites
      for (const name of readdirSync(directory)) if (/^([0-9a-f]{2}|pack)$/.test(name)) this.#shelves.add(join(directory, name))
    }
    for (const shelf of this.#shelves) this.#syncDirectory(shelf)
    if (this.#shelves.size > 0) this.#syncDirectory(directory)
    this.#shelves.clear()
  }

  /** All that is not on disk yet, and what was gathered before: in one pack, which takes the place of the one before. So a run leaves few of them. */
  async #writeGathered(): Promise<void> {
    const gathered = this.#gathered
    this.#gathered = undefined
    if (gathered === undefined || gathered.size === 0) return
    const before = this.#rolling
    const objects = new Map([...(before?.objects ?? []), ...gathered])
    const pack = await writePack(this.#store, objects)
    this.#syncDirectory(dirname(pack))
    if (before !== undefined && before.pack !== pack) removePack(before.pack)
    const bytes = (before?.bytes ?? 0) + this.#gatheredBytes
    this.#rolling = bytes > mostRolling || objects.size > mostRolled ? undefined : { pack, objects, bytes }
  }

  /** A directory that is gone meanwhile names nothing of ours. */
  #syncDirectory(directory: string): void {
    const facts = statSync(directory, { bigint: true, throwIfNoEntry: false })
    if (facts === undefined || facts.mtimeMs < this.#since) return
    const was = this.#synced.get(directory)
    // Two changes can fall into one tick of the file system's clock: the number of names tells them apart.
    const entries = namesIn(directory)
    if (was?.mtime === facts.mtimeNs && was.entries === entries) return
    try {
      syncNow(directory)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    this.#synced.set(directory, { mtime: facts.mtimeNs, entries })
  }

  /** What we wrote ourselves a moment ago, without asking for it. */
  #own(oid: Oid): PackedObject | undefined {
    return this.#gathered?.get(oid) ?? this.#rolling?.objects.get(oid)
  }

  /** The tree of a commit. */
  async treeOf(commit: Oid): Promise<Oid> {
    const own = this.#own(commit)
    const named = own?.type === 'commit' ? /^tree ([0-9a-f]+)\n/.exec(Buffer.from(own.bytes).toString('latin1'))?.[1] : undefined
    const tree = (named as Oid | undefined) ?? (await this.#repo.resolve(commit, 'tree'))
    if (tree === undefined) throw new Error(`${commit} has no tree`)
    return tree
  }

  /** undefined: nothing is left in it. */
  async #edit(tree: Oid | undefined, { files, below }: EditedDirectory): Promise<Oid | undefined> {
    const entries = tree === undefined ? new Map<string, TreeEntry>() : await this.#entries(tree)
    for (const [name, directory] of below) {
      const old = entries.get(name)
      const id = await this.#edit(old?.mode === treeMode ? old.id : undefined, directory)
      if (id !== undefined) entries.set(name, { mode: treeMode, name, id })
      else if (old?.mode === treeMode) entries.delete(name)
    }
    for (const [name, file] of files) {
      if (file !== undefined && below.has(name) && entries.get(name)?.mode === treeMode) throw new Error(`${name} would be a file and a directory`)
      if (file !== undefined) entries.set(name, { mode: file.mode, name, id: file.oid })
      else if (entries.get(name)?.mode !== treeMode) entries.delete(name)
    }
    return entries.size === 0 ? undefined : this.#write('tree', treeText(entries.values()))
  }

  async #entries(tree: Oid): Promise<Map<string, TreeEntry>> {
    const bytes = this.#own(tree)?.bytes ?? (await this.#repo.readObject(tree))?.bytes
    if (bytes === undefined) throw new Error(`${tree} is missing`)
    return readTree(Buffer.from(bytes), this.#repo.objectFormat)
  }

  /** Without a process, unless the files have to get the rights that `core.sharedRepository` asks for. */
  async #write(type: ObjectType, bytes: Uint8Array): Promise<Oid> {
    if ((await this.#settings()).isShared)
      return (await this.#repo.git.text(['hash-object', '-w', '-t', type, '--stdin', '--no-filters'], { input: bytes })) as Oid
    if (this.#gathered !== undefined && bytes.length <= mostGathered) {
      const oid = createHash(this.#repo.objectFormat).update(`${type} ${bytes.length}\0`).update(bytes).digest('hex') as Oid
      this.#gathered.set(oid, { type, bytes })
      this.#gatheredBytes += bytes.length
      return oid
    }
    const { oid, shelf } = writeLoose(this.#store, type, bytes)
    this.#shelves.add(shelf)
    return oid
  }

  /** Undefined where git has to do it: a name that is not UTF-8 is repaired there. */
  async #commitText({ tree, parents, message }: { tree: Oid; parents: readonly Oid[]; message: string }): Promise<string | undefined> {
    const [author, committer] = await Promise.all([identityOf(this.#repo, 'AUTHOR'), identityOf(this.#repo, 'COMMITTER')])
    if (/\ufffd/.test(`${author}${committer}`)) return undefined
    const headers = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), `author ${author}`, `committer ${committer}`]
    return `${headers.join('\n')}\n\n${message}`
  }

  /** What makes more of a commit than its text. */
  #settings(): Promise<WriteSettings> {
    if (this.#gathered === undefined) return this.#askSettings()
    this.#asked ??= this.#askSettings()
    return this.#asked
  }

  async #askSettings(): Promise<WriteSettings> {
    const { config } = this.#repo
    return { isSigning: !isOff(await config.value('commit.gpgsign')), isShared: !isOff(await config.value('core.sharedrepository')) }
  }
}

interface WriteSettings {
  readonly isSigning: boolean
  readonly isShared: boolean
}

type Gathered = Map<Oid, PackedObject>

/** What is larger is a file of its own at once. */
const mostGathered = 256 * 1024
/** A pack that is larger, or holds more, is left as it is, and the next one begins: git looks into every pack, and each is written again with every step. */
const mostRolling = 1024 * 1024
const mostRolled = 250

/** Files that are not worth a process. */
const mostByHand = 20
/** Git reads the list by lines, and unquotes one that begins with a quote. */
const asLine = (path: RawPath): string => (/^"|\n/.test(path) ? `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"` : path)
const isSmall = (path: Buffer): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? Infinity) <= mostGathered

function namesIn(directory: string): number {
  try {
    return readdirSync(directory).length
  } catch {
    return 0
  }
}

function commitFailure(stderr: string, { isSigning }: { isSigning: boolean }): PlanError {
  if (/ident|user\.email|user\.name|tell me who you are/i.test(stderr)) return noIdentity(stderr)
  // The signing program speaks for itself, in its own words: "Couldn't load public key".
  if (isSigning && !/^fatal: .*(object|write)/m.test(stderr)) {
    return new PlanError('preflight', `the commit could not be signed: ${stderr.trim().split('\n').at(-1)}`, {
      hint: 'make `git commit -S --allow-empty -m test` work, or: git config commit.gpgsign false',
    })
  }
  return new PlanError('git-failed', `git commit-tree failed: ${stderr.trim()}`)
}
