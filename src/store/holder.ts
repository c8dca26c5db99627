// The run that holds a plan in this repository, from its lock and intent files. A file that cannot be read counts as
// missing.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isId, treeLockName, type PlanId } from '../plan/model/ids.ts'
import { livenessOf, type Identity } from '../process/identity.ts'

export interface Lock {
  /** Absolute path, for the doctor. */
  readonly file: string
  readonly number: number
  readonly identity: Identity
  readonly run: string
  readonly command: string
  readonly since: string
  /** The plan that holds the lock of a work tree. */
  readonly plan?: string
}

export interface Intent {
  readonly file: string
  readonly identity: Identity
  readonly run: string
  readonly kind: string
  readonly since: string
  readonly step?: string
  readonly attempt?: number
}

export type Liveness = 'alive' | 'dead' | 'unknowable'

export interface Holding {
  readonly locks: readonly (Lock & { readonly liveness: Liveness })[]
  readonly intent: (Intent & { readonly liveness: Liveness }) | undefined
  /** The intents of parallel steps, by the number of the worker. */
  readonly workers?: readonly (Intent & { readonly worker: number; readonly liveness: Liveness })[]
  /** The reason why the run waits before its first step. */
  readonly waiting?: { readonly run: string; readonly for: string } | undefined
}

/** `holder` in `status --json`. */
export interface Holder {
  readonly state: 'running' | 'stalled'
  readonly host: string
  readonly pid: number
  readonly run: string
  readonly command: string
  readonly since: string
  readonly liveness: Liveness
  readonly step: string | null
  readonly attempt: number | null
  readonly stepSince: string | null
  /** All steps that run; more than one if they run at the same time. */
  readonly running: readonly RunningStep[]
  /** For example the reviews of a pull request. */
  readonly waitsFor: string | null
}

export interface RunningStep {
  readonly step: string
  readonly attempt: number | null
  readonly since: string
  /** null: in the plan's own checkout. */
  readonly worker: number | null
}

const lockName = /^lock-\d{1,9}$/
const intentName = 'intent.json'
const runDirectory = (commonDir: string, id: PlanId): string => join(commonDir, 'plan', id)

export async function readHolding(commonDir: string, id: PlanId): Promise<Holding> {
  const directory = runDirectory(commonDir, id)
  const names = existsSync(directory) ? namesIn(directory) : []
  const numbers = names
    .flatMap((name) => (lockName.test(name) ? [Number(name.slice(5))] : []))
    .toSorted((a, b) => b - a)
  const locks = numbers.map((number) => readLock(join(directory, `lock-${number}`), number))
  const intent = names.includes(intentName) ? readIntent(join(directory, intentName)) : undefined
  return {
    locks: await Promise.all(locks.flatMap((lock) => (lock === undefined ? [] : [withLiveness(lock)]))),
    intent: intent === undefined ? undefined : await withLiveness(intent),
    workers: names.includes('workers') ? await readWorkers(join(directory, 'workers')) : [],
    waiting: names.includes('waiting.json') ? readWaiting(join(directory, 'waiting.json')) : undefined,
  }
}

/** A run whose process is alive. Commands other than these hold a plan for a moment, or for a question. */
export async function findLiveRun(
  commonDir: string,
  commands: readonly string[] = [],
): Promise<{ readonly id: PlanId; readonly lock: Lock } | undefined> {
  for (const id of namesIn(join(commonDir, 'plan')).filter(isId) as PlanId[]) {
    const { locks } = await readHolding(commonDir, id)
    const lock = locks.find(
      ({ liveness, command }) => liveness === 'alive' && (commands.length === 0 || commands.includes(command)),
    )
    if (lock !== undefined) return { id, lock }
  }
  return undefined
}

/** The locks in the Git directory of a work tree, see plan/model/ids.ts. */
export const readTreeLocks = async (gitDir: string): Promise<Holding['locks']> =>
  (await readHolding(gitDir, treeLockName)).locks

