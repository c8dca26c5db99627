// Git paths are bytes, not text. A RawPath holds one byte per character (latin1), so names that are not UTF-8 survive.
// `shown` is for people and globs, `onDisk` for the file system.

import { Buffer } from 'node:buffer'

declare const brand: unique symbol
export type RawPath = string & { readonly [brand]: 'RawPath' }

export const rawPath = (text: string): RawPath => Buffer.from(text).toString('latin1') as RawPath
export const shown = (path: RawPath): string => Buffer.from(path, 'latin1').toString()
export const onDisk = (root: string, path: RawPath): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])
export const rawList = (paths: Iterable<RawPath>): Buffer =>
  Buffer.from([...paths].map((path) => `${path}\0`).join(''), 'latin1')
export const splitRaw = (bytes: Buffer): RawPath[] =>
  bytes
    .toString('latin1')
    .split('\0')
    .filter((part) => part !== '') as RawPath[]

/** Exact paths, and directories (ending in `/`) that cover everything below them. */
export class PathSet {
  readonly #exact = new Set<string>()
  readonly #directories = new Set<string>()

  constructor(paths: Iterable<RawPath> = []) {
    for (const path of paths) this.add(path)
  }

  add(path: RawPath): void {
    if (path.endsWith('/')) this.#directories.add(path)
    else this.#exact.add(path)
  }

  covers(path: RawPath): boolean {
    if (this.#exact.has(path) || this.#directories.has(path)) return true
    if (this.#directories.size === 0) return false
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
      if (this.#directories.has(path.slice(0, at + 1))) return true
    return false
  }

  *[Symbol.iterator](): Generator<RawPath> {
    yield* this.#exact as Set<RawPath>
    yield* this.#directories as Set<RawPath>
  }

  get size(): number {
    return this.#exact.size + this.#directories.size
  }
}

export const describePaths = (paths: readonly RawPath[], most = 10): string =>
  describeNames(paths.slice(0, most).map(shown), { count: paths.length, most })

/** `2 files: a.txt, b.txt`. Long lists are cut. */
export const filesText = (names: readonly string[], count = names.length): string =>
  `${count === 1 ? '1 file' : `${count} files`}: ${describeNames(names, { count, most: 5 })}`

function describeNames(names: readonly string[], { count, most }: { count: number; most: number }): string {
  const first = names.slice(0, most).map((name) => JSON.stringify(name).slice(1, -1))
  return count > most ? `${first.join(', ')} and ${count - most} more` : first.join(', ')
}
