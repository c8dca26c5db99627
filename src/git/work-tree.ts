// One work tree and its index: what changed in it, a snapshot of it through a temporary index, going back to a commit.

import { closeSync, constants, openSync, readFileSync, readSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { copyFile, lstat, mkdir, stat, unlink, utimes, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { PlanError } from '../errors.ts'
import type { Oid } from '../plan/values.ts'
import { editedIndex, isPlainIndex } from './index-file.ts'
import { linkPatiently, stampOf } from './disk.ts'
import { onDisk, PathSet, rawList, splitRaw, type RawPath } from './raw-path.ts'
import type { Repository } from './repository.ts'
import { TreeFiles } from './tree-files.ts'
import type { TreeChange, TreeEdits } from './tree-text.ts'

export interface Scan {
  /** Tracked paths that differ from the index, or the index from HEAD. */
  readonly changed: readonly RawPath[]
  /** Files that are neither tracked nor ignored. */
  readonly untracked: readonly RawPath[]
  /** Ignored files, and directories (with a `/` at the end) that are ignored as a whole. */
  readonly ignored: PathSet
  /** Repositories inside the work tree that are no submodules: git cannot hold what is in them. */
  readonly nested: readonly RawPath[]
  readonly unmerged: readonly RawPath[]
}

export class WorkTree extends TreeFiles {
  readonly repo: Repository
  readonly indexPath: string
  /** Where temporary indexes are made; on the file system of the index, so that they can be linked into place. */
  readonly #scratch: string
  #known: string | undefined
  /** The index that is known to be plain; see isIndexPlain. */
  #plain: string | undefined

  constructor(repo: Repository, scratch: string) {
    super(repo.root)
    this.repo = repo
    this.indexPath = join(repo.gitDir, 'index')
    this.#scratch = scratch
  }

  async scan(index?: string): Promise<Scan> {
    const args = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--ignored=matching', '--no-renames', '--ignore-submodules=dirty']
    const { stdout } = await this.repo.git.run(args, index === undefined ? {} : { index })
    const changed: RawPath[] = []
    const untracked: RawPath[] = []
    const nested: RawPath[] = []
    const unmerged: RawPath[] = []
    const ignored = new PathSet()
    for (const entry of splitRaw(stdout)) {
      const code = entry.slice(0, 2)
      const path = entry.slice(3) as RawPath
      if (code === '!!') ignored.add(path)
      else if (code === '??') (path.endsWith('/') ? nested : untracked).push(path)
      else {
        changed.push(path)
        if (code.includes('U') || code === 'AA' || code === 'DD') unmerged.push(path)
      }
    }
    if (nested.length === 0) return { changed, untracked, ignored, nested, unmerged }
    // One that .gitmodules names is a submodule that a command has just added: git holds its commit.
    const submodules = await this.#submodules()
    const isAdded = (path: RawPath): boolean => submodules.has(path.slice(0, -1))
    const added = nested.filter(isAdded).map((path) => path.slice(0, -1) as RawPath)
    return { changed, untracked: [...untracked, ...added], ignored, nested: nested.filter((path) => !isAdded(path)), unmerged }
  }

  async #submodules(): Promise<Set<string>> {
    const answer = await this.repo.git.run(['config', '-f', join(this.root, '.gitmodules'), '-z', '--get-regexp', '^submodule\\..*\\.path$'], { ok: [0, 1] })
    return new Set(
      answer.stdout
        .toString('latin1')
        .split('\0')
        .map((entry) => entry.slice(entry.indexOf('\n') + 1)),
    )
  }

  /** A copy of an index. The time of the original goes along: git needs it to tell which entries may have changed since. */
  async copyIndex(from: string = this.indexPath): Promise<string> {
    await mkdir(this.#scratch, { recursive: true })
    const to = join(this.#scratch, `index.next.${randomBytes(6).toString('hex')}`)
    const facts = await stat(from)
    await copyFile(from, to, constants.COPYFILE_EXCL)
    await utimes(to, facts.atime, facts.mtime)
    return to
  }

  /** The index is that of the commit now: from here on a copy of it is as good as reading the commit, until something writes it. */
  async rememberIndex(): Promise<void> {
    this.#known = stampOf(this.indexPath)
  }

  /** Nothing has written the index since `rememberIndex`. */
  async isIndexKnown(): Promise<boolean> {
    return this.#known !== undefined && stampOf(this.indexPath) === this.#known
  }

  /** There, and not even the beginning of an index: what a power cut leaves of a file that was not synced. */
  isIndexTorn(): boolean {
    const facts = statSync(this.indexPath, { throwIfNoEntry: false })
    return facts !== undefined && (facts.size < 32 || beginningOf(this.indexPath) !== 'DIRC')
  }

  /** Nothing in the index but what can be edited here: no file of it that is left out of the work tree, or not looked at. */
  isIndexPlain(): boolean {
    const stamp = stampOf(this.indexPath)
    if (stamp === undefined) return false
    if (stamp === this.#plain) return true
    const isPlain = isPlainIndex(readFileSync(this.indexPath), { root: this.root, format: this.repo.objectFormat })
    if (isPlain) this.#plain = stamp
    return isPlain
  }

  /** Brings the index to these files; the branch that the action moves and the index never disagree in the open. */
  async putIntoIndex(edits: TreeEdits, whileHeld: () => Promise<void>): Promise<void> {
    await this.editIndex((next) => this.putInto(next, edits), whileHeld)
    this.#plain = stampOf(this.indexPath)
  }

  /** These files in a temporary index. */
  async putInto(next: string, edits: TreeEdits): Promise<void> {
    const { mtimeNs } = statSync(next, { bigint: true })
    const edited = editedIndex(readFileSync(next), edits, { root: this.root, format: this.repo.objectFormat, writtenNs: mtimeNs })
    if (edited !== undefined) return writeFileSync(next, edited)
    // By what they are, not by what lies there: git would look at attributes, and not at files that it was told to leave alone.
    const gone = '0'.repeat(this.repo.zero.length)
    const lines = [...edits].map(([path, file]) => `${file?.mode ?? '0'} ${file?.oid ?? gone}\t${path}\0`)
    await this.repo.git.run(['update-index', '-z', '--index-info'], { index: next, input: Buffer.from(lines.join(''), 'latin1') })
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
    await mkdir(this.#scratch, { recursive: true })
    const to = join(this.#scratch, `index.next.${randomBytes(6).toString('hex')}`)
    await this.repo.git.run(['read-tree', commit], { index: to })
    return to
  }

  /** Takes paths into an index as they are on disk: added, modified or gone. */
  async stage(index: string, paths: readonly RawPath[], options: { isOutsideConeToo?: boolean } = {}): Promise<void> {
    if (paths.length === 0) return
    const sparse = options.isOutsideConeToo === true ? ['--sparse'] : []
    // A file whose directory is a link or a file now is gone; `add` refuses to be asked about it.
    const beyond = await this.withoutDirectory(paths)
    if (beyond.size > 0) await this.repo.git.run(['update-index', '--force-remove', '-z', '--stdin'], { index, input: rawList(beyond) })
    const within = beyond.size === 0 ? paths : paths.filter((path) => !beyond.has(path))
    if (within.length === 0) return
    const answer = await this.repo.git.run(['add', '-A', ...sparse, '--pathspec-from-file=-', '--pathspec-file-nul'], {
      index,
      input: rawList(within),
      ok: [0, 1, 128],
    })
    if (answer.code === 0) return
    throw new PlanError('cannot-save', `git cannot hold what is in the work tree: ${answer.stderr.trim().split('\n').slice(0, 8).join('\n')}`, {
      hint: 'move these files out of the work tree, or into the sparse checkout, then run the command again',
    })
  }

  /**
   * Files of the commit that a command has taken out of the index (`git rm --cached`) and that are ignored now: no longer tracked, although
   * they lie there as before. Not ignored ones would be tracked again by the next `git add`, so they count as tracked.
   */
  async untrackedByCommand(commit: Oid): Promise<RawPath[]> {
    const stamp = stampOf(this.indexPath)
    if (stamp === undefined || stamp === this.#known) return []
    const { stdout } = await this.repo.git.run(['diff-index', '--cached', '--diff-filter=D', '--name-only', '-z', commit])
    const kept = await this.present(splitRaw(stdout))
    if (kept.length === 0) return []
    const ignored = await this.repo.git.run(['check-ignore', '--no-index', '-z', '--stdin'], {
      input: rawList(kept),
      ok: [0, 1],
      env: { GIT_LITERAL_PATHSPECS: '0' },
    })
    return splitRaw(ignored.stdout)
  }

  async untrack(index: string, paths: readonly RawPath[]): Promise<void> {
    if (paths.length > 0) await this.repo.git.run(['update-index', '--force-remove', '-z', '--stdin'], { index, input: rawList(paths) })
  }

  async writeTree(index: string): Promise<Oid> {
    return (await this.repo.git.text(['write-tree'], { index })) as Oid
  }

  async changesBetween(from: Oid, to: Oid): Promise<TreeChange[]> {
    const { stdout } = await this.repo.git.run(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to])
    const parts = stdout.toString('latin1').split('\0')
    const changes: TreeChange[] = []
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const [oldMode = '', newMode = '', , , status = 'M'] = (parts[at] ?? '').slice(1).split(' ')
      changes.push({ path: parts[at + 1] as RawPath, status: status as TreeChange['status'], oldMode, newMode })
    }
    return changes
  }

  /**
   * Puts `next` in the place of the index. While the action runs, index.lock is ours and holds the new index, so a branch that the
   * action moves and the index never disagree in the open. The lock is a hard link to `next`: after a crash that proves it ours.
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
   * Changes the index in place: locked first, copied then, so that nothing that is staged meanwhile is lost. The branch that the action moves
   * and the index never disagree in the open.
   */
  async editIndex(edit: (next: string) => Promise<void>, whileHeld: () => Promise<void> = async () => {}): Promise<void> {
    await this.#holding(async () => {
      const wasKnown = await this.isIndexKnown()
      const next = await this.copyIndex()
      await edit(next)
      await whileHeld()
      // Not synced: a power cut may take the index back, never the branch; what is in it can be read from the commit.
      renameSync(next, this.indexPath)
      if (wasKnown) await this.rememberIndex()
    })
  }

  /** With index.lock ours: a link to a marker of ours, which proves it after a crash. */
  async #holding(action: () => Promise<void>): Promise<void> {
    const lock = `${this.indexPath}.lock`
    const marker = join(this.#scratch, `index.mark.${randomBytes(6).toString('hex')}`)
    await mkdir(this.#scratch, { recursive: true })
    await writeFile(marker, '')
    try {
      await linkPatiently(marker, lock)
      try {
        await action()
      } finally {
        await unlink(lock)
      }
    } finally {
      await unlink(marker)
    }
  }

  /** For files that have to land whole; swept after a crash. */
  draft(): string {
    return join(this.#scratch, `draft.${randomBytes(6).toString('hex')}`)
  }

  /**
   * Brings files, index and (through the action) the branch from one commit to another; index.lock is ours all the while. The tree must
   * be clean, and nothing untracked may be in the way.
   */
  async goTo(commit: Oid, moveBranch: () => Promise<void>): Promise<void> {
    await this.editIndex(async (next) => {
      await this.repo.git.run(['read-tree', '--reset', '-u', commit], { index: next })
    }, moveBranch)
  }

  /** Work tree and index as in the commit. What was changed must have been saved; untracked files stay unless they are in the way. */
  async resetTo(commit: Oid): Promise<void> {
    await this.repo.git.run(['read-tree', '--reset', '-u', commit])
  }

  /** What lies, untracked or ignored, where going from one commit to another would write: on a path itself, above it or below it. */
  async inTheWay(from: Oid, to: Oid): Promise<RawPath[]> {
    const changes = await this.changesBetween(from, to)
    const leaving = new Set(changes.filter(({ status }) => status === 'D').map(({ path }) => path))
    const found = new Set<RawPath>()
    for (const { path } of changes.filter(({ status }) => status === 'A')) {
      for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
        const at = (end < 0 ? path : path.slice(0, end)) as RawPath
        const facts = leaving.has(at) ? undefined : await lstat(onDisk(this.root, at)).catch(() => undefined)
        if (facts?.isDirectory() === true && end >= 0) continue
        if (facts?.isDirectory() === true) for (const file of (await this.filesBelow(at)) ?? []) found.add(file)
        else if (facts !== undefined) found.add(at)
        break
      }
    }
    return [...found].filter((path) => !leaving.has(path))
  }
}

function beginningOf(path: string): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(4)
    readSync(file, bytes)
    return bytes.toString('latin1')
  } finally {
    closeSync(file)
  }
}
