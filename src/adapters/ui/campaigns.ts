// The campaigns that this machine has worked on, as `git plan fleet status` has them, with the address at which a person
// finds the pull requests of each repository.

import { planBranch, planId } from '../../plan/model/ids.ts'
import { forgeRepositoryOf } from '../../remote/forge/forge-repository.ts'
import { PlanError } from '../../errors.ts'
import type { FleetData } from '../../commands/fleet/fleet-data.ts'
import type { Calls } from '../library/calls.ts'

export interface CampaignPage extends FleetData {
  readonly kind: string
  /** By the key of the target; null: there is no plan yet, or the forge is unknown. */
  readonly pullRequests: Readonly<Record<string, string | null>>
}

export async function campaignIds(calls: Calls, signal: AbortSignal): Promise<readonly string[]> {
  const { data } = await calls.run('fleet', { action: 'list' }, { signal })
  return (data as { readonly campaigns: readonly string[] }).campaigns
}

/** Asks the control repository and the repositories of the campaign. */
export async function readCampaign(calls: Calls, id: string, signal: AbortSignal): Promise<CampaignPage> {
  // Asking about another would begin to keep it here.
  if (!(await campaignIds(calls, signal)).includes(id))
    throw new PlanError('usage', `there is no campaign ${id.slice(0, 80)} here`, { hint: 'git plan fleet list' })
  const { kind, data } = await calls.run('fleet', { action: 'status', words: [id] }, { signal })
  const campaign = data as FleetData
  const links = campaign.targets.map(({ key, address, tip }) => [
    key,
    tip === null ? null : pullRequestsOf(address, id),
  ])
  return { kind, ...campaign, pullRequests: Object.fromEntries(links) as Record<string, string | null> }
}

/** Where the forge lists the pull requests of the plan; null: the address is not that of a known forge. */
export function pullRequestsOf(address: string, id: string): string | null {
  const branch = encodeURIComponent(planBranch(planId(id)).replace('refs/heads/', ''))
  const pages = {
    github: `/pulls?q=is%3Apr+head%3A${branch}`,
    gitlab: `/-/merge_requests?scope=all&state=all&source_branch=${branch}`,
    gitea: '/pulls?type=all&state=all',
  }
  try {
    const found = forgeRepositoryOf(address)
    return found === undefined ? null : `https://${found.host}/${found.owner}/${found.name}${pages[found.kind]}`
  } catch {
    return null
  }
}
