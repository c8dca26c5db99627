// The commands by which a plan can be approved under the policy.

import { readersOf } from '../judge/plan/readers.ts'
import { assessRisk } from '../judge/plan/risk.ts'
import type { Source } from '../plan/config/approval-policy.ts'
import type { Plan } from '../plan/model/plan.ts'
import type { Repository } from '../git/repository.ts'
import { existingRemote } from '../store/remote-name.ts'
import type { Settings } from './settings.ts'

export interface RequiredApproval {
  readonly required: number
  readonly given: number
  readonly from: readonly Source[]
  /** People whose approval is not valid. */
  readonly not: readonly string[]
  /** The policy would accept an approval by the person at the keyboard. */
  readonly isYours: boolean
  /** There is a remote to submit it to. */
  readonly isSubmittable: boolean
  /** The pull request is open. */
  readonly isSubmitted?: boolean
}

/** Returns the approvals that a plan needs whose text was just written here. */
export async function requiredApproval(repo: Repository, plan: Plan, { config }: Settings): Promise<RequiredApproval> {
  const { count, from, not } =
    config.approval.levels[assessRisk(plan, config.risk.critical, await readersOf(plan, config.safety)).plan]
  const isYours = !not.includes('author') && !not.includes('last-pusher')
  const isSubmittable = (await existingRemote(repo)) !== undefined
  return { required: count, given: 0, from, not, isYours, isSubmittable }
}

/** `verb`: the command that continues the plan. */
export function waysToApprove(id: string, approval: RequiredApproval, verb: 'start' | 'resume'): string[] {
  const { required, given, from, not, isYours, isSubmittable, isSubmitted = false } = approval
  if (required === 0) return [`git plan ${verb} ${id}`]
  const isLocal = isYours && from.includes('local')
  return [
    ...(isLocal ? [`git plan approve ${id}`] : []),
    ...(isLocal && required - given === 1 && !not.includes('starter') ? [`git plan ${verb} ${id} --approve`] : []),
    ...(isYours && !isLocal && from.includes('signature') ? [`git plan approve ${id} --sign`] : []),
    ...(from.includes('review') && !isLocal && isSubmittable
      ? [isSubmitted ? `git plan ${verb} ${id} --wait` : `git plan submit ${id}`]
      : []),
  ]
}

/** On a terminal `start` prompts for the approval itself where a local approval is enough. */
export async function afterProposal(
  repo: Repository,
  plan: Plan,
  settings: Settings,
  { isInteractive }: { isInteractive: boolean },
): Promise<string[]> {
  const required = await requiredApproval(repo, plan, settings)
  const ways = waysToApprove(plan.id, required, 'start')
  return isInteractive && ways.includes(`git plan start ${plan.id} --approve`) ? [`git plan start ${plan.id}`] : ways
}
