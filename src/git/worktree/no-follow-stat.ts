// Stats paths of a work tree without following symlinks: files behind a symlink are not in the work tree.

import { lstatSync, type Stats } from 'node:fs'
import { onDisk, type RawPath } from '../read/raw-path.ts'

/** The file at a path. `above`: something other than a directory is in the place of one of its parents. */
export type Found =
  | { readonly kind: 'there'; readonly facts: Stats }
  | { readonly kind: 'above'; readonly path: RawPath }
  | { readonly kind: 'absent' }

/** Caches the directories it has seen: make a new one after any change. */
export class NoFollowStat {
  readonly #root: string
  readonly #seen = new Map<string, Stats | undefined>()

  constructor(root: string) {
    this.#root = root
  }

  async stat(path: RawPath): Promise<Found> {
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
      const directory = path.slice(0, at) as RawPath
      const facts = this.#directory(directory)
      if (facts === undefined) return { kind: 'absent' }
      if (!facts.isDirectory()) return { kind: 'above', path: directory }
    }
    const facts = this.#facts(path)
    return facts === undefined ? { kind: 'absent' } : { kind: 'there', facts }
  }

  #directory(path: RawPath): Stats | undefined {
    if (!this.#seen.has(path)) this.#seen.set(path, this.#facts(path))
    return this.#seen.get(path)
  }

  #facts(path: RawPath): Stats | undefined {
    try {
      return lstatSync(onDisk(this.#root, path))
    } catch {
      return undefined
    }
  }
}
