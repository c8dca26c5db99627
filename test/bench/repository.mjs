// A repository of any size: made once, in a second or two, and reset to the same state before each run.

import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { filePath, oldText } from './work.mjs'

const branch = 'refs/heads/main'
const author = 'Ada Bench <ada@example.com> 1760000000 +0000'

/** A text in the format of `git fast-import`. */
const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`

/** A file of a commit, in the format of `git fast-import`. */
export const file = (path, text) => `M 100644 inline ${path}\n${data(text)}`

/** A commit as `git fast-import` reads it; without `from` it is the first of its branch. */
export const commit = ({ ref = branch, message, from, files }) =>
  `commit ${ref}\nauthor ${author}\ncommitter ${author}\n${data(message)}${from === undefined ? '' : `from ${from}\n`}${files.join('')}\n`

/** A plan may have a hundred steps, unless the configuration on the default branch says otherwise. */
const configuration = file('.plans/config.yml', 'version: 1\nlimits:\n  steps: 1000\n')

const tracked = (count) => [configuration, ...Array.from({ length: count }, (_, at) => file(filePath(at), oldText(at)))]

const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

export class Repository {
  dir
  base
  #place
  /** The packs that it was made with. */
  #packs

  /** `more` are commits on top of the first one. */
  constructor(place, dir, { files, more = [] }) {
    this.#place = place
    this.dir = dir
    mkdirSync(dir)
    this.git(['init', '--quiet', '--initial-branch', 'main'])
    this.import([commit({ message: 'Files', files: tracked(files) }), ...more])
    this.git(['reset', '--quiet', '--hard'])
    this.base = this.git(['rev-parse', 'HEAD'])
    this.#packs = new Set(this.#packFiles())
    this.#settle()
  }

  /**
   * Git reads a file again and again that was written in the same second as the index: so the index is written anew, a
   * second later.
   */
  #settle() {
    sleep(1100)
    rmSync(join(this.dir, '.git/index'))
    this.git(['reset', '--quiet'])
  }

  #packFiles() {
    return readdirSync(join(this.dir, '.git/objects/pack'))
  }

  git(args, options) {
    return this.#place
      .time('git', args, { cwd: this.dir, ...options })
      .output()
      .trimEnd()
  }

  /**
   * Adds commits without a process for each. They are in a pack, whatever their number, as those of any repository are
   * that Git has tidied up.
   */
  import(commits) {
    this.git(['-c', 'fastimport.unpackLimit=1', 'fast-import', '--quiet'], { input: commits.join('') })
  }

  /**
   * The state that the repository had when it was made: the branch, the files, no other refs, no reflogs, no objects
   * that nothing names, and nothing left to write to the disk.
   */
  reset() {
    this.git(['checkout', '--quiet', '--force', '-B', 'main', this.base])
    this.git(['clean', '--quiet', '-ffdx'])
    const others = this.git(['for-each-ref', '--format=%(refname)'])
      .split('\n')
      .filter((ref) => ref !== '' && ref !== branch)
    this.git(['update-ref', '--stdin'], { input: others.map((ref) => `delete ${ref}\n`).join('') })
    for (const left of ['plan', 'logs', 'rebase-merge', 'ORIG_HEAD', 'COMMIT_EDITMSG'])
      rmSync(join(this.dir, '.git', left), { recursive: true, force: true })
    for (const pack of this.#packFiles())
      if (!this.#packs.has(pack)) rmSync(join(this.dir, '.git/objects/pack', pack), { force: true })
    this.git(['prune', '--expire=now'])
    this.git(['update-index', '-q', '--refresh'])
    this.#place.time('sync', [])
  }

  /** Refuses a run that made another number of commits than it should have. */
  expectCommits(range, expected, filter = []) {
    const made = Number(this.git(['rev-list', '--count', ...filter, range]))
    if (made !== expected) throw new Error(`${made} commits in ${range} instead of ${expected}`)
  }

  /** Refuses a run that changed another number of files than it should have; plan files do not count. */
  expectChanges(to, expected) {
    const changed = this.git(['diff', '--name-only', this.base, to, '--', '.', ':!.plans'])
    const count = changed === '' ? 0 : changed.split('\n').length
    if (count !== expected) throw new Error(`${count} files changed instead of ${expected}`)
  }
}
