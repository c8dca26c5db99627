// The port to the engine that says which repository is looked at next, how fast, and after which wait. Nothing in it is
// the truth: a hint can be lost, doubled, reordered or forged without harm, because whoever gets one reads the refs.

import { isId } from '../../plan/model/ids.ts'
import { planStatuses, type PlanStatus } from '../../plan/model/plan.ts'

/** A hint that a repository of a campaign may be worth a look. All else is read from the campaign's approved manifest. */
export interface Hint {
  readonly campaign: string
  /** The key of the target. With the campaign before it, it is also the engine's name of the job. */
  readonly target: string
  readonly lane: Lane
  /** The campaign's; the hint of an earlier one is dropped. */
  readonly epoch: number
  readonly urgency: Urgency
}

export const urgencies = ['canary', 'usual', 'later'] as const
export type Urgency = (typeof urgencies)[number]

/** The host of a forge, and the same with `/pr` for what it is asked about pull requests. */
export type Lane = string

/** What came of a look. What it says of the plan is for display; the refs decide. */
export type Verdict =
  /** Until the refs change there is nothing to do. */
  | {
      readonly kind: 'settled'
      readonly tip: string | null
      readonly status: PlanStatus
      readonly step?: string
      readonly line?: string
      readonly isMerged?: boolean
    }
  /** Another run has the plan. */
  | { readonly kind: 'held'; readonly until: Date; readonly by: string }
  /** The forge takes no requests: the whole lane waits. */
  | { readonly kind: 'limited'; readonly until: Date }
  /** Network, 5xx, disk: looked at again after a while, five times. */
  | { readonly kind: 'again'; readonly why: string }
  /** The approval is void, or the digest differs: a matter for a person. */
  | { readonly kind: 'refused'; readonly why: string }
  /** The hint asks for nothing that the campaign wants now; or its worker was asked to stop. */
  | { readonly kind: 'dropped'; readonly why: string; readonly isInterrupted?: true }

export type Look = (hint: Hint, signal: AbortSignal) => Promise<Verdict>

export interface Tuning {
  /** The most looks at the same time, over all workers; null: any number. */
  readonly width?: number | null
  /** null: as fast as it goes. */
  readonly rate?: Rate | null
  readonly paused?: boolean
}

export interface Rate {
  readonly most: number
  readonly perMs: number
}

export interface Abandoned {
  readonly hint: Hint
  readonly why: string
}

/** How a look went, on whichever worker. */
export interface Answer {
  readonly hint: Hint
  readonly verdict: Verdict
}

export interface LaneCensus {
  readonly lane: Lane
  readonly waiting: number
  readonly active: number
  readonly later: number
}

export interface Dispatch {
  /** Idempotent by campaign, target and lane. Safe to repeat for ever. */
  offer(hints: readonly Hint[]): Promise<void>
  withdraw(hints: readonly Hint[]): Promise<void>
  /** Works until asked to stop; resolves when the last look has ended. The looks that run are asked to stop too. */
  serve(lane: Lane, look: Look, options: { readonly width: number; readonly signal: AbortSignal }): Promise<void>
  /** For all workers of a lane. Safe to repeat for ever: an engine that was emptied has forgotten it. */
  tune(lane: Lane, tuning: Tuning): Promise<void>
  /** Nothing of the lane is looked at before. */
  hold(lane: Lane, until: Date): Promise<void>
  /** What was given up after too many dead workers or tries. The reconciler records it in Git and withdraws it. */
  abandoned(): Promise<readonly Abandoned[]>
  /**
   * The looks that ended since the last question. For display, and to spare another look: answers may be missing, and
   * whoever can write to the engine can forge them.
   */
  answers(): Promise<readonly Answer[]>
  /** For display only. */
  census(): Promise<readonly LaneCensus[]>
  close(): Promise<void>
}

export interface DispatchOptions {
  /** After this time without a sign of life a worker is taken for dead. */
  readonly leaseMs: number
  /** The first wait before another try; it doubles. */
  readonly backoffMs: number
  /** Keeps the fleets of different control repositories on one server apart. */
  readonly namespace: string
  /** Told when the server does not answer; it is asked again until it does. */
  readonly onTrouble: (why: string) => void
}

export const usualOptions: DispatchOptions = {
  leaseMs: 30_000,
  backoffMs: 2000,
  namespace: 'fleet',
  onTrouble: () => {},
}

export const mostTries = 5
export const mostDeaths = 3

/** A job as it was read from a server, in the lane from which it came; undefined: it is not a hint. */
export function hintFrom(data: unknown, lane: Lane): Hint | undefined {
  const { campaign, target, epoch, urgency } = (data ?? {}) as Partial<Record<string, unknown>>
  const known = urgencies.find((each) => each === urgency)
  const isHint =
    typeof campaign === 'string' &&
    isId(campaign) &&
    typeof target === 'string' &&
    /^[\w-]{1,64}$/.test(target) &&
    Number.isSafeInteger(epoch) &&
    known !== undefined
  return isHint ? { campaign, target, lane, epoch: Number(epoch), urgency: known } : undefined
}

const kinds: ReadonlySet<string> = new Set(['settled', 'held', 'limited', 'again', 'refused', 'dropped'])
const mostText = 1000

/** An answer as it was read from a server: texts are short, and what has another form is left out. */
export function verdictIn(value: unknown): Verdict | undefined {
  const { kind, tip, status, step, line, by, why, until, isMerged, isInterrupted } = (value ?? {}) as Partial<
    Record<string, unknown>
  >
  const text = (given: unknown): string => (typeof given === 'string' ? given.slice(0, mostText) : '')
  const time = new Date(text(until))
  if (typeof kind !== 'string' || !kinds.has(kind)) return undefined
  switch (kind as Verdict['kind']) {
    case 'settled': {
      const known = planStatuses.find((each) => each === status)
      if (known === undefined) return undefined
      return {
        kind: 'settled',
        tip: typeof tip === 'string' ? tip.slice(0, mostText) : null,
        status: known,
        ...(typeof step === 'string' ? { step: text(step) } : {}),
        ...(typeof line === 'string' ? { line: text(line) } : {}),
        ...(isMerged === true ? { isMerged } : {}),
      }
    }
    case 'held':
      return Number.isNaN(time.getTime()) ? undefined : { kind: 'held', until: time, by: text(by) }
    case 'limited':
      return Number.isNaN(time.getTime()) ? undefined : { kind: 'limited', until: time }
    case 'dropped':
      return { kind: 'dropped', why: text(why), ...(isInterrupted === true ? { isInterrupted } : {}) }
    default:
      return { kind: kind as 'again' | 'refused', why: text(why) }
  }
}

/** The name of a hint: the same for every offer of it. */
export const nameOf = ({ campaign, target, lane }: Hint): string =>
  `${campaign}.${target}${lane.endsWith('/pr') ? '.pr' : ''}`

export const backoff = ({ backoffMs }: DispatchOptions, tries: number): number =>
  backoffMs * 2 ** Math.max(0, tries - 1)
