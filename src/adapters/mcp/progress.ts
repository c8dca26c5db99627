// Tells the client how far a run is. Each notification has a higher value than the one before, as the protocol asks.

import type { RunEvent } from '../../engine/run/events.ts'
import { singleLine } from '../../plan/text/display.ts'
import { maskTokens } from '../../secrets/mask.ts'

export interface ProgressNotice {
  readonly progress: number
  readonly total?: number
  readonly message: string
}

/** Some clients give up on a call that says nothing for a while, whatever it does. */
const silenceMs = 10_000

export class Progress {
  readonly #send: (notice: ProgressNotice) => void
  #done = 0
  #total: number | undefined
  /** Number of notices since the last finished step. */
  #since = 0
  #last = 'the command has begun'
  readonly #timer: NodeJS.Timeout

  constructor(send: (notice: ProgressNotice) => void) {
    this.#send = send
    this.#timer = setInterval(() => this.#notify(`still running: ${this.#last}`), silenceMs)
  }

  show(event: RunEvent): void {
    if (event.kind === 'run-started') {
      this.#done = Math.max(this.#done, event.done)
      // One more for the checks of the plan, so that the value stays below it.
      this.#total = event.total + 1
    }
    if (event.kind === 'step-done' || event.kind === 'step-skipped') {
      this.#done += 1
      this.#since = 0
    }
    const text = textOf(event)
    if (text === undefined) return
    this.#last = singleLine(maskTokens(text)).slice(0, 300)
    this.#notify(this.#last)
  }

  #notify(message: string): void {
    // Below the value that the next finished step has.
    const progress = this.#done + this.#since / (this.#since + 1)
    this.#since += 1
    this.#send({ progress, message, ...(this.#total === undefined ? {} : { total: this.#total }) })
  }

  end(): void {
    clearInterval(this.#timer)
  }
}

function textOf(event: RunEvent): string | undefined {
  switch (event.kind) {
    case 'run-started':
      return `${event.title}: ${event.done} of ${event.total} steps done`
    case 'step-started':
      return `[${event.number}/${event.total}] ${event.step}: ${event.title}`
    case 'phase':
      return `${event.name}: ${event.command}`
    case 'step-ran':
    case 'step-done':
      return `${event.step}: ${event.kind === 'step-ran' ? 'ran' : 'done'}`
    case 'step-skipped':
      return `${event.step}: skipped`
    case 'step-failed':
    case 'step-waiting':
    case 'step-unknown':
      return `${event.step}: ${event.message}`
    case 'notice':
      return event.message
    case 'recovered':
      return event.what
    case 'rolled-back':
      return `rolled back to ${event.to}`
    case 'fleet':
    case 'fleet-target':
    case 'plans-started':
    case 'warnings':
    case 'notification':
    case 'output':
    case 'check':
    case 'run-ended':
      return undefined
  }
}
