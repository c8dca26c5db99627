// The index of a work tree: as it is, as it will be, and put in its place with the branch that it belongs to.

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
import { editedIndex, isPlainIndex } from './index-file.ts'
import type { Repository } from '../repository.ts'
import { TreeFiles } from './tree-files.ts'
import type { TreeEdits } from '../read/tree-text.ts'

export class TreeIndex extends TreeFiles {
  readonly repo: Repository
  readonly indexPath: string
  /** Where temporary indexes are made; on the file system of the index, so that they can be linked into place. */
  readonly #scratch: string
  #known: string | undefined
  /** The index that is known to be plain; see isIndexPlain. */
  #plain: string | undefined
  #marker: string | undefined
  #isBusy = false

  constructor(repo: Repository, scratch: string) {
    super(repo.root)
    this.repo = repo
    this.indexPath = join(repo.gitDir, 'index')
    this.#scratch = scratch
  }

  /**
   * A copy of an index. The time of the original goes along: git needs it to tell which entries may have changed since.
   */
  async copyIndex(from: string = this.indexPath): Promise<string> {
    const to = this.#newIndex()
    const facts = statSync(from)
    copyFileSync(from, to, constants.COPYFILE_EXCL)
    // Not later: what is as young as the index is looked into.
    utimesSync(to, facts.atime, Math.floor(facts.mtimeMs) / 1000)
    return to
  }

  #newIndex(): string {
    mkdirSync(this.#scratch, { recursive: true })
    return join(this.#scratch, `index.next.${randomBytes(6).toString('hex')}`)
  }

  /**
   * The index is that of the commit now: from here on a copy of it is as good as reading the commit, until something
   * writes it.
   */
  rememberIndex(stamp = stampOf(this.indexPath)): void {
    this.#known = stamp
  }

  /** Nothing has written the index since `rememberIndex`. */
  async isIndexKnown(): Promise<boolean> {
    return this.#known !== undefined && stampOf(this.indexPath) === this.#known
  }

  /** There, and not even the beginning of an index: what a power cut leaves of a file that was not synced. */
  isIndexTorn(): boolean {
    const facts = statSync(this.indexPath, { throwIfNoEntry: false })
    return facts !== undefined && (facts.size < 32 || beginningOf(this.indexPath).toString('latin1', 0, 4) !== 'DIRC')
  }

  /**
   * Nothing in the index but what can be edited here: no file of it that is left out of the work tree, or not looked
   * at.
   */
  isIndexPlain(): boolean {
    const stamp = stampOf(this.indexPath)
    if (stamp === undefined || !this.repo.isFast) return false
    if (stamp === this.#plain) return true
    const isPlain = isPlainIndex(readFileSync(this.indexPath), { root: this.root, format: this.repo.objectFormat })
    if (isPlain) this.#plain = stamp
    return isPlain
  }

  /** Brings the index to these files; the branch that the action moves and the index never disagree in the open. */
  async putIntoIndex(edits: TreeEdits, whileHeld: () => Promise<void>): Promise<void> {
    await this.#replacing(async () => {
      const edited = this.#edited(this.indexPath, edits)
      const next = edited === undefined ? await this.copyIndex() : this.#newIndex()
      if (edited === undefined) await this.putInto(next, edits)
      else writeFileSync(next, edited, { flag: 'wx' })
      return next
    }, whileHeld)
    this.#plain = stampOf(this.indexPath)
  }

  #edited(index: string, edits: TreeEdits): Buffer | undefined {
    if (!this.repo.isFast) return undefined
    const { mtimeNs } = statSync(index, { bigint: true })
    return editedIndex(readFileSync(index), edits, {
      root: this.root,
      format: this.repo.objectFormat,
      writtenNs: mtimeNs,
    })
  }

  /** These files in a temporary index. */
  async putInto(next: string, edits: TreeEdits): Promise<void> {
    const edited = this.#edited(next, edits)
    if (edited !== undefined) return writeFileSync(next, edited)
    // By what they are, not by what lies there: git would look at attributes, and not at files that it was told to
    // leave alone.
    const gone = '0'.repeat(this.repo.zero.length)
    const lines = [...edits].map(([path, file]) => `${file?.mode ?? '0'} ${file?.oid ?? gone}\t${path}\0`)
    await this.repo.git.run(['update-index', '-z', '--index-info'], {
      index: next,
      input: Buffer.from(lines.join(''), 'latin1'),
    })
  }

  /** An index of the commit that git calls HEAD, whatever a command has done to the real one meanwhile. */
  async indexOf(commit: Oid): Promise<string> {
    const stamp = stampOf(this.indexPath)
    if (stamp === undefined) return this.emptyIndex(commit)
    const copy = await this.copyIndex()
    if (stamp === this.#known) return copy
    // From a copy, not from nothing: which files a sparse checkout leaves out is written in the index alone.
    const answer = await this.repo.git.run(['read-tree', '--reset', commit], { index: copy, ok: [0, 128] })
    if (answer.code === 0) return copy
    await unlink(copy)
    return this.emptyIndex(commit)
  }

  /** An index of a commit or tree, without what git remembers of the files on disk. */
  async emptyIndex(commit: Oid): Promise<string> {
    const to = this.#newIndex()
    await this.repo.git.run(['read-tree', commit], { index: to })
    return to
  }

  /**
   * Puts `next` in the place of the index. While the action runs, index.lock is ours and holds the new index, so a
   * branch that the action moves and the index never disagree in the open. The lock is a hard link to `next`: after a
   * crash that proves it ours.
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
    // Not synced: a power cut may take the index back, never the branch; what is in it can be read from the commit.
    renameSync(lock, this.indexPath)
    unlinkSync(next)
  }

  /**
   * Changes the index in place: locked first, copied then, so that nothing that is staged meanwhile is lost. The branch
   * that the action moves and the index never disagree in the open.
   */
  async editIndex(
    edit: (next: string) => Promise<void>,
    whileHeld: () => Promise<void> = async () => {},
  ): Promise<void> {
    await this.#replacing(async () => {
      const next = await this.copyIndex()
      await edit(next)
      return next
    }, whileHeld)
  }

  /** With the index locked before it is looked at. */
  async #replacing(make: () => Promise<string>, whileHeld: () => Promise<void>): Promise<void> {
    await this.#holding(async () => {
      const wasKnown = await this.isIndexKnown()
      const next = await make()
      await whileHeld()
      // Not synced: a power cut may take the index back, never the branch; what is in it can be read from the commit.
      renameSync(next, this.indexPath)
      if (wasKnown) this.rememberIndex()
    })
  }

  /** With index.lock ours: a link to a marker of ours, which proves it after a crash. */
  async #holding(action: () => Promise<void>): Promise<void> {
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
      if (!this.#isBusy) this.rest()
    }
  }

  /** Many changes are to come, until `rest`: what proves a lock ours is kept for all of them. */
  expectMore(): void {
    this.#isBusy = true
  }

  rest(): void {
    this.#isBusy = false
    if (this.#marker !== undefined) rmSync(this.#marker, { force: true })
    this.#marker = undefined
  }

  /** For files that have to land whole; swept after a crash. */
  draft(): string {
    return join(this.#scratch, `draft.${randomBytes(6).toString('hex')}`)
  }
}

/** Mark, version and number of entries. */
function beginningOf(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(12)
    readSync(file, bytes)
    return bytes
  } finally {
    closeSync(file)
  }
}
