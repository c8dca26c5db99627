// One work tree and its index: finds changes, takes snapshots through a temporary index, resets to a commit.

import { lstatSync } from 'node:fs'
import { lstat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { PlanError } from '../../errors.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { UnreadableDirectories, findUnreadable } from './unreadable-directories.ts'
import { stampOf } from '../write/durable-fs.ts'
import { IgnoreCheck } from './ignore-check.ts'
import { onDisk, PathSet, rawList, shown, splitRaw, type RawPath } from '../read/raw-path.ts'
import { TreeIndex } from './tree-index.ts'
import type { TreeChange } from '../read/tree-text.ts'

export interface Scan {
  /** Tracked paths that differ from the index, or the index from HEAD. */
  readonly changed: readonly RawPath[]
  /** Changed paths whose work tree file equals the index: nothing to stage. */
  readonly staged: ReadonlySet<RawPath>
  /** Files that are neither tracked nor ignored. */
  readonly untracked: readonly RawPath[]
  /** Ignored files, and wholly ignored directories (with a trailing `/`). */
  readonly ignored: PathSet
  /** Repositories inside the work tree that are not submodules: Git cannot store their files. */
  readonly nested: readonly RawPath[]
  readonly unmerged: readonly RawPath[]
}

export class WorkTree extends TreeIndex {
  readonly #ignores = new IgnoreCheck(this.repo.git)

  /** Throws if a directory cannot be read, since it may contain anything. Directories in `notOurs` are exempt. */
  async scan(index?: string, notOurs = new PathSet()): Promise<Scan> {
    // The same commands that change files may change the ignore rules.
    this.forgetIgnoreRules()
    const stamp = stampOf(this.indexPath)
    const scan = await this.#scan(index, notOurs)
    // Git has just compared the index with HEAD: they match until something writes the index.
    if (index === undefined && scan.changed.length === 0) this.rememberIndex(stamp)
    return scan
  }

  /** Uses the ignore rules as of the first call since the last scan. */
  isIgnored(path: string): Promise<boolean> {
    return this.#ignores.isIgnored(path)
  }

  forgetIgnoreRules(): void {
    this.#ignores.close()
  }

  override endBatch(): void {
    super.endBatch()
    this.forgetIgnoreRules()
  }

  /** A value for the files in a scan that differs once one of them has changed. */
  stampsOf({ changed, untracked }: Scan): string {
    return [...changed, ...untracked].map((path) => stampOf(onDisk(this.root, path), lstatSync)).join('\0')
  }

  async #scan(index: string | undefined, notOurs: PathSet): Promise<Scan> {
    const args = [
      'status',
      '--porcelain=v1',
      '-z',
      '--untracked-files=all',
      '--ignored=matching',
      '--no-renames',
      '--ignore-submodules=dirty',
    ]
    const { stdout, stderr } = await this.repo.git.run(args, index === undefined ? {} : { index })
    const changed: RawPath[] = []
    const staged = new Set<RawPath>()
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
        if (code.endsWith(' ')) staged.add(path)
        if (code.includes('U') || code === 'AA' || code === 'DD') unmerged.push(path)
      }
    }
    if (/could not open directory|Permission denied/.test(stderr)) this.#refuseClosed([ignored, notOurs])
    if (nested.length === 0) return { changed, staged, untracked, ignored, nested, unmerged }
    // A repository named in .gitmodules is a submodule that a command has just added: Git stores its commit.
    const submodules = await this.#submodules()
    const isAdded = (path: RawPath): boolean => submodules.has(path.slice(0, -1))
    const added = nested.filter(isAdded).map((path) => path.slice(0, -1) as RawPath)
    return {
      changed,
      staged,
      untracked: [...untracked, ...added],
      ignored,
      nested: nested.filter((path) => !isAdded(path)),
      unmerged,
    }
  }

  /** Git may also warn about something else, such as the user's own excludes file: that is no reason to stop. */
  #refuseClosed(ignored: readonly PathSet[]): void {
    const [first, ...more] = findUnreadable(this.root, ignored)
    if (first !== undefined) throw new UnreadableDirectories(this.root, [first, ...more])
  }

  async #submodules(): Promise<Set<string>> {
    const answer = await this.repo.git.run(
      ['config', '-f', join(this.root, '.gitmodules'), '-z', '--get-regexp', '^submodule\\..*\\.path$'],
      { ok: [0, 1] },
    )
    return new Set(
      answer.stdout
        .toString('latin1')
        .split('\0')
        .map((entry) => entry.slice(entry.indexOf('\n') + 1)),
    )
  }

  /**
   * Stages paths as they are on disk: added, modified or deleted. Returns those outside the sparse checkout. They are
   * staged too, so that they can be saved, but must not be committed: the file at the tip was not on disk, so its
   * contents would be lost.
   */
  async stage(index: string, paths: readonly RawPath[]): Promise<RawPath[]> {
    if (paths.length === 0) return []
    // A file whose parent is now a symlink or a file is deleted; `git add` refuses such a path.
    const beyond = await this.pathsWithoutParent(paths)
    if (beyond.size > 0)
      await this.repo.git.run(['update-index', '--force-remove', '-z', '--stdin'], { index, input: rawList(beyond) })
    const within = beyond.size === 0 ? paths : paths.filter((path) => !beyond.has(path))
    if (within.length === 0) return []
    const add = (...options: string[]): Promise<{ code: number; stderr: string }> =>
      this.repo.git.run(['add', '-A', ...options, '--pathspec-from-file=-', '--pathspec-file-nul'], {
        index,
        input: rawList(within),
        ok: [0, 1, 128],
      })
    const first = await add()
    if (first.code === 0) return []
    const second = await add('--sparse')
    if (second.code !== 0)
      throw new PlanError(
        'cannot-save',
        `Git cannot store files of the work tree: ${second.stderr.trim().split('\n').slice(0, 8).join('\n')}`,
        {
          hint: 'move these files out of the work tree, then run the command again',
        },
      )
    const named = new Set(first.stderr.split('\n'))
    const outside = within.filter((path) => named.has(shown(path)))
    return outside.length > 0 ? outside : [...within]
  }

  /**
   * Files of the commit that a command removed from the index (`git rm --cached`) and that are ignored now: untracked,
   * although still on disk. If they were not ignored, the next `git add` would track them again, so those count as
   * tracked.
   */
  async untrackedByCommand(commit: Oid): Promise<RawPath[]> {
    const stamp = stampOf(this.indexPath)
    if (stamp === undefined || (await this.isIndexKnown())) return []
    const { stdout } = await this.repo.git.run([
      'diff-index',
      '--cached',
      '--diff-filter=D',
      '--name-only',
      '-z',
      commit,
    ])
    const kept = await this.existingPaths(splitRaw(stdout))
    if (kept.length === 0) return []
    const ignored = await this.repo.git.run(['check-ignore', '--no-index', '-z', '--stdin'], {
      input: rawList(kept),
      ok: [0, 1],
      env: { GIT_LITERAL_PATHSPECS: '0' },
    })
    return splitRaw(ignored.stdout)
  }

  async untrack(index: string, paths: readonly RawPath[]): Promise<void> {
    if (paths.length > 0)
      await this.repo.git.run(['update-index', '--force-remove', '-z', '--stdin'], { index, input: rawList(paths) })
  }

  async writeTree(index: string): Promise<Oid> {
    return (await this.repo.git.text(['write-tree'], { index })) as Oid
  }

  async changesBetween(from: Oid, to: Oid): Promise<TreeChange[]> {
    const { stdout } = await this.repo.git.run([
      'diff-tree',
      '-r',
      '-z',
      '--raw',
      '--no-renames',
      '--no-abbrev',
      from,
      to,
    ])
    const parts = stdout.toString('latin1').split('\0')
    const changes: TreeChange[] = []
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const [oldMode = '', newMode = '', , oid, status = 'M'] = (parts[at] ?? '').slice(1).split(' ')
      changes.push({
        path: parts[at + 1] as RawPath,
        status: status as TreeChange['status'],
        oldMode,
        newMode,
        oid: status === 'D' ? undefined : (oid as Oid),
      })
    }
    return changes
  }

  /**
   * Moves files, index and (through `moveBranch`) the branch to another commit, with index.lock held. The tree must be
   * clean, and no untracked file may be in the way. `isSilent` false: Git complained and may have left a file behind,
   * although it reports success.
   */
  async goTo(commit: Oid, moveBranch: () => Promise<void>): Promise<{ readonly isSilent: boolean }> {
    return this.#readTree(['--reset', '-u', commit], moveBranch)
  }

  /** The same for a tree with changes: they stay, staged ones too, and Git refuses if the move would touch them. */
  async goFrom(from: Oid, commit: Oid, moveBranch: () => Promise<void>): Promise<{ readonly isSilent: boolean }> {
    return this.#readTree(['-m', '-u', from, commit], moveBranch)
  }

  async #readTree(args: readonly string[], moveBranch: () => Promise<void>): Promise<{ readonly isSilent: boolean }> {
    let isSilent = true
    await this.editIndex(async (next) => {
      // Git does not replace a file whose stat data differs from the index, even if its contents do not.
      if (args[0] === '-m') await this.repo.git.run(['update-index', '--refresh'], { index: next, ok: [0, 1] })
      isSilent = (await this.repo.git.run(['read-tree', ...args], { index: next })).stderr === ''
    }, moveBranch)
    return { isSilent }
  }

  /** After `goFrom` has moved the branch: the index that belongs to it, with what was staged before. */
  async indexFrom(from: Oid, commit: Oid): Promise<string> {
    const copy = await this.copyIndex()
    const answer = await this.repo.git.run(['read-tree', '-i', '-m', from, commit], { index: copy, ok: [0, 128] })
    if (answer.code === 0) return copy
    // Something was staged since in a file that has moved: its contents are still on disk.
    await unlink(copy)
    return this.indexOf(commit)
  }

  /** Resets these paths, in index and work tree, to the commit. */
  async resetPaths(commit: Oid, paths: readonly RawPath[]): Promise<void> {
    await this.repo.git.run(
      ['checkout', '-q', '--no-overlay', commit, '--pathspec-from-file=-', '--pathspec-file-nul'],
      { input: rawList(paths) },
    )
  }

  /** Resets work tree and index to the commit. Changes must have been saved; untracked files stay unless in the way. */
  async resetTo(commit: Oid): Promise<void> {
    const { stderr } = await this.repo.git.run(['read-tree', '--reset', '-u', commit])
    // Git names a file that it could not replace, and leaves it: try once more.
    if (stderr !== '') await this.repo.git.run(['read-tree', '--reset', '-u', commit])
  }

  /** Untracked or ignored files at, above or below the paths that moving between the two commits would write. */
  async filesInTheWay(from: Oid, to: Oid): Promise<RawPath[]> {
    return this.filesInTheWayOf(await this.changesBetween(from, to))
  }

  async filesInTheWayOf(changes: readonly TreeChange[]): Promise<RawPath[]> {
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
