// Writes objects. Nothing here moves a ref or touches a work tree. Until `flush`, objects are in memory and only this
// writer sees them; `flush` makes them durable, and must come before a ref is moved to them.

import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { PlanError } from '../../errors.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { isOff } from '../command/git-config.ts'
import { identityOf, noIdentity } from '../trust/identity.ts'
import { signingError } from '../trust/signing-error.ts'
import { writePack, type ObjectType, type PackedObject } from './pack-file.ts'
import { onDisk, rawPath, type RawPath } from '../read/raw-path.ts'
import type { RefMove } from '../read/refs.ts'
import type { Repository } from '../repository.ts'
import {
  byDirectory,
  readTree,
  treeMode,
  treeText,
  type EditedDirectory,
  type TreeChange,
  type TreeEdits,
  type TreeEntry,
  type TreeFile,
} from '../read/tree-text.ts'

export class ObjectWriter {
  readonly #repo: Repository
  /** Settings that affect commits. Read once between two flushes. */
  #settings: Promise<WriteSettings> | undefined
  #pending: PendingObjects = new Map()
  #pendingBytes = 0
  /** The last pack, while it is small enough to be rewritten. */
  #rolling: { readonly pack: string; readonly objects: PendingObjects; readonly bytes: number } | undefined

  constructor(repo: Repository) {
    this.#repo = repo
  }

  /** Drops the objects in memory. */
  discard(): void {
    this.#pending = new Map()
    this.#pendingBytes = 0
    this.#settings = undefined
  }

