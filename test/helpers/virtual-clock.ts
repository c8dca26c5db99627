// A clock that goes on to the next time at which somebody wakes up, as soon as nothing else is to be done.

import { setImmediate as turn } from 'node:timers/promises'

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

export class VirtualClock {
  #now = 0
  readonly #sleepers = new Set<Sleeper>()

  readonly now = (): number => this.#now

  readonly sleep = (ms: number, _?: undefined, { signal }: { signal?: AbortSignal } = {}): Promise<void> =>
    new Promise((resolve, reject) => {
      const sleeper = { at: this.#now + ms, wake: () => (this.#sleepers.delete(sleeper), resolve()) }
      if (signal?.aborted !== true) this.#sleepers.add(sleeper)
      else reject(new Error('it was stopped'))
      const stop = (): void => {
        if (this.#sleepers.delete(sleeper)) reject(new Error('it was stopped'))
      }
      signal?.addEventListener('abort', stop, { once: true })
    })

  async runUntil(isOver: () => boolean): Promise<void> {
    for (;;) {
      await turn()
      await turn()
      if (isOver()) return
      const [next] = [...this.#sleepers].toSorted((one, other) => one.at - other.at)
      if (next === undefined) throw new Error('nobody will ever wake up')
      this.#now = Math.max(this.#now, next.at)
      next.wake()
    }
  }
}
