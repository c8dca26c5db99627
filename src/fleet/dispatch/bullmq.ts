// BullMQ on Redis, Valkey or PostgreSQL: a queue per lane, for any number of workers. It is loaded when an address names a
// server; `bullmq` and the client of the server are installed by those who use it.

import { setTimeout as sleep } from 'node:timers/promises'
import type * as BullMq from 'bullmq'
import { PlanError } from '../../errors.ts'
import {
  hintFrom,
  mostDeaths,
  mostTries,
  nameOf,
  urgencies,
  verdictIn,
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

type Queue = BullMq.Queue<Hint, Verdict>
type Worker = BullMq.Worker<Hint, Verdict>
type Job = BullMq.Job<Hint, Verdict>

interface Classes {
  readonly module: typeof BullMq
  /** From now on a lost connection is not made again. */
  readonly end: () => void
  readonly makeQueue: (name: string) => Queue
  readonly makeWorker: (
    name: string,
    processor: BullMq.Processor<Hint, Verdict>,
    options: Omit<BullMq.WorkerOptions, 'connection'>,
  ) => Worker
}

const hour = 60 * 60
const week = 7 * 24 * hour
/** More answers than that are not kept: what is missing is looked at again. */
const mostAnswers = 10_000
const tellEveryMs = 30_000
const closeMs = 3000
/** Before a server that did not answer is asked again. */
const waitMs = (times: number): number => Math.min(times * 200, 2000)

export async function openBullMq(url: URL, options: DispatchOptions, now: () => number): Promise<Dispatch> {
  const isPostgres = url.protocol.startsWith('postgres')
  const module = await needPackage<typeof BullMq>('bullmq', () => import('bullmq'))
  const classes = isPostgres ? await onPostgres(module, url) : await onRedis(module, url)
  return patient(new BullMqDispatch(classes, options, now))
}

/** A server that is away is asked again until it answers. The client of Redis does so by itself, that of PostgreSQL not. */
function patient(of: BullMqDispatch): Dispatch {
  return {
    offer: (hints) => of.untilAnswered(() => of.offer(hints)),
    withdraw: (hints) => of.untilAnswered(() => of.withdraw(hints)),
    serve: (lane, look, options) => of.serve(lane, look, options),
    tune: (lane, tuning) => of.untilAnswered(() => of.tune(lane, tuning)),
    hold: (lane, until) => of.untilAnswered(() => of.hold(lane, until)),
    abandoned: () => of.untilAnswered(() => of.abandoned()),
    answers: () => of.untilAnswered(() => of.answers()),
    census: () => of.untilAnswered(() => of.census()),
    close: () => of.close(),
  }
}

/** Errors of the connection, and those of a PostgreSQL that ends or begins. */
const isAway = (error: unknown): boolean => {
  const { code = '', message } = error as NodeJS.ErrnoException
  return (
    /^(E(CONN\w+|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)|08\w{3}|57P0[123])$/.test(code) ||
    /^(Connection terminated|Client has encountered a connection error)/.test(message)
  )
}

async function needPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    throw new PlanError('usage', `this engine needs the package ${name}, which is not installed`, {
      hint: `npm install -g bullmq ${name === 'pg' ? 'pg' : 'ioredis'}`,
      cause: error,
    })
  }
}

async function onRedis(module: typeof BullMq, url: URL): Promise<Classes> {
  await needPackage('ioredis', () => import('ioredis'))
  const address = new URL(url)
  if (address.protocol === 'valkey:') address.href = address.href.replace(/^valkey:/, 'redis:')
  // A restart of the server is waited for, however long it takes.
  let isOver = false
  const retryStrategy = (times: number): number | null => (isOver ? null : waitMs(times))
  const connection = { url: address.href, maxRetriesPerRequest: null, retryStrategy }
  return {
    module,
    end: () => {
      isOver = true
    },
    makeQueue: (name) => new module.Queue<Hint, Verdict>(name, { connection }),
    makeWorker: (name, processor, options) =>
      new module.Worker<Hint, Verdict>(name, processor, { ...options, connection }),
  }
}

