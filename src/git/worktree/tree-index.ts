// The index of a work tree: copies and edits it, and replaces it together with moving the branch.

import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { unlink } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Oid } from '../../plan/model/ids.ts'
import { linkPatiently, stampOf } from '../write/durable-fs.ts'
import { editIndexBytes, isSimpleIndex } from './index-file.ts'
import type { Repository } from '../repository.ts'
import { TreeFiles } from './tree-files.ts'
import type { TreeEdits } from '../read/tree-text.ts'

export class TreeIndex extends TreeFiles {
  readonly repo: Repository
  readonly indexPath: string
  /** For temporary indexes; on the file system of the index, so that they can be linked into place. */
  readonly #scratch: string
  #known: string | undefined
  /** Stamp of the index that is known to be editable here; see isIndexSimple. */
  #simpleStamp: string | undefined
  #marker: string | undefined
  #isBusy = false

  constructor(repo: Repository, scratch: string) {
    super(repo.root)
    this.repo = repo
    this.indexPath = join(repo.gitDir, 'index')
    this.#scratch = scratch
  }

  /** Copies an index with its mtime, by which Git tells which entries may have changed since. */
  async copyIndex(from: string = this.indexPath): Promise<string> {
    const to = this.#newIndex()
    const facts = statSync(from)
    copyFileSync(from, to, constants.COPYFILE_EXCL)
    // Rounded down: Git compares the contents of files that are as new as the index.
    utimesSync(to, facts.atime, Math.floor(facts.mtimeMs) / 1000)
    return to
  }

  #newIndex(): string {
    mkdirSync(this.#scratch, { recursive: true })
    return join(this.#scratch, `index.next.${randomBytes(6).toString('hex')}`)
  }

  /**
   * Records that the index matches the commit: until something writes it, a copy of it is as good as reading the
   * commit.
   */
  rememberIndex(stamp = stampOf(this.indexPath)): void {
    this.#known = stamp
  }

  /** True if nothing has written the index since `rememberIndex`. */
  async isIndexKnown(): Promise<boolean> {
    return this.#known !== undefined && stampOf(this.indexPath) === this.#known
  }

  /** True if the index exists but has no valid header, as after a power cut before it was synced. */
  isIndexTorn(): boolean {
    const facts = statSync(this.indexPath, { throwIfNoEntry: false })
    return facts !== undefined && (facts.size < 32 || headerOf(this.indexPath).toString('latin1', 0, 4) !== 'DIRC')
  }

  /** True if the index can be edited here: no entry excluded by a sparse checkout or assumed unchanged. */
  isIndexSimple(): boolean {
    const stamp = stampOf(this.indexPath)
    if (stamp === undefined || !this.repo.isFast) return false
    if (stamp === this.#simpleStamp) return true
    const isSimple = isSimpleIndex(readFileSync(this.indexPath), { root: this.root, format: this.repo.objectFormat })
    if (isSimple) this.#simpleStamp = stamp
    return isSimple
  }

  /** Applies the edits to the index. `whileHeld` moves the branch: nobody sees the two disagree. */
  async putIntoIndex(edits: TreeEdits, whileHeld: () => Promise<void>): Promise<void> {
    await this.#replaceIndex(async () => {
      const edited = this.#editBytes(this.indexPath, edits)
      const next = edited === undefined ? await this.copyIndex() : this.#newIndex()
      if (edited === undefined) await this.putInto(next, edits)
      else writeFileSync(next, edited, { flag: 'wx' })
      return next
    }, whileHeld)
    this.#simpleStamp = stampOf(this.indexPath)
  }

