// Numbers that depend on a seed alone, so that an input can be made again.

export class Random {
  #state: number

  constructor(...seeds: readonly number[]) {
    this.#state = 0x9e3779b9
    for (const seed of seeds) {
      this.#state = (this.#state ^ seed) >>> 0
      this.next()
    }
  }

  /** From 0 to below 1; mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** From 0 to below `end`; 0 where there is nothing to choose from. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  from<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }

  /** Small ones far more often than large ones. */
  upTo(end: number): number {
    return Math.floor(end ** this.next())
  }
}
