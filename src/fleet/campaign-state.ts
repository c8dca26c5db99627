// What the events of a campaign have made of it: commits on its branch, folded from the oldest to the newest. Pure.

import { campaignTrailers } from '../store/campaign-approval.ts'
import { parseMessage } from '../plan/record/trailers.ts'
import type { Oid } from '../plan/model/ids.ts'
import type { Campaign, Target } from './campaign.ts'
import { hostOf, localHost } from './lanes.ts'

/** In the words of `Plan-Campaign-Event`. */
export const campaignEvents = [
  'proposed',
  /** A new text or other targets: a new epoch, and a new approval. */
  'revised',
  'approved',
  'wave',
  'paused',
  'resumed',
  'parked',
  'excluded',
  /** Lines `KEY TIP`: the plan there may run again from this tip. */
  'retried',
  /** What is to be done with completed plans: `ready`, `finish`, `close`. */
  'landing',
  /**
   * Lines `KEY TIP WHAT`: at this tip the forge was asked for that: `asked` (for an approval), `reported` (that the plan of
   * an open pull request failed or waits), `ready`, or a landing that was
   * `refused`, with the reason; `conflict`: because its base has changed. What was merged or closed, the refs say.
   */
  'landed',
  /** Lines `KEY TIP`: the plan there is to run again on the tip of its base, from this tip. */
  'rebased',
  'closed',
] as const
export type CampaignEventName = (typeof campaignEvents)[number]

export const landings = ['ready', 'finish', 'close'] as const
export type Landing = (typeof landings)[number]

export interface CampaignState {
  readonly campaign: Campaign
  readonly tip: Oid
  /** The newest approval of exactly these files; undefined: nothing of the campaign runs. */
  readonly approved: Oid | undefined
  readonly epoch: number
  /** The highest that was opened; 0: none. */
  readonly wave: number
  readonly isPaused: boolean
  readonly isClosed: boolean
  /** By key, with the reason. */
  readonly parked: ReadonlyMap<string, string>
  readonly excluded: ReadonlySet<string>
  /** By key: the tip from which it may run again. */
  readonly retried: ReadonlyMap<string, string>
  /** By key: the tip from which it is to run again on its base. */
  readonly rebased: ReadonlyMap<string, string>
  readonly landing: Landing | undefined
  /** By key: `TIP WHAT`. */
  readonly landed: ReadonlyMap<string, string>
}

export interface CampaignCommit {
  readonly oid: Oid
  readonly tree: Oid
  readonly message: string
}

type Draft = { -readonly [Key in keyof CampaignState]: CampaignState[Key] } & {
  parked: Map<string, string>
  excluded: Set<string>
  retried: Map<string, string>
  rebased: Map<string, string>
  landed: Map<string, string>
}

/** `commits`: the oldest first. `root`: of the manifest at the tip. */
export function stateFrom(campaign: Campaign, root: string, commits: readonly CampaignCommit[]): CampaignState {
  const tip = commits.at(-1)
  const state: Draft = {
    campaign,
    tip: (tip?.oid ?? '') as Oid,
    approved: undefined,
    epoch: 1,
    wave: 0,
    isPaused: false,
    isClosed: false,
    parked: new Map(),
    excluded: new Set(),
    retried: new Map(),
    rebased: new Map(),
    landing: undefined,
    landed: new Map(),
  }
  for (const commit of commits) {
    const { trailers, body } = parseMessage(commit.message)
    const event = campaignEvents.find((name) => name === trailers.get(campaignTrailers.event))
    const apply = event === undefined ? undefined : rules[event]
    // An approval of other files than those at the tip approves nothing.
    if (event === 'approved' && (commit.tree !== tip?.tree || trailers.get(campaignTrailers.root) !== root)) continue
    apply?.(state, { oid: commit.oid, value: trailers.get(valueTrailer) ?? '', lines: linesOf(body) })
  }
  return state
}

/**
 * What is to be done with a completed plan: by default a forge is asked for a review by the owners, and a repository on a
 * disk is left alone.
 */
export function landingOf({ landing }: CampaignState, { address }: Pick<Target, 'address'>): Landing | undefined {
  const isLocal = hostOf(address) === localHost
  return isLocal && landing === 'ready' ? undefined : (landing ?? (isLocal ? undefined : 'ready'))
}

/** What an event is about: the number of a wave, the kind of a landing, a reason. */
export const valueTrailer = 'Plan-Campaign-Value'

interface EventFacts {
  readonly oid: Oid
  readonly value: string
  readonly lines: readonly (readonly [key: string, rest: string])[]
}

/** Of `TIP WHAT WHY`: the reason why it was refused there. */
export const refusalAt = (landed: string | undefined, tip: string | null): string | undefined =>
  isRefusal(landed) && landed?.startsWith(`${tip} `) === true ? landed.split(' ').slice(2).join(' ') : undefined

const isRefusal = (landed: string | undefined): boolean => ['refused', 'conflict'].includes(landed?.split(' ')[1] ?? '')

export const hasRefusals = ({ landed }: CampaignState): boolean => [...landed.values()].some(isRefusal)

/** Some cannot be merged because their base has changed the same lines. */
export const hasConflicts = ({ landed }: CampaignState): boolean =>
  [...landed.values()].some((what) => what.split(' ')[1] === 'conflict')

const linesOf = (body: string): [string, string][] =>
  body.split('\n').flatMap((line): [string, string][] => {
    const [, key, rest = ''] = /^([0-9a-f]{16})(?: (.*))?$/.exec(line) ?? []
    return key === undefined ? [] : [[key, rest]]
  })

const rules: Readonly<Record<CampaignEventName, (state: Draft, facts: EventFacts) => void>> = {
  proposed: () => {},
  revised: (state) => {
    state.epoch += 1
    state.approved = undefined
    state.isClosed = false
    state.wave = 0
    state.landing = undefined
  },
  approved: (state, { oid }) => {
    state.approved = oid
  },
  wave: (state, { value }) => {
    state.wave = Math.max(state.wave, Number(value) || 0)
  },
  paused: (state) => {
    state.isPaused = true
  },
  resumed: (state) => {
    state.isPaused = false
  },
  parked: (state, { lines }) => {
    for (const [key, why] of lines) state.parked.set(key, why)
  },
  excluded: (state, { lines }) => {
    for (const [key] of lines) state.excluded.add(key)
  },
  retried: (state, { lines }) => {
    for (const [key, tip] of lines) {
      state.parked.delete(key)
      if (tip !== '') state.retried.set(key, tip)
      if (isRefusal(state.landed.get(key))) state.landed.delete(key)
    }
  },
  landing: (state, { value }) => {
    state.landing = landings.find((name) => name === value)
    // Also of a campaign that was closed, what is there can be withdrawn.
    if (state.landing === 'close') state.isClosed = false
    for (const [key, what] of state.landed) if (isRefusal(what)) state.landed.delete(key)
  },
  landed: (state, { lines }) => {
    for (const [key, tip] of lines) state.landed.set(key, tip)
  },
  rebased: (state, { lines }) => {
    for (const [key, tip] of lines) {
      state.parked.delete(key)
      state.rebased.set(key, tip)
    }
  },
  closed: (state) => {
    state.isClosed = true
  },
}