/** running: the holder is alive, or is on another machine and wrote recently. stalled: only its records are left. */
export function holderOf(
  holding: Holding,
  options: { now: Date; stalledAfterMs: number; ownRun?: string | undefined },
): Holder | undefined {
  const isOther = (record: { run: string }): boolean => options.ownRun === undefined || record.run !== options.ownRun
  const locks = holding.locks.filter(isOther)
  const workers = (holding.workers ?? []).filter(isOther)
  const intent = holding.intent !== undefined && isOther(holding.intent) ? holding.intent : undefined
  const live = locks.find((lock) => lock.liveness === 'alive') ?? locks.find((lock) => lock.liveness === 'unknowable')
  if (live !== undefined) {
    const ours = intent !== undefined && intent.run === live.run ? intent : undefined
    const lastWrite = Math.max(time(live.since), time(ours?.since))
    const isSilent = live.liveness === 'unknowable' && !(options.now.getTime() - lastWrite <= options.stalledAfterMs)
    const waitsFor = !isSilent && holding.waiting?.run === live.run ? holding.waiting.for : null
    return {
      ...holderFrom(
        live,
        ours,
        workers.filter(({ run }) => run === live.run),
      ),
      command: live.command,
      state: isSilent ? 'stalled' : 'running',
      waitsFor,
    }
  }
  const left = intent ?? workers[0]
  if (left === undefined) return undefined
  const isSilent =
    left.liveness === 'dead' ||
    (left.liveness === 'unknowable' && !(options.now.getTime() - time(left.since) <= options.stalledAfterMs))
  return {
    ...holderFrom(left, intent, workers),
    command: left.kind,
    state: isSilent ? 'stalled' : 'running',
    waitsFor: null,
  }
}

const holderFrom = (
  who: { identity: Identity; run: string; since: string; liveness: Liveness },
  intent: Intent | undefined,
  workers: NonNullable<Holding['workers']> = [],
) => ({
  host: who.identity.host,
  pid: who.identity.pid,
  run: who.run,
  since: who.since,
  liveness: who.liveness,
  ...stepsOf([...(intent === undefined ? [] : [{ ...intent, worker: null }]), ...workers]),
})

function stepsOf(intents: readonly (Intent & { readonly worker: number | null })[]) {
  const running = intents.flatMap(({ step, attempt = null, since, worker }) =>
    step === undefined ? [] : [{ step, attempt, since, worker }],
  )
  const [first] = running
  return { step: first?.step ?? null, attempt: first?.attempt ?? null, stepSince: first?.since ?? null, running }
}

const time = (instant: string | undefined): number => {
  const parsed = instant === undefined ? Number.NaN : Date.parse(instant)
  return Number.isNaN(parsed) ? 0 : parsed
}

function readLock(file: string, number: number): Lock | undefined {
  const value = readJson(file)
  // The identity is either nested under `identity` or inline.
  const identity = identityIn(value?.['identity']) ?? identityIn(value)
  return value === undefined || identity === undefined
    ? undefined
    : {
        file,
        number,
        identity,
        run: text(value['run']),
        command: text(value['command']),
        since: text(value['since']),
        plan: text(value['plan']),
      }
}

function readIntent(file: string): Intent | undefined {
  const value = readJson(file)
  const identity = identityIn(value?.['identity'])
  if (value === undefined || identity === undefined) return undefined
  const { step, attempt } = value
  return {
    file,
    identity,
    run: text(value['run']),
    kind: text(value['kind']),
    since: text(value['since']),
    ...(typeof step === 'string' ? { step } : {}),
    ...(typeof attempt === 'number' ? { attempt } : {}),
  }
}

async function readWorkers(directory: string): Promise<NonNullable<Holding['workers']>> {
  const found = namesIn(directory).flatMap((name) => {
    const intent = /^\d+$/.test(name) ? readIntent(join(directory, name, intentName)) : undefined
    return intent === undefined ? [] : [withLiveness({ ...intent, worker: Number(name) })]
  })
  return Promise.all(found)
}

function readWaiting(file: string): Holding['waiting'] {
  const value = readJson(file)
  return value === undefined ? undefined : { run: text(value['run']), for: text(value['for']) }
}

// Synchronous: most plans have no such directory or an empty one, and a promise would cost more than the read.
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

type Json = Readonly<Record<string, unknown>>

function readJson(file: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
  } catch {
    return undefined
  }
}

function identityIn(value: unknown): Identity | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { host, boot, namespace, pid, start } = value as Json
  if (
    typeof host !== 'string' ||
    typeof boot !== 'string' ||
    typeof namespace !== 'string' ||
    typeof start !== 'string'
  )
    return undefined
  return typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0
    ? { host, boot, namespace, pid, start }
    : undefined
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const withLiveness = async <T extends { identity: Identity }>(record: T): Promise<T & { liveness: Liveness }> => ({
  ...record,
  liveness: await livenessOf(record.identity),
})
