// The runs that were started from the page. They belong to the server, not to the request: a page that is closed stops
// nothing, and a server that ends stops them as Ctrl-C does.

import type { RunEvent } from '../../engine/run/events.ts'
import { PlanError } from '../../errors.ts'
import type { Calls } from '../library/calls.ts'
import type { PlansResult } from '../library/plans.ts'
import { refusalOf, type Refusal } from '../library/refusal.ts'

type Answer = PlansResult<object>

export type RunNews =
  | { readonly plan: string; readonly event: RunEvent }
  | { readonly plan: string; readonly ended: Answer | Refusal }

export class Runs {
  readonly #calls: Calls
  readonly #running = new Map<string, AbortController>()
  readonly #listeners = new Set<(news: RunNews) => void>()

  constructor(calls: Calls) {
    this.#calls = calls
  }

  listen(listener: (news: RunNews) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #tell(news: RunNews): void {
    for (const listener of this.#listeners) listener(news)
  }

  /** Resolves when the run has begun (undefined), or has ended before; rejects if it was refused. */
  begin(plan: string, command: string, request: object): Promise<Answer | undefined> {
    let onBegun = (): void => {}
    const begun = new Promise<undefined>((resolve) => (onBegun = () => resolve(undefined)))
    return Promise.race([begun, this.#perform(plan, { command, request, onBegun })])
  }

  async #perform(
    plan: string,
    { command, request, onBegun }: { command: string; request: object; onBegun: () => void },
  ): Promise<Answer> {
    const stop = new AbortController()
    const onEvent = (event: RunEvent): void => {
      if (event.kind === 'run-started') {
        // The lock is held: this run is the only one.
        this.#running.set(plan, stop)
        onBegun()
      }
      // The page reads the output from where it is kept, whoever runs the plan.
      if (event.kind !== 'output') this.#tell({ plan, event })
    }
    try {
      const ended = await this.#calls.run(command, request, { signal: stop.signal, onEvent })
      this.#tell({ plan, ended })
      return ended
    } catch (error) {
      this.#tell({ plan, ended: refusalOf(error) })
      throw error
    } finally {
      if (this.#running.get(plan) === stop) this.#running.delete(plan)
    }
  }

  /** Stops a run as Ctrl-C does: its step is ended, and its changes are saved. */
  stop(plan: string): void {
    const running = this.#running.get(plan)
    if (running === undefined)
      throw new PlanError('wrong-state', `no run of ${plan} was started from this page`, {
        hint: `git plan status ${plan}`,
      })
    running.abort()
  }

  /** The plans that run. */
  get plans(): readonly string[] {
    return [...this.#running.keys()]
  }
}
