// The engine without a server: hints in memory, for one process. It needs no store, because everything in it is offered
// again from the refs.

import { setTimeout as sleep } from 'node:timers/promises'
import {
  backoff,
  mostDeaths,
  mostTries,
  nameOf,
  urgencies,
  type Abandoned,
  type Answer,
  type Dispatch,
  type DispatchOptions,
  type Hint,
  type Lane,
  type LaneCensus,
  type Look,
  type Tuning,
  type Verdict,
} from './port.ts'

interface Job {
  hint: Hint
  state: 'waiting' | 'active' | 'later' | 'abandoned'
  /** For `later`: not before. */
  at: number
  tries: number
  deaths: number
  why: string
}

interface LaneState {
  readonly jobs: Map<string, Job>
  tuning: Tuning
  heldUntil: number
  /** When the last looks began, for the rate. */
  began: number[]
}

/** Of the clock that `now` reads. */
type Sleep = (ms: number, value: undefined, options: { readonly signal: AbortSignal }) => Promise<void>

export class Embedded implements Dispatch {
  readonly #lanes = new Map<Lane, LaneState>()
  readonly #epochs = new Map<string, number>()
  readonly #options: DispatchOptions
  readonly #now: () => number
  readonly #sleep: Sleep
  readonly #wakers = new Set<() => void>()
  #answers: Answer[] = []

  constructor(options: DispatchOptions, now: () => number, wait: Sleep = sleep) {
    this.#options = options
    this.#now = now
    this.#sleep = wait
  }

