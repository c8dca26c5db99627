// What a commit of a plan stands on: the branch as it was before it, without the events that nothing depends on.

import type { PlanEventName } from '../plan/model/lifecycle.ts'
import type { History } from '../store/history.ts'

/** Events that change what is allowed. */
const deciding: ReadonlySet<PlanEventName> = new Set([
  'proposed',
  'replanned',
  'rebased',
  'approved',
  'rejected',
  'fixed',
  'declared',
])
const adopting: ReadonlySet<PlanEventName> = new Set(['fixed', 'declared'])

/** Steps are many, and decisions few: to look at all of a long branch for each of its commits would take its square. */
export class Below {
  readonly #history: History
  /** Depths of the events that count, those right above a commit of somebody else's included; in order. */
  readonly #counting: readonly number[]

  constructor(history: History) {
    this.#history = history
    const above = new Set(history.foreign.map(({ depth }) => depth - 1))
    this.#counting = history.events.flatMap(({ event }, depth) =>
      deciding.has(event) || above.has(depth) ? [depth] : [],
    )
  }

  /** Without what the event at `depth` itself takes over. */
  before(depth: number): History {
    const { events, foreign } = this.#history
    const event = events[depth]
    const isAdopting = event !== undefined && adopting.has(event.event)
    const from = this.#counted(depth + 1)
    return {
      events: this.#counting.slice(from).map((at) => events[at]!),
      foreign: foreign
        .filter((each) => each.depth > depth && !(isAdopting && each.depth === depth + 1))
        .map((each) => ({ ...each, depth: this.#counted(each.depth) - from })),
    }
  }

  /** How many of them have less than this depth. */
  #counted(depth: number): number {
    let [low, high] = [0, this.#counting.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#counting[middle]! < depth) low = middle + 1
      else high = middle
    }
    return low
  }
}
