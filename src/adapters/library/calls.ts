// The commands that run for the client of a server. It may have several at once; a second run of a plan is refused by
// its lock.

import type { RunEvent } from '../../engine/run/events.ts'
import { PlanError } from '../../errors.ts'
import type { Environment } from '../../process/environment.ts'
import { openPlans } from './open-plans.ts'
import type { PlansResult } from './plans.ts'

export interface CallsWorld {
  readonly directory: string
  readonly env: Environment
  readonly now: () => Date
}

export interface CallOptions {
  /** Aborted when the client cancels the call. */
  readonly signal: AbortSignal
  readonly onEvent?: (event: RunEvent) => void
}

export class Calls {
  readonly #world: CallsWorld
  readonly #running = new Set<Promise<unknown>>()
  readonly #stop = new AbortController()

  constructor(world: CallsWorld) {
    this.#world = world
  }

  /** The requests are checked against the table of commands. */
  async run(
    command: string,
    request: object,
    { signal, onEvent = () => {} }: CallOptions,
  ): Promise<PlansResult<object>> {
    const stop = new AbortController()
    const cancel = (): void =>
      stop.abort(new PlanError('interrupted', 'the call was cancelled', { hint: 'git plan status' }))
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
    const { directory, env, now } = this.#world
    const plans = openPlans({ directory, env, now, onEvent, signal: AbortSignal.any([stop.signal, this.#stop.signal]) })
    const method = (plans as unknown as Record<string, Method | undefined>)[command]
    if (method === undefined || !Object.hasOwn(plans, command)) throw new Error(`no command ${command}`)
    const call = method(request)
    this.#running.add(call)
    try {
      return await call
    } finally {
      this.#running.delete(call)
      signal.removeEventListener('abort', cancel)
    }
  }

  /** Stops every command as a signal does, and waits for their ends. */
  async stop(): Promise<void> {
    this.#stop.abort(new PlanError('terminated', 'the client has gone', { hint: 'git plan status' }))
    await Promise.allSettled(this.#running)
  }
}

type Method = (request: object) => Promise<PlansResult<object>>