  offer(hints: readonly Hint[]): Promise<void> {
    for (const hint of hints) {
      const newest = Math.max(hint.epoch, this.#epochs.get(hint.campaign) ?? 0)
      this.#epochs.set(hint.campaign, newest)
      if (hint.epoch < newest) continue
      const { jobs } = this.#lane(hint.lane)
      const known = jobs.get(nameOf(hint))
      if (known === undefined) jobs.set(nameOf(hint), { hint, state: 'waiting', at: 0, tries: 0, deaths: 0, why: '' })
      else known.hint = hint
    }
    this.#wake()
    return Promise.resolve()
  }

  withdraw(hints: readonly Hint[]): Promise<void> {
    for (const hint of hints) {
      const { jobs } = this.#lane(hint.lane)
      if (jobs.get(nameOf(hint))?.state !== 'active') jobs.delete(nameOf(hint))
    }
    return Promise.resolve()
  }

  async serve(
    lane: Lane,
    look: Look,
    { width, signal }: { readonly width: number; readonly signal: AbortSignal },
  ): Promise<void> {
    const running = new Set<Promise<void>>()
    while (!signal.aborted) {
      const job = running.size < width ? this.#next(lane) : undefined
      if (job === undefined) await this.#changed(lane, signal)
      else {
        const ended = this.#work(job, look, signal).finally(() => {
          running.delete(ended)
          this.#wake()
        })
        running.add(ended)
      }
    }
    await Promise.all(running)
  }

  tune(lane: Lane, tuning: Tuning): Promise<void> {
    const state = this.#lane(lane)
    state.tuning = { ...state.tuning, ...tuning }
    this.#wake()
    return Promise.resolve()
  }

  hold(lane: Lane, until: Date): Promise<void> {
    const state = this.#lane(lane)
    state.heldUntil = Math.max(state.heldUntil, until.getTime())
    return Promise.resolve()
  }

  abandoned(): Promise<readonly Abandoned[]> {
    const all = [...this.#lanes.values()].flatMap(({ jobs }) => [...jobs.values()])
    return Promise.resolve(all.filter(({ state }) => state === 'abandoned').map(({ hint, why }) => ({ hint, why })))
  }

  answers(): Promise<readonly Answer[]> {
    const answers = this.#answers
    this.#answers = []
    return Promise.resolve(answers)
  }

  census(): Promise<readonly LaneCensus[]> {
    const count = ({ jobs }: LaneState, state: Job['state']): number =>
      [...jobs.values()].filter((job) => job.state === state).length
    return Promise.resolve(
      Array.from(this.#lanes, ([lane, state]) => ({
        lane,
        waiting: count(state, 'waiting'),
        active: count(state, 'active'),
        later: count(state, 'later'),
      })),
    )
  }

  close(): Promise<void> {
    this.#wake()
    return Promise.resolve()
  }

  #lane(lane: Lane): LaneState {
    const known = this.#lanes.get(lane) ?? { jobs: new Map(), tuning: {}, heldUntil: 0, began: [] }
    this.#lanes.set(lane, known)
    return known
  }

  /** Takes the most urgent hint that may be looked at now. */
  #next(lane: Lane): Job | undefined {
    const state = this.#lane(lane)
    const now = this.#now()
    const { width, paused = false } = state.tuning
    const active = [...state.jobs.values()].filter((job) => job.state === 'active').length
    if (
      paused ||
      now < state.heldUntil ||
      active >= (width ?? Number.POSITIVE_INFINITY) ||
      this.#rateOpens(state, now) > now
    )
      return undefined
    const ready = [...state.jobs.values()].filter(
      (job) => job.state === 'waiting' || (job.state === 'later' && job.at <= now),
    )
    const [job] = ready.toSorted(
      (one, other) => urgencies.indexOf(one.hint.urgency) - urgencies.indexOf(other.hint.urgency),
    )
    if (job === undefined) return undefined
    job.state = 'active'
    state.began.push(now)
    return job
  }

  /** When the rate lets the next look begin. */
  #rateOpens(state: LaneState, now: number): number {
    const { rate } = state.tuning
    if (rate === undefined || rate === null) return now
    state.began = state.began.filter((at) => at > now - rate.perMs)
    return state.began.length < rate.most ? now : (state.began[0] ?? now) + rate.perMs
  }

  async #work(job: Job, look: Look, signal: AbortSignal): Promise<void> {
    const { hint } = job
    const { jobs } = this.#lane(hint.lane)
    // The hint of an earlier epoch is dropped unread.
    const isOld = hint.epoch < (this.#epochs.get(hint.campaign) ?? 0)
    const verdict: Verdict | Error = isOld
      ? { kind: 'dropped', why: 'the campaign has a new epoch' }
      : await look(hint, signal).catch((error: unknown) => error as Error)
    if (verdict instanceof Error) return this.#died(job, verdict.message)
    this.#answers.push({ hint, verdict })
    switch (verdict.kind) {
      case 'held':
        return this.#later(job, verdict.until.getTime())
      case 'limited':
        this.#later(job, verdict.until.getTime())
        return this.hold(hint.lane, verdict.until)
      case 'again':
        job.tries += 1
        if (job.tries < mostTries) return this.#later(job, this.#now() + backoff(this.#options, job.tries))
        return this.#abandon(job, verdict.why)
      default:
        jobs.delete(nameOf(hint))
    }
  }

  #died(job: Job, why: string): void {
    job.deaths += 1
    if (job.deaths < mostDeaths) job.state = 'waiting'
    else this.#abandon(job, why)
  }

  #later(job: Job, at: number): void {
    job.state = 'later'
    job.at = at
  }

  #abandon(job: Job, why: string): void {
    job.state = 'abandoned'
    job.why = why
  }

  #wake(): void {
    for (const wake of this.#wakers) wake()
    this.#wakers.clear()
  }

  /** Resolves when something may have become ready. */
  async #changed(lane: Lane, signal: AbortSignal): Promise<void> {
    const state = this.#lane(lane)
    const now = this.#now()
    const times = [
      state.heldUntil,
      this.#rateOpens(state, now),
      ...[...state.jobs.values()].flatMap((job) => (job.state === 'later' ? [job.at] : [])),
    ].filter((at) => at > now)
    const wait = new AbortController()
    const woken = new Promise<void>((resolve) => this.#wakers.add(resolve))
    const timer = this.#sleep(Math.min(30_000, ...times.map((at) => at - now)), undefined, {
      signal: AbortSignal.any([signal, wait.signal]),
    }).catch(() => {})
    await Promise.race([woken, timer])
    wait.abort()
  }
}