  async isSigning(): Promise<boolean> {
    return (await this.#cachedSettings()).isSigning
  }

  /** With a path: through the filters that `git add` would use for it. */
  async blob(bytes: Uint8Array, path?: string): Promise<Oid> {
    if (path === undefined) return this.#write('blob', bytes)
    return (await this.#repo.git.text(['hash-object', '-w', '--stdin', `--path=${path}`], { input: bytes })) as Oid
  }

  /** Files of the work tree without filters, in one batch. */
  async rawFiles(paths: readonly RawPath[]): Promise<Oid[]> {
    // A few small files are not worth a process. Git streams a large one.
    const isFew = paths.length <= maxOwnFiles
    const streamed = paths.filter((path) => !(isFew && isSmall(onDisk(this.#repo.root, path))))
    const input = Buffer.from(streamed.map((path) => `${pathLine(path)}\n`).join(''), 'latin1')
    const answer =
      streamed.length === 0
        ? ''
        : await this.#repo.git.text(['hash-object', '-w', '--no-filters', '--stdin-paths'], { input })
    const ids = new Map(answer.split('\n').map((id, at) => [streamed[at], id as Oid]))
    const blobs: Oid[] = []
    for (const path of paths)
      blobs.push(ids.get(path) ?? (await this.blob(await readFile(onDisk(this.#repo.root, path)))))
    return blobs
  }

  /** Signed if the user's configuration signs commits. */
  async commit(parts: {
    tree: Oid
    parents: readonly Oid[]
    message: string
    isUnsigned?: boolean
    isSigned?: boolean
  }): Promise<Oid> {
    const found = await this.#cachedSettings()
    const settings =
      parts.isUnsigned === true
        ? { ...found, isSigning: false }
        : { ...found, isSigning: found.isSigning || parts.isSigned === true }
    const isByGit = settings.isSigning || settings.isByGit || parts.message.includes('\0')
    const text = isByGit ? undefined : await this.#commitText(parts)
    if (text !== undefined) return this.#write('commit', Buffer.from(text))
    // Git has to see the objects that the commit refers to.
    await this.writeOut()
    const signing = settings.isSigning ? ['-S'] : parts.isUnsigned === true ? ['--no-gpg-sign'] : []
    const args = [
      'commit-tree',
      ...signing,
      ...parts.parents.flatMap((parent) => ['-p', parent]),
      '-F',
      '-',
      parts.tree,
    ]
    const answer = await this.#repo.git.run(args, { input: parts.message, ok: [0, 1, 128] })
    if (answer.code === 0) return answer.stdout.toString().trim() as Oid
    const key = await this.#repo.config.value('user.signingkey')
    throw commitFailure(answer.stderr, {
      isSigning: settings.isSigning,
      isRequested: !found.isSigning,
      key,
    })
  }

  /** A tag of a commit, or one given as its whole text. */
  async tag(parts: { object: Oid; name: string; message: string; tagger: string } | string): Promise<Oid> {
    const text =
      typeof parts === 'string'
        ? parts
        : `object ${parts.object}\ntype commit\ntag ${parts.name}\ntagger ${parts.tagger}\n\n${parts.message}`
    return this.#write('tag', Buffer.from(text))
  }

  /** `Name <mail> seconds zone`. Throws if the user has no identity. */
  committer(): Promise<string> {
    return identityOf(this.#repo, 'COMMITTER')
  }

  /** The tree with one file replaced or removed. */
  treeWith(tree: Oid, path: string, blob: Oid | undefined): Promise<Oid> {
    return this.treeWithAll(
      tree,
      new Map([[rawPath(path), blob === undefined ? undefined : { mode: '100644', oid: blob }]]),
    )
  }

  /** The tree with many edits. If a file replaces a directory, the edits must remove the files in it. */
  async treeWithAll(tree: Oid, edits: TreeEdits): Promise<Oid> {
    return (await this.#edit(tree, byDirectory(edits))) ?? this.emptyTree()
  }

  /** The effective changes of these edits to a tree. */
  async changesBy(tree: Oid, edits: TreeEdits): Promise<TreeChange[]> {
    const changes: TreeChange[] = []
    for (const path of [...edits.keys()].toSorted()) {
      const found = await this.entryIn(tree, path)
      const [old, file] = [found?.mode === treeMode ? undefined : found, edits.get(path)]
      if (old?.id === file?.oid && old?.mode === file?.mode) continue
      const isOtherType = old !== undefined && file !== undefined && old.mode.slice(0, 2) !== file.mode.slice(0, 2)
      const status = old === undefined ? 'A' : file === undefined ? 'D' : isOtherType ? 'T' : 'M'
      changes.push({ path, status, oldMode: old?.mode ?? '000000', newMode: file?.mode ?? '000000', oid: file?.oid })
    }
    return changes
  }

  async entryIn(tree: Oid, path: RawPath): Promise<TreeEntry | undefined> {
    let at: TreeEntry | undefined = { mode: treeMode, name: '', id: tree }
    for (const name of path.split('/')) at = at?.mode === treeMode ? (await this.#entries(at.id)).get(name) : undefined
    return at
  }

  async emptyTree(): Promise<Oid> {
    return this.#write('tree', new Uint8Array())
  }

  /** Adds notes with exactly these bytes to commits. The caller moves the ref, after `flush`. */
  async notes(ref: string, notes: ReadonlyMap<Oid, Uint8Array>): Promise<RefMove> {
    const tip = await this.#repo.readCommit(ref)
    const edits = new Map<RawPath, TreeFile>()
    for (const [commit, bytes] of notes) {
      // One directory per first byte, as Git does for many notes: a flat tree would grow with every step.
      edits.set(rawPath(`${commit.slice(0, 2)}/${commit.slice(2)}`), { mode: '100644', oid: await this.blob(bytes) })
    }
    const tree = await this.treeWithAll(tip?.tree ?? (await this.emptyTree()), edits)
    const to = await this.commit({
      tree,
      parents: tip === undefined ? [] : [tip.oid],
      message: 'Output of git plan\n',
      isUnsigned: true,
    })
    return { ref, from: tip?.oid, to }
  }

  /**
   * Makes everything written since the last flush durable, in packs that `git gc` leaves alone until the ref has moved.
   * `also`: further objects that are needed and that somebody else, such as a hook, may have written.
   */
  async flush(also: readonly Oid[] = []): Promise<void> {
    const { git, store } = this.#repo
    const { isByGit } = await this.#cachedSettings()
    const large: Oid[] = []
    const loose = store.looseFiles()
    for (const { oid, path, size } of loose) {
      if (isByGit || size > maxOwnBytes) large.push(oid)
      else this.#addPending(oid, readLoose(path))
    }
    for (const oid of also) if (this.#recentObject(oid) === undefined) large.push(oid)
    if (large.length > 0) {
      const input = large.map((oid) => `${oid}\n`).join('')
      await git.run(
        [
          'pack-objects',
          '-q',
          '--honor-pack-keep',
          '--non-empty',
          '--window=0',
          join(store.packDraftDirectory(), 'pack'),
        ],
        { input },
      )
    }
    await this.writeOut()
    store.installPacks()
    for (const { path } of loose) rmSync(path, { force: true })
  }

  /**
   * Writes the objects in memory as a pack, so that Git sees them. The pack also contains the objects of the previous
   * one and replaces it, so a run leaves few packs.
   */
  async writeOut(): Promise<void> {
    const [gathered, before, { store }] = [this.#pending, this.#rolling, this.#repo]
    const bytes = (before?.bytes ?? 0) + this.#pendingBytes
    this.discard()
    if (gathered.size === 0) return
    const objects = new Map([...(before?.objects ?? []), ...gathered])
    const pack = store.install(await writePack(store.packDraftDirectory(), this.#repo.objectFormat, objects))
    if (before !== undefined && before.pack !== pack) store.remove(before.pack)
    this.#rolling = bytes > maxRollingBytes || objects.size > maxRollingObjects ? undefined : { pack, objects, bytes }
  }

  /** An object that this writer wrote recently. */
  #recentObject(oid: Oid): PackedObject | undefined {
    return this.#pending.get(oid) ?? this.#rolling?.objects.get(oid)
  }

  async treeOf(commit: Oid): Promise<Oid> {
    const own = this.#recentObject(commit)
    const named =
      own?.type === 'commit' ? /^tree ([0-9a-f]+)\n/.exec(Buffer.from(own.bytes).toString('latin1'))?.[1] : undefined
    const tree = (named as Oid | undefined) ?? (await this.#repo.resolve(commit, 'tree'))
    if (tree === undefined) throw new Error(`${commit} has no tree`)
    return tree
  }

  /** undefined: nothing is left in the directory. */
  async #edit(tree: Oid | undefined, { files, below }: EditedDirectory): Promise<Oid | undefined> {
    const entries = tree === undefined ? new Map<string, TreeEntry>() : await this.#entries(tree)
    for (const [name, directory] of below) {
      const old = entries.get(name)
      const id = await this.#edit(old?.mode === treeMode ? old.id : undefined, directory)
      if (id !== undefined) entries.set(name, { mode: treeMode, name, id })
      else if (old?.mode === treeMode) entries.delete(name)
    }
    for (const [name, file] of files) {
      if (file !== undefined && below.has(name) && entries.get(name)?.mode === treeMode)
        throw new Error(`${name} would be a file and a directory`)
      if (file !== undefined) entries.set(name, { mode: file.mode, name, id: file.oid })
      else if (entries.get(name)?.mode !== treeMode) entries.delete(name)
    }
    return entries.size === 0 ? undefined : this.#write('tree', treeText(entries.values()))
  }

  async #entries(tree: Oid): Promise<Map<string, TreeEntry>> {
    const bytes = this.#recentObject(tree)?.bytes ?? (await this.#repo.readObject(tree))?.bytes
    if (bytes === undefined) throw new Error(`${tree} is missing`)
    return readTree(Buffer.from(bytes), this.#repo.objectFormat)
  }

  async #write(type: ObjectType, bytes: Uint8Array): Promise<Oid> {
    if ((await this.#cachedSettings()).isByGit)
      return (await this.#repo.git.text(['hash-object', '-w', '-t', type, '--stdin', '--no-filters'], {
        input: bytes,
      })) as Oid
    if (this.#pendingBytes > maxPendingBytes) await this.writeOut()
    const oid = createHash(this.#repo.objectFormat)
      .update(`${type} ${bytes.length}\0`)
      .update(bytes)
      .digest('hex') as Oid
    this.#addPending(oid, { type, bytes })
    return oid
  }

  #addPending(oid: Oid, object: PackedObject): void {
    if (!this.#pending.has(oid)) this.#pendingBytes += object.bytes.length
    this.#pending.set(oid, object)
  }

  /** undefined: Git has to write the commit, because it repairs a name that is not UTF-8. */
  async #commitText({
    tree,
    parents,
    message,
  }: {
    tree: Oid
    parents: readonly Oid[]
    message: string
  }): Promise<string | undefined> {
    const [author, committer] = await Promise.all([
      identityOf(this.#repo, 'AUTHOR'),
      identityOf(this.#repo, 'COMMITTER'),
    ])
    if (/\ufffd/.test(`${author}${committer}`)) return undefined
    const headers = [
      `tree ${tree}`,
      ...parents.map((parent) => `parent ${parent}`),
      `author ${author}`,
      `committer ${committer}`,
    ]
    return `${headers.join('\n')}\n\n${message}`
  }

  #cachedSettings(): Promise<WriteSettings> {
    this.#settings ??= this.#readSettings()
    return this.#settings
  }

  async #readSettings(): Promise<WriteSettings> {
    const { config } = this.#repo
    return {
      isSigning: !isOff(await config.value('commit.gpgsign')),
      isByGit: !this.#repo.isFast || !isOff(await config.value('core.sharedrepository')),
    }
  }
}

interface WriteSettings {
  readonly isSigning: boolean
  /** True: Git writes everything, for `core.sharedRepository` permissions or because fast paths are off. */
  readonly isByGit: boolean
}

type PendingObjects = Map<Oid, PackedObject>

/** The most that is held in memory. */
const maxPendingBytes = 32 * 1024 * 1024
/**
 * A larger pack is not rewritten; the next one begins. Git searches every pack, so there should be few, but each step
 * rewrites the current one.
 */
const maxRollingBytes = 1024 * 1024
const maxRollingObjects = 250

/** Up to this many files are not worth a process. */
const maxOwnFiles = 20
const maxOwnBytes = 256 * 1024
/** A loose object that Git has just written: deflated, with type and length before a zero byte. */
function readLoose(path: string): PackedObject {
  const whole = inflateSync(readFileSync(path))
  return {
    type: whole.toString('latin1', 0, whole.indexOf(32)) as ObjectType,
    bytes: whole.subarray(whole.indexOf(0) + 1),
  }
}

/** Git reads the list by lines, and unquotes a line that begins with a quote. */
const pathLine = (path: RawPath): string =>
  /^"|\n/.test(path) ? `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"` : path
const isSmall = (path: Buffer): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? Infinity) <= maxOwnBytes

/** `isRequested`: signing was asked for, not configured. */
function commitFailure(
  stderr: string,
  options: { isSigning: boolean; isRequested: boolean; key: string | undefined },
): PlanError {
  if (/ident|user\.email|user\.name|tell me who you are/i.test(stderr)) return noIdentity(stderr)
  // The signing program reports in its own words, such as "Couldn't load public key".
  if (options.isSigning && !/^fatal: .*(object|write)/m.test(stderr)) return signingError(stderr, options)
  return new PlanError('git-failed', `git commit-tree failed: ${stderr.trim()}`)
}
