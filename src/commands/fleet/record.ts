// The subcommands that only record an event of a campaign. Whoever carries it out reads the event from the branch.

import { PlanError } from '../../errors.ts'
import { keyOf, type Target } from '../../fleet/campaign.ts'
import { hasRefusals, refusalAt, type CampaignState, type Landing } from '../../fleet/campaign-state.ts'
import type { CampaignEvent } from '../../fleet/control.ts'
import { overviewOf, type Known } from '../../fleet/overview.ts'
import { Tips } from '../../fleet/tips.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { resumeCampaign } from './run.ts'
import type { FleetData } from './fleet-data.ts'
import { campaignId, withCampaign, type FleetCall, type Opened } from './request.ts'

export interface RecordedData {
  readonly id: string
  readonly event: string
  readonly targets: number
  readonly message: string
}

/** Nothing new begins; what runs ends its step. */
export const pauseCampaign = (request: FleetCall, context: CommandContext): Promise<CommandResult<RecordedData>> =>
  record(request, context, request.words[0], ({ isPaused, campaign }) =>
    isPaused ? undefined : { event: 'paused', subject: `Paused: ${campaign.title}` },
  )

export const cancelCampaign = (request: FleetCall, context: CommandContext): Promise<CommandResult<RecordedData>> =>
  record(request, context, request.words[0], ({ isClosed, campaign }) =>
    isClosed ? undefined : { event: 'closed', subject: `Closed: ${campaign.title}` },
  )

export function excludeTargets(request: FleetCall, context: CommandContext): Promise<CommandResult<RecordedData>> {
  return record(request, context, undefined, (state) => {
    const lines = targetsNamed(state, request.words).map(({ key }) => [key, request.message ?? ''] as const)
    return { event: 'excluded', subject: `Excluded: ${lines.length} of ${state.campaign.title}`, lines }
  })
}

/** Failed, waiting and parked targets may run again, each from the tip that it has now. */
export function retryTargets(request: FleetCall, context: CommandContext): Promise<CommandResult<RecordedData>> {
  const { failed, words } = request
  if (failed !== true && words.length === 0)
    throw new PlanError('usage', 'name the repositories, or give --failed', { hint: 'git plan fleet retry --failed' })
  return record(request, context, undefined, async (state, opened) => {
    const overview = overviewOf(state, await knownTips(opened, state, context))
    const [step] = failed === true ? words : []
    const keys = failed === true ? undefined : new Set(targetsNamed(state, words).map(({ key }) => key))
    const lines = overview.targets
      .filter((each) => ['failed', 'waiting', 'parked', 'refused'].includes(each.state))
      .filter((each) => (keys === undefined ? each.state !== 'waiting' : keys.has(each.key)))
      .filter((each) => step === undefined || each.step === step)
      .map(({ key, tip }) => [key, tip ?? ''] as const)
    return lines.length === 0
      ? undefined
      : { event: 'retried', subject: `Retried: ${lines.length} of ${state.campaign.title}`, lines }
  })
}

/** The plans run again on the tips of their bases: those that are named, or all that could not be merged. */
export function rebaseTargets(request: FleetCall, context: CommandContext): Promise<CommandResult<RecordedData>> {
  const { words } = request
  return record(request, context, undefined, async (state, opened) => {
    const overview = overviewOf(state, await knownTips(opened, state, context))
    const keys = words.length === 0 ? undefined : new Set(targetsNamed(state, words).map(({ key }) => key))
    const lines = overview.targets
      .filter((each) => each.state !== 'merged' && each.tip !== null)
      .filter((each) => keys?.has(each.key) ?? refusalAt(state.landed.get(each.key), each.tip) !== undefined)
      .map(({ key, tip }) => [key, tip ?? ''] as const)
    return lines.length === 0
      ? undefined
      : { event: 'rebased', subject: `Rebased: ${lines.length} of ${state.campaign.title}`, lines }
  })
}

/** Completed plans: ready for review, merged, or closed. Recorded, and then carried out. */
export const landCampaign =
  (landing: Landing) =>
  async (request: FleetCall, context: CommandContext): Promise<CommandResult<FleetData>> => {
    await record(request, context, request.words[0], (state) =>
      state.landing === landing && !hasRefusals(state)
        ? undefined
        : { event: 'landing', value: landing, subject: `Landing (${landing}): ${state.campaign.title}` },
    )
    return resumeCampaign(request, context)
  }

async function record(
  request: FleetCall,
  context: CommandContext,
  word: string | undefined,
  decide: (state: CampaignState, opened: Opened) => Promise<CampaignEvent | undefined> | CampaignEvent | undefined,
): Promise<CommandResult<RecordedData>> {
  const id = campaignId(request, context, word)
  return withCampaign(request, context, id, async (opened) => {
    const event = await decide(await opened.control.require(), opened)
    if (event !== undefined)
      await opened.control.record(
        () => event,
        () => context.now().getTime(),
      )
    return {
      kind: 'recorded',
      exitCode: 0,
      data: {
        id,
        event: event?.event ?? 'none',
        targets: event?.lines?.length ?? 0,
        message: event?.subject ?? `Nothing to do for ${id}`,
      },
      next:
        event === undefined || event.event === 'closed'
          ? [`git plan fleet status ${id}`]
          : [`git plan fleet resume ${id}`],
    }
  })
}

async function knownTips(
  { home }: Opened,
  { campaign }: CampaignState,
  { env }: CommandContext,
): Promise<Map<string, Known>> {
  const tips = new Tips(home, campaign.plan, env)
  const known = new Map<string, Known>()
  try {
    await tips.read(campaign.targets, (key, tip) => {
      if (!(tip instanceof Error)) known.set(key, { tip })
    })
  } finally {
    await tips.close()
  }
  return known
}

/** By address, or the last part of one if only one target has it. */
function targetsNamed({ campaign }: CampaignState, words: readonly string[]): Target[] {
  return words.map((word) => {
    const found = campaign.targets.filter(
      ({ address, key }) =>
        address === word ||
        key === word ||
        key === keyOf(word) ||
        address.replace(/\.git$/, '').endsWith(`/${word.replace(/\.git$/, '')}`),
    )
    const [only] = found
    if (only !== undefined && found.length === 1) return only
    throw new PlanError(
      'usage',
      found.length === 0
        ? `${JSON.stringify(word.slice(0, 200))} is not a repository of campaign ${campaign.id}`
        : `${JSON.stringify(word.slice(0, 200))} names ${found.length} repositories of campaign ${campaign.id}`,
      {
        hint: `git plan fleet report ${campaign.id}`,
      },
    )
  })
}