async function onPostgres(module: typeof BullMq, url: URL): Promise<Classes> {
  await needPackage('pg', () => import('pg'))
  const backend = module.withBackend(module.createPostgresBackend)
  const connection = { connectionString: url.href, migrate: true }
  return {
    module,
    end: () => {},
    makeQueue: (name) => new backend.Queue<Hint, Verdict>(name, { connection }) as unknown as Queue,
    makeWorker: (name, processor, options) =>
      new backend.Worker<Hint, Verdict>(name, processor, { ...options, connection }) as unknown as Worker,
  }
}

class BullMqDispatch implements Dispatch {
  readonly #classes: Classes
  readonly #options: DispatchOptions
  readonly #now: () => number
  readonly #queues = new Map<Lane, Queue>()
  readonly #answers: Answer[] = []

  #isClosed = false
  #toldAt = Number.NEGATIVE_INFINITY

  /** Each connection has its own errors, and repeats them with each try. */
  readonly #onError = (error: Error): void => {
    if (this.#now() - this.#toldAt < tellEveryMs) return
    this.#toldAt = this.#now()
    const [, why] = /(E[A-Z]{4,})/.exec(`${error.message} ${(error as NodeJS.ErrnoException).code ?? ''}`) ?? []
    this.#options.onTrouble(why ?? error.message)
  }

  constructor(classes: Classes, options: DispatchOptions, now: () => number) {
    this.#classes = classes
    this.#options = options
    this.#now = now
  }

  async untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
    for (let times = 1; ; times++)
      try {
        return await ask()
      } catch (error) {
        if (this.#isClosed || !isAway(error)) throw error
        this.#onError(error as Error)
        await sleep(waitMs(times))
      }
  }

  async offer(hints: readonly Hint[]): Promise<void> {
    for (const [lane, own] of groupsOf(hints)) {
      // Equal ids are ignored while the job is there: what is done may be offered again.
      await this.#collect(lane)
      await this.#queue(lane).addBulk(
        own.map((hint) => ({
          name: 'look',
          data: hint,
          opts: {
            jobId: jobId(hint),
            priority: urgencies.indexOf(hint.urgency) + 1,
            attempts: mostTries,
            backoff: { type: 'exponential', delay: this.#options.backoffMs },
            removeOnComplete: { age: hour, count: mostAnswers },
            removeOnFail: { age: week },
          },
        })),
      )
    }
  }

  async withdraw(hints: readonly Hint[]): Promise<void> {
    // A job that is being worked on cannot be removed, and need not be.
    for (const hint of hints) await this.#queue(hint.lane).remove(jobId(hint))
  }

