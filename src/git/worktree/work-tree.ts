// One work tree and its index: what changed in it, a snapshot of it through a temporary index, going back to a commit.

import { lstatSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { PlanError } from '../../errors.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { ClosedDirectories, closedDirectories } from './unreadable-directories.ts'
import { stampOf } from '../write/durable-fs.ts'
import { IgnoreCheck } from './ignore-check.ts'
import { onDisk, PathSet, rawList, shown, splitRaw, type RawPath } from '../read/raw-path.ts'
import { TreeIndex } from './tree-index.ts'
import type { TreeChange } from '../read/tree-text.ts'

export interface Scan {
  /** Tracked paths that differ from the index, or the index from HEAD. */
  readonly changed: readonly RawPath[]
  /** Those of them that are in the work tree as the index has them: there is nothing to stage. */
  readonly staged: ReadonlySet<RawPath>
  /** Files that are neither tracked nor ignored. */
  readonly untracked: readonly RawPath[]
  /** Ignored files, and directories (with a `/` at the end) that are ignored as a whole. */
  readonly ignored: PathSet
  /** Repositories inside the work tree that are no submodules: git cannot hold what is in them. */
  readonly nested: readonly RawPath[]
  readonly unmerged: readonly RawPath[]
}

export class WorkTree extends TreeIndex {
  readonly #ignores = new IgnoreCheck(this.repo.git)

  /**
   * Throws where a directory cannot be read: it may hold anything. `notOurs`: what may lie there all the same, whoever
   * can read it.
   */
  async scan(index?: string, notOurs = new PathSet()): Promise<Scan> {
    // Who has to be asked what changed may have changed the rules, too.
    this.forgetIgnoreRules()
    const stamp = stampOf(this.indexPath)
    const scan = await this.#scan(index, notOurs)
    // What git has just compared with HEAD is that of the commit, until something writes it.
    if (index === undefined && scan.changed.length === 0) this.rememberIndex(stamp)
    return scan
  }

  /** Whether git ignores a path, by the rules that there were when it was asked first since the last scan. */
  isIgnored(path: string): Promise<boolean> {
    return this.#ignores.isIgnored(path)
  }

  forgetIgnoreRules(): void {
    this.#ignores.close()
  }

  override rest(): void {
    super.rest()
    this.forgetIgnoreRules()
  }

  /** The files that a scan found, as they are now: another answer, and one of them was changed. */
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
    // One that .gitmodules names is a submodule that a command has just added: git holds its commit.
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

  /**
   * Git may have been kept from something else, such as the user's own list of what to ignore: that is no reason to
   * stop.
   */
  #refuseClosed(ignored: readonly PathSet[]): void {
    const [first, ...more] = closedDirectories(this.root, ignored)
    if (first !== undefined) throw new ClosedDirectories(this.root, [first, ...more])
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
   * Takes paths into an index as they are on disk: added, modified or gone. Answers with those that a sparse checkout
   * leaves out. They are taken too, so that they can be saved. A commit must not have them: the file that the tip has
   * there was not on disk, so its text would be lost.
   */
  async stage(index: string, paths: readonly RawPath[]): Promise<RawPath[]> {
    if (paths.length === 0) return []
    // A file whose directory is a link or a file now is gone; `add` refuses to be asked about it.
    const beyond = await this.withoutDirectory(paths)
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
   * Files of the commit that a command has taken out of the index (`git rm --cached`) and that are ignored now: no
   * longer tracked, although they lie there as before. Not ignored ones would be tracked again by the next `git add`,
   * so they count as tracked.
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
   * Brings files, index and (through the action) the branch from one commit to another; index.lock is ours all the
   * while. The tree must be clean, and nothing untracked may be in the way. `isSilent`: git had no complaint; else a
   * file may have been left behind, which it calls a success.
   */
  async goTo(commit: Oid, moveBranch: () => Promise<void>): Promise<{ readonly isSilent: boolean }> {
    let isSilent = true
    await this.editIndex(async (next) => {
      isSilent = (await this.repo.git.run(['read-tree', '--reset', '-u', commit], { index: next })).stderr === ''
    }, moveBranch)
    return { isSilent }
  }

  /**
   * Work tree and index as in the commit. What was changed must have been saved; untracked files stay unless they are
   * in the way.
   */
  async resetTo(commit: Oid): Promise<void> {
    const { stderr } = await this.repo.git.run(['read-tree', '--reset', '-u', commit])
    // A file that it could not replace is named, and left as it is.
    if (stderr !== '') await this.repo.git.run(['read-tree', '--reset', '-u', commit])
  }

  /**
   * What lies, untracked or ignored, where going from one commit to another would write: on a path itself, above it or
   * below it.
   */
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
