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
  /** Lines `KEY TIP LANDING`: that was done there. */
  'landed',
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
  readonly landing: Landing | undefined
  /** By key: `TIP LANDING`. */
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
export const landingOf = ({ landing }: CampaignState, { address }: Target): Landing | undefined =>
  landing ?? (hostOf(address) === localHost ? undefined : 'ready')

/** What an event is about: the number of a wave, the kind of a landing, a reason. */
export const valueTrailer = 'Plan-Campaign-Value'

interface EventFacts {
  readonly oid: Oid
  readonly value: string
  readonly lines: readonly (readonly [key: string, rest: string])[]
}

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
    }
  },
  landing: (state, { value }) => {
    state.landing = landings.find((name) => name === value)
  },
  landed: (state, { lines }) => {
    for (const [key, tip] of lines) state.landed.set(key, tip)
  },
  closed: (state) => {
    state.isClosed = true
  },
}