  #editBytes(index: string, edits: TreeEdits): Buffer | undefined {
    if (!this.repo.isFast) return undefined
    const { mtimeNs } = statSync(index, { bigint: true })
    return editIndexBytes(readFileSync(index), edits, {
      root: this.root,
      format: this.repo.objectFormat,
      writtenNs: mtimeNs,
    })
  }

  /** Applies the edits to a temporary index. */
  async putInto(next: string, edits: TreeEdits): Promise<void> {
    const edited = this.#editBytes(next, edits)
    if (edited !== undefined) return writeFileSync(next, edited)
    // By mode and id, not from disk: Git would apply attributes, and skip files that it was told to leave alone.
    const gone = '0'.repeat(this.repo.zero.length)
    const lines = [...edits].map(([path, file]) => `${file?.mode ?? '0'} ${file?.oid ?? gone}\t${path}\0`)
    await this.repo.git.run(['update-index', '-z', '--index-info'], {
      index: next,
      input: Buffer.from(lines.join(''), 'latin1'),
    })
  }

  /** An index that matches the commit at HEAD, whatever a command has done to the real one meanwhile. */
  async indexOf(commit: Oid): Promise<string> {
    const stamp = stampOf(this.indexPath)
    if (stamp === undefined) return this.emptyIndex(commit)
    const copy = await this.copyIndex()
    if (stamp === this.#known) return copy
    // From a copy: only the index records which files a sparse checkout excludes.
    const answer = await this.repo.git.run(['read-tree', '--reset', commit], { index: copy, ok: [0, 128] })
    if (answer.code === 0) return copy
    await unlink(copy)
    return this.emptyIndex(commit)
  }

  /** An index of a commit or tree, without cached stats of the files on disk. */
  async emptyIndex(commit: Oid): Promise<string> {
    const to = this.#newIndex()
    await this.repo.git.run(['read-tree', commit], { index: to })
    return to
  }

  /**
   * Replaces the index by `next`. While `whileHeld` runs, index.lock is ours and contains the new index, so nobody sees
   * the index disagree with the branch that `whileHeld` moves. The lock is a hard link to `next`, which proves it ours
   * after a crash.
   */
  async installIndex(next: string, whileHeld: () => Promise<void> = async () => {}): Promise<void> {
    const lock = `${this.indexPath}.lock`
    await linkPatiently(next, lock)
    try {
      await whileHeld()
    } catch (error) {
      await unlink(lock)
      throw error
    }
    // Not synced: a power cut may revert the index but never the branch, and the commit can restore the index.
    renameSync(lock, this.indexPath)
    unlinkSync(next)
  }

  /**
   * Edits the index. It is locked before it is copied, so nothing staged meanwhile is lost, and nobody sees it disagree
   * with the branch that `whileHeld` moves.
   */
  async editIndex(
    edit: (next: string) => Promise<void>,
    whileHeld: () => Promise<void> = async () => {},
  ): Promise<void> {
    await this.#replaceIndex(async () => {
      const next = await this.copyIndex()
      await edit(next)
      return next
    }, whileHeld)
  }

  /** Locks the index before reading it. */
  async #replaceIndex(make: () => Promise<string>, whileHeld: () => Promise<void>): Promise<void> {
    await this.#withIndexLock(async () => {
      const wasKnown = await this.isIndexKnown()
      const next = await make()
      await whileHeld()
      // Not synced: a power cut may revert the index but never the branch, and the commit can restore the index.
      renameSync(next, this.indexPath)
      if (wasKnown) this.rememberIndex()
    })
  }

  /** Holds index.lock as a hard link to our marker, which proves it ours after a crash. */
  async #withIndexLock(action: () => Promise<void>): Promise<void> {
    const lock = `${this.indexPath}.lock`
    this.#marker ??= join(this.#scratch, `index.mark.${randomBytes(6).toString('hex')}`)
    if (!existsSync(this.#marker)) {
      mkdirSync(this.#scratch, { recursive: true })
      writeFileSync(this.#marker, '')
    }
    try {
      await linkPatiently(this.#marker, lock)
      try {
        await action()
      } finally {
        unlinkSync(lock)
      }
    } finally {
      if (!this.#isBusy) this.endBatch()
    }
  }

  /** Announces many edits: the marker is kept until `rest`. */
  beginBatch(): void {
    this.#isBusy = true
  }

  endBatch(): void {
    this.#isBusy = false
    if (this.#marker !== undefined) rmSync(this.#marker, { force: true })
    this.#marker = undefined
  }

  /** A path for a file that must appear whole; removed after a crash. */
  draftPath(): string {
    return join(this.#scratch, `draft.${randomBytes(6).toString('hex')}`)
  }
}

/** Signature, version and number of entries. */
function headerOf(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(12)
    readSync(file, bytes)
    return bytes
  } finally {
    closeSync(file)
  }
}
