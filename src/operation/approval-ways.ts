// The commands by which a plan can be approved under the policy.

import { readersOf } from '../judge/plan/readers.ts'
import { assessRisk } from '../judge/plan/risk.ts'
import type { Source } from '../plan/config/approval-policy.ts'
import type { Plan } from '../plan/model/plan.ts'
import type { Settings } from './settings.ts'

export interface RequiredApproval {
  readonly required: number
  readonly from: readonly Source[]
}

/** Returns the approvals that a plan needs which has none yet. */
export async function requiredApproval(plan: Plan, { config }: Settings): Promise<RequiredApproval> {
  const { count, from } =
    config.approval.levels[assessRisk(plan, config.risk.critical, await readersOf(plan, config.safety)).plan]
  return { required: count, from }
}

/** `verb`: the command that continues the plan. */
export function waysToApprove(id: string, { required, from }: RequiredApproval, verb: 'start' | 'resume'): string[] {
  if (required === 0) return [`git plan ${verb} ${id}`]
  const isLocal = from.includes('local')
  return [
    ...(isLocal ? [`git plan approve ${id}`, `git plan ${verb} ${id} --approve`] : []),
    ...(from.includes('signature') && !isLocal ? [`git plan approve ${id} --sign`] : []),
    ...(from.includes('review') && !isLocal ? [`git plan submit ${id}`, `git plan ${verb} ${id} --wait`] : []),
  ]
}

/** `start` prompts for the approval itself where a local approval is enough. */
export async function afterProposal(plan: Plan, settings: Settings): Promise<string[]> {
  const required = await requiredApproval(plan, settings)
  return required.from.includes('local') || required.required === 0
    ? [`git plan start ${plan.id}`]
    : waysToApprove(plan.id, required, 'start')
}
