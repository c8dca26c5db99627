// Looking at paths of a work tree with no link followed on the way: what lies beyond one is not in the work tree.

import { lstatSync, type Stats } from 'node:fs'
import { onDisk, type RawPath } from '../read/raw-path.ts'

/** What is at a path. `above`: something that is no directory stands where one of its directories would be. */
export type Found =
  | { readonly kind: 'there'; readonly facts: Stats }
  | { readonly kind: 'above'; readonly path: RawPath }
  | { readonly kind: 'absent' }

/** Remembers the directories it has seen: make a new one after anything has changed. */
export class Inside {
  readonly #root: string
  readonly #seen = new Map<string, Stats | undefined>()

  constructor(root: string) {
    this.#root = root
  }

  async look(path: RawPath): Promise<Found> {
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
