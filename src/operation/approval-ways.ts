// The commands by which a plan can be approved under the policy.

import { readersOf } from '../judge/plan/readers.ts'
import { assessRisk } from '../judge/plan/risk.ts'
import { selfOf } from '../approval/rules/identity.ts'
import { mayApprove } from '../approval/rules/judge-decisions.ts'
import { identityOf } from '../git/trust/identity.ts'
import type { Source } from '../plan/config/approval-policy.ts'
import type { Plan } from '../plan/model/plan.ts'
import type { Repository } from '../git/repository.ts'
import { existingRemote } from '../store/remote-name.ts'
import { waysToNamePolicy } from './policy-branch.ts'
import type { Settings } from './settings.ts'

export interface RequiredApproval {
  readonly required: number
  readonly given: number
  readonly from: readonly Source[]
  /** People whose approval is not valid. */
  readonly not: readonly string[]
  /** The owners of the changed paths have to approve too. */
  readonly codeowners: boolean
  /** The policy would accept an approval by the person at the keyboard. */
  readonly isYours: boolean
  /** There is a remote to submit it to. */
  readonly isSubmittable: boolean
  /** The pull request is open. */
  readonly isSubmitted?: boolean
}

/** Returns the approvals that a plan needs whose text was just written here. */
export async function requiredApproval(repo: Repository, plan: Plan, { config }: Settings): Promise<RequiredApproval> {
  const risk = assessRisk(plan, config.risk.critical, await readersOf(plan, config.safety)).plan
  const { count, from, not, codeowners } = config.approval.levels[risk]
  const self = await identityOf(repo, 'COMMITTER').then(selfOf, () => undefined)
  const people = self === undefined ? [] : [self]
  const isYours = mayApprove(self ?? {}, [], {
    risk,
    policy: config.approval,
    // The approval would be given now, so whatever the time is, it has not expired.
    now: new Date(0),
    author: people,
    lastPusher: people,
    starter: [],
    owned: [],
  })
  const isSubmittable = (await existingRemote(repo)) !== undefined
  return { required: count, given: 0, from, not, codeowners, isYours, isSubmittable }
}

/** `verb`: the command that continues the plan. `hasCommits`: commits on the branch have to be approved too. */
export function waysToApprove(
  id: string,
  approval: RequiredApproval,
  verb: 'start' | 'resume',
  { hasCommits = false } = {},
): string[] {
  const { required, given, from, not, codeowners, isYours, isSubmittable, isSubmitted = false } = approval
  if (required === 0 && !hasCommits) return [`git plan ${verb} ${id}`]
  const isLocal = isYours && from.includes('local')
  const isOneStep = isLocal && !hasCommits && !codeowners && required - given === 1 && !not.includes('starter')
  const approve = `git plan approve ${id}${hasCommits ? ' --files' : ''}`
  return [
    ...(isLocal ? [approve] : []),
    ...(isOneStep ? [`git plan ${verb} ${id} --approve`] : []),
    ...(isYours && !isLocal && from.includes('signature') ? [`${approve} --sign`] : []),
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
  if (settings.isPolicyUnknown) return Object.values(await waysToNamePolicy(repo))
  const required = await requiredApproval(repo, plan, settings)
  const ways = waysToApprove(plan.id, required, 'start')
  return isInteractive && ways.includes(`git plan start ${plan.id} --approve`) ? [`git plan start ${plan.id}`] : ways
}
