// The state of every target, from the campaign's branch and the tips. Pure.

import type { Target } from './campaign.ts'
import { refusalAt, type CampaignState } from './campaign-state.ts'
import { noTip, type Tip } from './tips.ts'

export const targetStates = [
  /** To be looked at. */
  'open',
  'running',
  'held',
  /** Its wave has not been opened. */
  'later',
  'completed',
  'merged',
  'failed',
  /** A gate, a step for a person, an unknown effect. */
  'waiting',
  /** The policy there wants an approval of its own. */
  'approval',
  'refused',
  'parked',
  'excluded',
  'cancelled',
  /** It did not answer. */
  'unreachable',
] as const
export type TargetStateName = (typeof targetStates)[number]

export interface TargetState {
  readonly key: string
  readonly address: string
  readonly base: string
  readonly wave: number
  readonly state: TargetStateName
  readonly tip: string | null
  readonly step: string | null
  readonly line: string | null
}

/** What this process knows beside the refs: it runs there now, or somebody else does. */
export interface Known {
  readonly tip: Tip
  /** The answer to the last look; it holds for this tip only. */
  readonly verdict?: {
    readonly state: Extract<TargetStateName, 'running' | 'held' | 'approval' | 'refused' | 'waiting' | 'unreachable'>
    readonly tip: string | null
    readonly line: string | null
  }
}

function stateOfTarget(campaign: CampaignState, target: Target, known: Known | undefined): TargetState {
  const { tip } = known ?? { tip: noTip }
  const { key, address, base, wave } = target
  const at = { key, address, base, wave, tip: tip.tip, step: tip.step, line: tip.line }
  if (campaign.excluded.has(key)) return { ...at, state: 'excluded' }
  const parked = campaign.parked.get(key)
  if (parked !== undefined && !isDone(tip)) return { ...at, state: 'parked', line: parked }
  const openState = wave > campaign.wave ? 'later' : 'open'
  const isRebased = tip.tip !== null && campaign.rebased.get(key) === tip.tip && tip.status !== 'merged'
  const refusal = isRebased ? undefined : refusalAt(campaign.landed.get(key), tip.tip)
  if (refusal !== undefined && tip.status !== 'merged') return { ...at, state: 'refused', line: refusal }
  const verdict = known?.verdict?.tip === tip.tip || known?.verdict?.state === 'running' ? known?.verdict : undefined
  if (verdict !== undefined) return { ...at, state: verdict.state, line: verdict.line ?? tip.line }
  if (isRebased) return { ...at, state: openState }
  if (tip.status === 'merged' || tip.status === 'completed' || tip.status === 'cancelled')
    return { ...at, state: tip.status }
  if (tip.status === 'rejected') return { ...at, state: 'refused', line: 'its plan was rejected' }
  if ((tip.status === 'failed' || tip.status === 'waiting') && campaign.retried.get(key) !== tip.tip)
    return { ...at, state: tip.status }
  return { ...at, state: openState }
}

const isDone = ({ status }: Tip): boolean => status === 'completed' || status === 'merged' || status === 'cancelled'

export interface FailureGroup {
  readonly state: TargetStateName
  readonly step: string | null
  readonly line: string | null
  readonly addresses: readonly string[]
}

export interface Overview {
  readonly targets: readonly TargetState[]
  /** The states that occur, with how many targets are in each. */
  readonly counts: Readonly<Partial<Record<TargetStateName, number>>>
  /** The largest first. */
  readonly failures: readonly FailureGroup[]
}

const troubles: ReadonlySet<TargetStateName> = new Set([
  'failed',
  'refused',
  'parked',
  'unreachable',
  'waiting',
  'approval',
])

export function overviewOf(campaign: CampaignState, known: ReadonlyMap<string, Known>): Overview {
  const targets = campaign.campaign.targets.map((target) => stateOfTarget(campaign, target, known.get(target.key)))
  const counts: Partial<Record<TargetStateName, number>> = {}
  for (const name of targetStates) {
    const count = targets.filter(({ state }) => state === name).length
    if (count > 0) counts[name] = count
  }
  const groups = new Map<
    string,
    { state: TargetStateName; step: string | null; line: string | null; addresses: string[] }
  >()
  for (const { state, step, line, address } of targets.filter((each) => troubles.has(each.state))) {
    const name = `${state}\n${step}\n${line}`
    const group = groups.get(name) ?? { state, step, line, addresses: [] }
    group.addresses.push(address)
    groups.set(name, group)
  }
  const failures = [...groups.values()].toSorted((one, other) => other.addresses.length - one.addresses.length)
  return { targets, counts, failures }
}
