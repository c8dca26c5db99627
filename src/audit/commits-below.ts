// The history below a commit of a plan, without events that do not affect permission.

import type { PlanEventName } from '../plan/model/lifecycle.ts'
import type { History } from '../store/history.ts'

/** Events that affect permission. */
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

/** A branch has many steps and few decisions: examining the whole branch for each commit would be quadratic. */
export class HistoryBelow {
  readonly #history: History
  /** Sorted depths of the relevant events: those that decide, and those directly above a commit of somebody else. */
  readonly #relevant: readonly number[]

  constructor(history: History) {
    this.#history = history
    const above = new Set(history.foreign.map(({ depth }) => depth - 1))
    this.#relevant = history.events.flatMap(({ event }, depth) =>
      deciding.has(event) || above.has(depth) ? [depth] : [],
    )
  }

  /** The history below the event at `depth`, without the commits that this event itself adopts. */
  before(depth: number): History {
    const { events, foreign } = this.#history
    const event = events[depth]
    const isAdopting = event !== undefined && adopting.has(event.event)
    const from = this.#countRelevant(depth + 1)
    return {
      events: this.#relevant.slice(from).map((at) => events[at]!),
      foreign: foreign
        .filter((each) => each.depth > depth && !(isAdopting && each.depth === depth + 1))
        .map((each) => ({ ...each, depth: this.#countRelevant(each.depth) - from })),
    }
  }

  /** Number of relevant events with a smaller depth. */
  #countRelevant(depth: number): number {
    let [low, high] = [0, this.#relevant.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#relevant[middle]! < depth) low = middle + 1
      else high = middle
    }
    return low
  }
}
