// The number of steps that may run at the same time. Plans that one command runs share it.

export class Slots {
  readonly size: number
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(size: number) {
    this.size = size
    this.#free = size
  }

  /** Resolves when a step may run, with a function to call when it has ended. */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return () => {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}
