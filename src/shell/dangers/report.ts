// What was found, each once, at the place in the command where it stands.

import type { Found } from './call.ts'

/** Offsets in what is parsed now → offsets in the command. */
export type Origin = (offset: number) => number

interface Placed extends Found {
  readonly offset: number
}

export class Report {
  readonly found: Placed[] = []
  readonly #seen = new Set<string>()
  /** Literal text in single quotes, and where it begins: a script in it has places of its own. */
  readonly #quoted = new Map<string, number>()
  origin: Origin = (offset) => offset

  at(found: Found, offset: number): void {
    this.place(found, this.origin(offset))
  }

  /** By its offset in the command. */
  place(found: Found, offset: number): void {
    const key = `${found.rule}:${offset}`
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    this.found.push({ ...found, offset })
  }

  /** What is found meanwhile has its places by another origin. */
  from<T>(origin: Origin, run: () => T): T {
    const outer = this.origin
    this.origin = origin
    const result = run()
    this.origin = outer
    return result
  }

  quote(text: string, offset: number): void {
    this.#quoted.set(text, this.origin(offset))
  }

  originOf(text: string): Origin | undefined {
    const start = this.#quoted.get(text)
    return start === undefined ? undefined : (at) => start + at
  }
}
