// What a campaign wants next, from its state and that of its targets: hints, the wave to open, or why there is nothing. Pure.

import { limitsOf } from './campaign.ts'
import { landingOf, type CampaignState, type Landing } from './campaign-state.ts'
import type { Hint } from './dispatch/port.ts'
import { gitLane, hostOf, localHost, requestLane } from './lanes.ts'
import type { Overview, TargetState } from './overview.ts'

/** The targets that somebody is to look at, or looks at. */
const inHand: ReadonlySet<string> = new Set(['open', 'running', 'held'])

/** Nothing is left to do, whoever wanted to. */
export const isOver = ({ targets }: Overview): boolean =>
  targets.every(({ state }) => ['merged', 'cancelled', 'excluded'].includes(state))

/** Why targets are left that nobody is to look at now. */
export function blocked(campaign: CampaignState, { counts }: Overview, vain: ReadonlySet<string>): string | null {
  if (vain.size > 0) return `there are repositories in which nothing was done: ${[...vain].join('; ')}`
  if (counts.later === undefined) return null
  const { maxFailures } = campaign.campaign
  return `wave ${campaign.wave + 1} was not opened: ${failuresIn(counts)} targets failed, and max_failures is ${maxFailures ?? 'not set'}`
}

const failuresIn = (counts: Overview['counts']): number =>
  (counts.failed ?? 0) + (counts.refused ?? 0) + (counts.parked ?? 0)

/** The wave to open: the one before has nothing left to do, and not too much has failed. */
export function nextWave(campaign: CampaignState, { targets, counts }: Overview): number | undefined {
  if (campaign.approved === undefined || campaign.isPaused || campaign.isClosed || counts.later === undefined)
    return undefined
  const { maxFailures = Number.POSITIVE_INFINITY } = campaign.campaign
  const isBusy = targets.some(({ state, wave }) => wave <= campaign.wave && inHand.has(state))
  return isBusy || failuresIn(counts) > maxFailures ? undefined : campaign.wave + 1
}

/** What is to be looked at, in both lanes of each host. */
export function hintsOf(campaign: CampaignState, { targets }: Overview): Hint[] {
  if (campaign.approved === undefined) return []
  const { campaign: of, epoch } = campaign
  const requested = new Map<string, number>()
  for (const each of targets)
    if (isRequested(campaign, each)) requested.set(hostOf(each.address), (requested.get(hostOf(each.address)) ?? 0) + 1)
  return targets.flatMap((each): Hint[] => {
    const host = hostOf(each.address)
    const hint = {
      campaign: of.id,
      target: each.key,
      epoch,
      urgency: each.wave === 1 && of.waves.length > 1 ? 'canary' : 'usual',
    } as const
    const request = { ...hint, lane: requestLane(host), urgency: 'later' } as const
    if (campaign.landing === 'close') return isWithdrawn(each) ? [] : [request]
    if (inHand.has(each.state)) return [{ ...hint, lane: gitLane(host) }]
    const wanted = requestFor(campaign, each)
    if (wanted === undefined) return []
    const open = requested.get(host) ?? 0
    const isNew = wanted === 'asked' || wanted === 'ready'
    if (isNew && open >= (limitsOf(of, host).open ?? Number.POSITIVE_INFINITY)) return []
    if (isNew) requested.set(host, open + 1)
    return [request]
  })
}

/** What the forge is to be asked about a target. */
function requestFor(campaign: CampaignState, each: TargetState): 'asked' | 'reported' | Landing | undefined {
  const [tip, what] = landedAt(campaign, each)
  const isLocal = hostOf(each.address) === localHost
  if (each.state === 'approval') return isLocal || (tip === each.tip && what === 'asked') ? undefined : 'asked'
  if (each.state === 'failed' || each.state === 'waiting')
    return isPullRequest(what) && landingOf(campaign, each) === 'ready' && tip !== each.tip ? 'reported' : undefined
  const landing = each.state === 'completed' ? landingOf(campaign, each) : undefined
  return landing === undefined || (tip === each.tip && what === landing) ? undefined : landing
}

/** It has an open pull request. */
const isRequested = (campaign: CampaignState, each: TargetState): boolean => {
  const [, what] = landedAt(campaign, each)
  return ['approval', 'completed', 'failed', 'waiting'].includes(each.state) && isPullRequest(what)
}

const isPullRequest = (what: string | undefined): boolean => ['asked', 'reported', 'ready'].includes(what ?? '')

const landedAt = (campaign: CampaignState, { key }: TargetState): [tip: string | null, what: string | undefined] => {
  const [tip = null, what] = campaign.landed.get(key)?.split(' ') ?? []
  return [tip, what]
}

/** Nothing is left of it to close. */
const isWithdrawn = ({ tip, state }: TargetState): boolean =>
  tip === null || ['merged', 'cancelled', 'excluded', 'refused'].includes(state)
