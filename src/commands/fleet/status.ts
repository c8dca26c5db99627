// `git plan fleet status`, `report`, `metrics` and `list`: what the refs say. They ask no queue and change nothing.

import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { knownCampaigns } from '../../fleet/fleet-home.ts'
import { overviewOf, targetStates, type Known } from '../../fleet/overview.ts'
import { noTip, Tips } from '../../fleet/tips.ts'
import { PlanError } from '../../errors.ts'
import { fleetData, type FleetData } from './fleet-data.ts'
import { campaignId, withCampaign, type FleetCall } from './request.ts'

export const statusOfCampaign = (request: FleetCall, context: CommandContext): Promise<CommandResult<FleetData>> =>
  read(request, context, false)

/** With each target. */
export const reportOfCampaign = (request: FleetCall, context: CommandContext): Promise<CommandResult<FleetData>> =>
  read(request, context, true)

async function read(request: FleetCall, context: CommandContext, isFull: boolean): Promise<CommandResult<FleetData>> {
  const id = campaignId(request, context, request.words[0])
  return withCampaign(request, context, id, async ({ control, home }) => {
    const state = await control.require()
    const tips = new Tips(home, state.campaign.plan, context.env)
    const known = new Map<string, Known>()
    try {
      await tips.read(state.campaign.targets, (key, tip) => {
        if (!(tip instanceof Error)) known.set(key, { tip })
        else if (tip instanceof PlanError)
          known.set(key, { tip: noTip, verdict: { state: 'unreachable', tip: null, line: tip.message.slice(0, 200) } })
        else throw tip
      })
    } finally {
      await tips.close()
    }
    const overview = overviewOf(state, known)
    return { kind: 'fleet', exitCode: 0, data: fleetData(state, overview, { control: control.address, isFull }) }
  })
}

interface MetricsData {
  readonly message: readonly string[]
}

/** In the text format of Prometheus. */
export async function metricsOfCampaign(
  request: FleetCall,
  context: CommandContext,
): Promise<CommandResult<MetricsData>> {
  const { data } = await read(request, context, false)
  const label = (state: string): string => `campaign="${data.id}",state="${state}"`
  return {
    kind: 'metrics',
    exitCode: 0,
    data: {
      message: [
        '# HELP git_plan_fleet_targets Repositories of a campaign by state.',
        '# TYPE git_plan_fleet_targets gauge',
        ...targetStates.map((state) => `git_plan_fleet_targets{${label(state)}} ${data.counts[state] ?? 0}`),
        '# HELP git_plan_fleet_wave The highest wave that was opened.',
        '# TYPE git_plan_fleet_wave gauge',
        `git_plan_fleet_wave{campaign="${data.id}"} ${data.wave}`,
        '# HELP git_plan_fleet_paused Whether the campaign is paused.',
        '# TYPE git_plan_fleet_paused gauge',
        `git_plan_fleet_paused{campaign="${data.id}"} ${data.isPaused ? 1 : 0}`,
      ],
    },
  }
}

interface CampaignsData {
  readonly campaigns: readonly string[]
  readonly message: readonly string[]
}

/** The campaigns that this machine has worked on. */
export function listCampaigns(_: FleetCall, context: CommandContext): Promise<CommandResult<CampaignsData>> {
  const campaigns = knownCampaigns(context.env)
  return Promise.resolve({
    kind: 'campaigns',
    exitCode: 0,
    data: { campaigns, message: campaigns.length === 0 ? ['No campaigns'] : campaigns },
  })
}
