// What the subcommands of `git plan fleet` have in common: the request, and the campaign that it is about.

import { PlanError } from '../../errors.ts'
import { Control } from '../../fleet/control.ts'
import { fleetHome, knownCampaigns, type FleetHome } from '../../fleet/fleet-home.ts'
import { isId, planId, type PlanId } from '../../plan/model/ids.ts'
import { addressOf } from './read-targets.ts'
import type { CommandContext } from '../../operation/context.ts'

export interface FleetRequest {
  readonly action?: string
  readonly words?: readonly string[]
  readonly campaign?: string
  readonly control?: string
  readonly engine?: string
  readonly jobs?: string
  readonly param?: readonly string[]
  readonly approve?: boolean
  readonly sign?: boolean
  readonly wave?: readonly string[]
  readonly maxFailures?: string
  readonly limit?: readonly string[]
  readonly failed?: boolean
  readonly rebase?: boolean
  readonly drain?: boolean
  readonly textfile?: string
  readonly digest?: string
  readonly message?: string
}

/** The request of a subcommand, with the words that follow its name. */
export type FleetCall = FleetRequest & { readonly words: readonly string[] }

export interface Opened {
  readonly id: PlanId
  readonly home: FleetHome
  readonly control: Control
}

/** The campaign that is named, or else the only one that this machine knows. */
export function campaignId({ campaign }: FleetRequest, context: CommandContext, word?: string): PlanId {
  const named = campaign ?? word
  if (named !== undefined && isId(named)) return planId(named)
  if (named !== undefined)
    throw new PlanError('usage', `${JSON.stringify(named.slice(0, 80))} is not the id of a campaign`, {
      hint: 'git plan fleet list',
    })
  const [only, ...more] = knownCampaigns(context.env)
  if (only !== undefined && more.length === 0) return planId(only)
  throw new PlanError(
    'usage',
    only === undefined ? 'there is no campaign here yet' : 'there are several campaigns: name one',
    {
      hint: only === undefined ? 'git plan fleet run REPOSITORIES.txt PLAN.md' : 'git plan fleet list',
    },
  )
}

/** Opens the control repository and asks it for news. */
export async function withCampaign<T>(
  request: FleetRequest,
  context: CommandContext,
  id: PlanId,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const home = fleetHome(context.env, id)
  const address = request.control === undefined ? undefined : await addressOf(request.control, context)
  const control = await Control.open(id, { home, env: context.env, address })
  try {
    await control.refresh(context.now().getTime())
    return await work({ id, home, control })
  } finally {
    control.close()
  }
}
