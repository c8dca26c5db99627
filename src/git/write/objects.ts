// Writing objects. Nothing here moves a ref or touches a work tree; `flush` makes what was written survive a power
// loss, and comes before any ref is moved to it. Until then what is written here is in memory, where only this writer
// sees it.

import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { PlanError } from '../../errors.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { isOff } from '../command/git-config.ts'
import { identityOf, noIdentity } from '../trust/identity.ts'
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
} from '../read/tree-text.ts'

export class ObjectWriter {
  readonly #repo: Repository
  /** What makes more of a commit than its text: asked once between two flushes. */
  #settings: Promise<WriteSettings> | undefined
  #gathered: Gathered = new Map()
  #gatheredBytes = 0
  /** The last pack, as long as it is short. */
  #rolling: { readonly pack: string; readonly objects: Gathered; readonly bytes: number } | undefined

  constructor(repo: Repository) {
    this.#repo = repo
  }

  /** What is in memory is not wanted after all. */
  forget(): void {
    this.#gathered = new Map()
    this.#gatheredBytes = 0
    this.#settings = undefined
  }

  async isSigning(): Promise<boolean> {
    return (await this.#ask()).isSigning
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

  /** Signed where the user's configuration says that commits are. */
  async commit(parts: {
    tree: Oid
    parents: readonly Oid[]
    message: string
    isUnsigned?: boolean
    isSigned?: boolean
  }): Promise<Oid> {
    const found = await this.#ask()
    const settings =
      parts.isUnsigned === true
        ? { ...found, isSigning: false }
        : { ...found, isSigning: found.isSigning || parts.isSigned === true }
    const isByGit = settings.isSigning || settings.isByGit || parts.message.includes('\0')
    const text = isByGit ? undefined : await this.#commitText(parts)
    if (text !== undefined) return this.#write('commit', Buffer.from(text))
    // Git has to see what it makes a commit of.
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
    throw commitFailure(answer.stderr, settings)
  }

  /** Of a commit; or the whole text of a tag. */
  async tag(parts: { object: Oid; name: string; message: string; tagger: string } | string): Promise<Oid> {
    const text =
      typeof parts === 'string'
        ? parts
        : `object ${parts.object}\ntype commit\ntag ${parts.name}\ntagger ${parts.tagger}\n\n${parts.message}`
    return this.#write('tag', Buffer.from(text))
  }

  /** `Name <mail> seconds zone`, as commits have it. Refuses where the user has no identity. */
  committer(): Promise<string> {
    return identityOf(this.#repo, 'COMMITTER')
  }

  /** The tree with one file put in its place, or taken out. */
  treeWith(tree: Oid, path: string, blob: Oid | undefined): Promise<Oid> {
    return this.treeWithAll(
      tree,
      new Map([[rawPath(path), blob === undefined ? undefined : { mode: '100644', oid: blob }]]),
    )
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
      changes.push({ path, status, oldMode: old?.mode ?? '000000', newMode: file?.mode ?? '000000', oid: file?.oid })
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
    // One directory for each first byte, as git has it where there are many: the tree of all of them would grow with
    // every step.
    const path = `${commit.slice(0, 2)}/${commit.slice(2)}`
    const tree = await this.treeWith(tip?.tree ?? (await this.emptyTree()), path, await this.blob(bytes))
    const to = await this.commit({
      tree,
      parents: tip === undefined ? [] : [tip.oid],
      message: 'Output of git plan\n',
      isUnsigned: true,
    })
    return { ref, from: tip?.oid, to }
  }

  /**
   * All that was written since the last time is in the repository, synced, in packs that git leaves alone until the ref
   * has moved. `also`: objects that are needed too, and that somebody else may have written, such as a hook.
   */
  async flush(also: readonly Oid[] = []): Promise<void> {
    const { git, store } = this.#repo
    const { isByGit } = await this.#ask()
    const large: Oid[] = []
    const loose = store.looseFiles()
    for (const { oid, path, size } of loose) {
      if (isByGit || size > mostBytesByHand) large.push(oid)
      else this.#gather(oid, readLoose(path))
    }
    for (const oid of also) if (this.#own(oid) === undefined) large.push(oid)
    if (large.length > 0) {
      const input = large.map((oid) => `${oid}\n`).join('')
      await git.run(
        ['pack-objects', '-q', '--honor-pack-keep', '--non-empty', '--window=0', join(store.workshop(), 'pack')],
        { input },
      )
    }
    await this.writeOut()
    store.takePacks()
    for (const { path } of loose) rmSync(path, { force: true })
  }

  /**
   * What is in memory becomes a pack, so that git sees it, together with what was written before: it takes the place of
   * the pack before. So a run leaves few of them.
   */
  async writeOut(): Promise<void> {
    const [gathered, before, { store }] = [this.#gathered, this.#rolling, this.#repo]
    const bytes = (before?.bytes ?? 0) + this.#gatheredBytes
    this.forget()
    if (gathered.size === 0) return
    const objects = new Map([...(before?.objects ?? []), ...gathered])
    const pack = store.install(await writePack(store.workshop(), this.#repo.objectFormat, objects))
    if (before !== undefined && before.pack !== pack) store.remove(before.pack)
    this.#rolling = bytes > mostRolling || objects.size > mostRolled ? undefined : { pack, objects, bytes }
  }

  /** What we wrote ourselves a moment ago, without asking for it. */
  #own(oid: Oid): PackedObject | undefined {
    return this.#gathered.get(oid) ?? this.#rolling?.objects.get(oid)
  }

  /** The tree of a commit. */
  async treeOf(commit: Oid): Promise<Oid> {
    const own = this.#own(commit)
    const named =
      own?.type === 'commit' ? /^tree ([0-9a-f]+)\n/.exec(Buffer.from(own.bytes).toString('latin1'))?.[1] : undefined
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
      if (file !== undefined && below.has(name) && entries.get(name)?.mode === treeMode)
        throw new Error(`${name} would be a file and a directory`)
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

  async #write(type: ObjectType, bytes: Uint8Array): Promise<Oid> {
    if ((await this.#ask()).isByGit)
      return (await this.#repo.git.text(['hash-object', '-w', '-t', type, '--stdin', '--no-filters'], {
        input: bytes,
      })) as Oid
    if (this.#gatheredBytes > mostGathered) await this.writeOut()
    const oid = createHash(this.#repo.objectFormat)
      .update(`${type} ${bytes.length}\0`)
      .update(bytes)
      .digest('hex') as Oid
    this.#gather(oid, { type, bytes })
    return oid
  }

  #gather(oid: Oid, object: PackedObject): void {
    if (!this.#gathered.has(oid)) this.#gatheredBytes += object.bytes.length
    this.#gathered.set(oid, object)
  }

  /** Undefined where git has to do it: a name that is not UTF-8 is repaired there. */
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

  #ask(): Promise<WriteSettings> {
    this.#settings ??= this.#askSettings()
    return this.#settings
  }

  async #askSettings(): Promise<WriteSettings> {
    const { config } = this.#repo
    return {
      isSigning: !isOff(await config.value('commit.gpgsign')),
      isByGit: !this.#repo.isFast || !isOff(await config.value('core.sharedrepository')),
    }
  }
}

interface WriteSettings {
  readonly isSigning: boolean
  /**
   * The files have to get the rights that `core.sharedRepository` asks for, or nothing is to be written without git.
   */
  readonly isByGit: boolean
}

type Gathered = Map<Oid, PackedObject>

/** More than this is not held in memory. */
const mostGathered = 32 * 1024 * 1024
/**
 * A pack that is larger, or holds more, is left as it is, and the next one begins: git looks into every pack, and each
 * is written again with every step.
 */
const mostRolling = 1024 * 1024
const mostRolled = 250

/** Files that are not worth a process. */
const mostByHand = 20
const mostBytesByHand = 256 * 1024
/** A loose object that git has just written: compressed, its type and length before a zero. */
function readLoose(path: string): PackedObject {
  const whole = inflateSync(readFileSync(path))
  return {
    type: whole.toString('latin1', 0, whole.indexOf(32)) as ObjectType,
    bytes: whole.subarray(whole.indexOf(0) + 1),
  }
}

/** Git reads the list by lines, and unquotes one that begins with a quote. */
const asLine = (path: RawPath): string =>
  /^"|\n/.test(path) ? `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"` : path
const isSmall = (path: Buffer): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.size ?? Infinity) <= mostBytesByHand

function commitFailure(stderr: string, { isSigning }: { isSigning: boolean }): PlanError {
  if (/ident|user\.email|user\.name|tell me who you are/i.test(stderr)) return noIdentity(stderr)
  // The signing program speaks for itself, in its own words: "Couldn't load public key".
  if (isSigning && !/^fatal: .*(object|write)/m.test(stderr)) {
    return new PlanError('preflight', `the commit could not be signed: ${stderr.trim().split('\n').at(-1)}`, {
      hint: { 'test signing': 'git commit -S --allow-empty -m test', 'turn it off': 'git config commit.gpgsign false' },
    })
  }
  return new PlanError('git-failed', `git commit-tree failed: ${stderr.trim()}`)
}