  async serve(
    lane: Lane,
    look: Look,
    { width, signal }: { readonly width: number; readonly signal: AbortSignal },
  ): Promise<void> {
    this.#queue(lane)
    const { leaseMs } = this.#options
    // No `limiter`: it would take the place of the queue's own rate.
    const running = new Set<Promise<unknown>>()
    const follow = (work: Promise<Verdict>): Promise<Verdict> => {
      const ended = work.catch(() => {}).finally(() => running.delete(ended))
      running.add(ended)
      return work
    }
    const worker = this.#classes.makeWorker(
      this.#name(lane),
      (job, token) => follow(this.#work(lane, { job, token, look, signal })),
      {
        concurrency: width,
        lockDuration: leaseMs,
        stalledInterval: Math.max(1000, Math.floor(leaseMs / 2)),
        maxStalledCount: mostDeaths - 1,
      },
    )
    // Without a listener an error of the connection would end the process. It connects again by itself.
    worker.on('error', this.#onError)
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve(), { once: true })
    })
    await Promise.all(running)
    await closed(worker)
  }

  async #work(lane: Lane, { job, token, look, signal }: Received): Promise<Verdict> {
    const { DelayedError, RateLimitError } = this.#classes.module
    const hint = hintFrom(job.data, lane)
    if (hint === undefined) return { kind: 'dropped', why: 'it is not a hint' }
    const verdict = await look(hint, signal)
    switch (verdict.kind) {
      case 'held':
        await job.moveToDelayed(verdict.until.getTime(), token)
        throw new DelayedError()
      case 'limited':
        await this.hold(lane, verdict.until)
        throw new RateLimitError()
      case 'again':
        throw new Error(verdict.why)
      default:
        return verdict
    }
  }

  async tune(lane: Lane, { width, rate, paused }: Tuning): Promise<void> {
    const queue = this.#queue(lane)
    if (width === null) await queue.removeGlobalConcurrency()
    else if (width !== undefined) await queue.setGlobalConcurrency(width)
    if (rate === null) await queue.removeGlobalRateLimit()
    else if (rate !== undefined) await queue.setGlobalRateLimit(rate.most, rate.perMs)
    if (paused === true) await queue.pause()
    if (paused === false) await queue.resume()
  }

  async hold(lane: Lane, until: Date): Promise<void> {
    const ms = until.getTime() - this.#now()
    if (ms > 0) await this.#queue(lane).rateLimit(ms)
  }

  async abandoned(): Promise<readonly Abandoned[]> {
    const failed = await Promise.all(
      Array.from(this.#queues, async ([lane, queue]) =>
        (await queue.getFailed()).flatMap(({ id, data, failedReason }): Abandoned[] => {
          const hint = hintFrom(data, lane)
          // A job that nobody offered says nothing: it was tried once.
          return hint === undefined || id !== jobId(hint) ? [] : [{ hint, why: failedReason ?? 'it was given up' }]
        }),
      ),
    )
    return failed.flat()
  }

  async answers(): Promise<readonly Answer[]> {
    for (const lane of this.#queues.keys()) await this.#collect(lane)
    return this.#answers.splice(0)
  }

  async #collect(lane: Lane): Promise<void> {
    const queue = this.#queue(lane)
    const done = await queue.getCompleted()
    if (done.length === 0) return
    for (const { data, returnvalue } of done) {
      const hint = hintFrom(data, lane)
      const verdict = verdictIn(returnvalue)
      if (hint !== undefined && verdict !== undefined) this.#answers.push({ hint, verdict })
    }
    // One that ended meanwhile goes with them unread; it is offered again if its refs do not say that it is done.
    await queue.clean(0, mostAnswers, 'completed')
  }

  census(): Promise<readonly LaneCensus[]> {
    return Promise.all(
      Array.from(this.#queues, async ([lane, queue]) => {
        const { waiting = 0, prioritized = 0, paused = 0, active = 0, delayed = 0 } = await queue.getJobCounts()
        return { lane, waiting: waiting + prioritized + paused, active, later: delayed }
      }),
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#classes.end()
    await Promise.all(Array.from(this.#queues.values(), closed))
  }

  #name(lane: Lane): string {
    return `git-plan.${this.#options.namespace}.${lane.replaceAll(':', '_')}`
  }

  #queue(lane: Lane): Queue {
    const known = this.#queues.get(lane)
    if (known !== undefined) return known
    const queue = this.#classes.makeQueue(this.#name(lane))
    queue.on('error', this.#onError)
    this.#queues.set(lane, queue)
    return queue
  }
}

/** A server that does not answer is not waited for. */
async function closed(connected: Queue | Worker): Promise<void> {
  await Promise.race([connected.close().catch(() => {}), sleep(closeMs)])
}

interface Received {
  readonly job: Job
  readonly token: string | undefined
  readonly look: Look
  readonly signal: AbortSignal
}

function groupsOf(hints: readonly Hint[]): Map<Lane, Hint[]> {
  const groups = new Map<Lane, Hint[]>()
  for (const hint of hints) groups.set(hint.lane, [...(groups.get(hint.lane) ?? []), hint])
  return groups
}

/** Of a new epoch it is another job; the old one is dropped by whoever gets it. */
const jobId = (hint: Hint): string => `${nameOf(hint)}.${hint.epoch}`
