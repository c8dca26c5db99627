// What `git status` would say of a small work tree, without a process: from the index, a look at every file, and what an earlier scan said is ignored.
// Undefined where that does not suffice: a file or directory that nobody has said anything about, a repository inside, a submodule, other rules of what is ignored.

import { lstatSync, readdirSync } from 'node:fs'
import { isUnchanged, type IndexEntry } from './index-file.ts'
import { onDisk, PathSet, type RawPath } from './raw-path.ts'
import type { Scan } from './work-tree.ts'

/** Beyond this git with its threads is faster. */
export const mostScanned = 500

export interface QuickPlace {
  readonly root: string
  readonly entries: readonly IndexEntry[]
  /** When the index was written. */
  readonly writtenNs: bigint
  /** What git said last, where the same rules held. */
  readonly last: Scan
}

export function quickScan(place: QuickPlace): Scan | undefined {
  const { entries, last } = place
  if (entries.length > mostScanned || last.nested.length > 0 || last.unmerged.length > 0) return undefined
  if (entries.some(({ mode }) => mode === '160000')) return undefined
  try {
    return new Walk(place).scan()
  } catch (error) {
    // What cannot be read, or went while it was looked at, is git's to judge.
    if (error === unsure || typeof (error as NodeJS.ErrnoException).code === 'string') return undefined
    throw error
  }
}

const unsure = new Error('git has to look')

class Walk {
  readonly #place: QuickPlace
  readonly #tracked: Map<RawPath, IndexEntry>
  readonly #untracked: Set<RawPath>
  readonly #ignored: Set<RawPath>
  /** Every directory above one of these. */
  readonly #directories = new Set<string>()
  readonly #found = { changed: [] as RawPath[], untracked: [] as RawPath[], ignored: new PathSet() }
  #looks = 0

  constructor(place: QuickPlace) {
    this.#place = place
    this.#tracked = new Map(place.entries.map((entry) => [entry.path, entry]))
    this.#untracked = new Set(place.last.untracked)
    this.#ignored = new Set(place.last.ignored)
    for (const paths of [this.#tracked.keys(), this.#untracked, this.#ignored]) for (const path of paths) this.#knowAbove(path)
  }

  scan(): Scan {
    this.#directory('')
    // What was not met is gone.
    const changed = [...this.#found.changed, ...this.#tracked.keys()].toSorted()
    return { ...this.#found, changed, nested: [], unmerged: [] }
  }

  /** `above` ends with `/`, or is empty at the top. */
  #directory(above: string): void {
    for (const entry of readdirSync(onDisk(this.#place.root, above as RawPath), { withFileTypes: true, encoding: 'buffer' })) {
      const name = entry.name.toString('latin1')
      const path = `${above}${name}` as RawPath
      if (name === '.git') {
        if (above !== '') throw unsure
      } else if (entry.isDirectory()) this.#below(`${path}/` as RawPath)
      else if (entry.isFile() || entry.isSymbolicLink()) this.#file(path)
      else throw unsure
    }
  }

  #below(directory: RawPath): void {
    this.#count()
    if (this.#ignored.has(directory)) this.#found.ignored.add(directory)
    else if (this.#directories.has(directory)) this.#directory(directory)
    else throw unsure
  }

  #file(path: RawPath): void {
    this.#count()
    const entry = this.#tracked.get(path)
    if (entry !== undefined) {
      this.#tracked.delete(path)
      const facts = lstatSync(onDisk(this.#place.root, path), { bigint: true })
      if (!isUnchanged(entry, facts, this.#place.writtenNs)) this.#found.changed.push(path)
    } else if (this.#untracked.has(path)) this.#found.untracked.push(path)
    else if (this.#ignored.has(path)) this.#found.ignored.add(path)
    else throw unsure
  }

  #knowAbove(path: RawPath): void {
    for (let at = path.indexOf('/'); at >= 0 && at < path.length - 1; at = path.indexOf('/', at + 1)) this.#directories.add(path.slice(0, at + 1))
  }

  #count(): void {
    this.#looks += 1
    if (this.#looks > 4 * mostScanned) throw unsure
  }
}
