// The commands by which a plan comes to its approval, as the policy takes it.

import { readersOf } from '../judge/plan/readers.ts'
import { assessRisk } from '../judge/plan/risk.ts'
import type { Source } from '../plan/config/approval-policy.ts'
import type { Plan } from '../plan/model/plan.ts'
import type { Settings } from './settings.ts'

export interface Asked {
  readonly required: number
  readonly from: readonly Source[]
}

/** Of a text that nobody has decided about yet. */
export async function askedOf(plan: Plan, { config }: Settings): Promise<Asked> {
  const { count, from } =
    config.approval.levels[assessRisk(plan, config.risk.critical, await readersOf(plan, config.safety)).plan]
  return { required: count, from }
}

/** `verb`: what goes on with it. */
export function waysToApprove(id: string, { required, from }: Asked, verb: 'start' | 'resume'): string[] {
  if (required === 0) return [`git plan ${verb} ${id}`]
  const isLocal = from.includes('local')
  return [
    ...(isLocal ? [`git plan approve ${id}`, `git plan ${verb} ${id} --approve`] : []),
    ...(from.includes('signature') && !isLocal ? [`git plan approve ${id} --sign`] : []),
    ...(from.includes('review') && !isLocal ? [`git plan submit ${id}`, `git plan ${verb} ${id} --wait`] : []),
  ]
}

/** `start` asks the person at the keyboard, where that is enough. */
export async function afterProposal(plan: Plan, settings: Settings): Promise<string[]> {
  const asked = await askedOf(plan, settings)
  return asked.from.includes('local') || asked.required === 0
    ? [`git plan start ${plan.id}`]
    : waysToApprove(plan.id, asked, 'start')
}
