// `git plan fleet status`, `report`, `metrics` and `list`: what the refs say. They ask no queue and change nothing.

import { resolve } from 'node:path'
import { replaceNamedFile } from '../../operation/replace-file.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import type { CampaignState } from '../../fleet/campaign-state.ts'
import { knownCampaigns } from '../../fleet/fleet-home.ts'
import { overviewOf, targetStates, type Known, type Overview } from '../../fleet/overview.ts'
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
  const { state, overview, control } = await look(request, context)
  return { kind: 'fleet', exitCode: 0, data: fleetData(state, overview, { control, isFull }) }
}

interface Looked {
  readonly state: CampaignState
  readonly overview: Overview
  /** The address of the control repository. */
  readonly control: string
}

function look(request: FleetCall, context: CommandContext): Promise<Looked> {
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
    return { state, overview: overviewOf(state, known), control: control.address }
  })
}

interface MetricsData {
  readonly message: readonly string[]
  /** The file that was written instead. */
  readonly file?: string
}

/** In the text format of Prometheus. */
export async function metricsOfCampaign(
  request: FleetCall,
  context: CommandContext,
): Promise<CommandResult<MetricsData>> {
  const { textfile } = request
  const { state, overview } = await look(request, context)
  const { id } = state.campaign
  const gauge = (
    name: string,
    help: string,
    samples: readonly (readonly [labels: string, value: number])[],
  ): string[] => [
    `# HELP git_plan_fleet_${name} ${help}`,
    `# TYPE git_plan_fleet_${name} gauge`,
    ...samples.map(([labels, value]) => `git_plan_fleet_${name}{campaign="${id}"${labels}} ${value}`),
  ]
  const lines = [
    ...gauge(
      'targets',
      'Repositories of a campaign by state.',
      targetStates.map((name) => [`,state="${name}"`, overview.counts[name] ?? 0]),
    ),
    ...gauge('retried', 'Repositories that were let run again.', [['', state.retried.size]]),
    ...gauge('wave', 'The highest wave that was opened.', [['', state.wave]]),
    ...gauge('paused', 'Whether the campaign is paused.', [['', state.isPaused ? 1 : 0]]),
  ]
  if (textfile === undefined) return { kind: 'metrics', exitCode: 0, data: { message: lines } }
  await replaceNamedFile(resolve(context.cwd, textfile), `${lines.join('\n')}\n`, textfile)
  return { kind: 'metrics', exitCode: 0, data: { message: [`Wrote ${textfile}`], file: textfile } }
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
