// `git plan fleet approve`: freezes the manifest of a campaign with an approval, and remembers that it was given here.

import { readFile, appendFile } from 'node:fs/promises'
import { refuseAgentShell } from '../../approval/rules/agent-shell.ts'
import { PlanError } from '../../errors.ts'
import { rootOf } from '../../fleet/campaign.ts'
import type { CampaignState } from '../../fleet/campaign-state.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { campaignData, type CampaignData } from './new.ts'
import { campaignId, withCampaign, type FleetCall, type Opened } from './request.ts'

export function approveCampaign(request: FleetCall, context: CommandContext): Promise<CommandResult<CampaignData>> {
  const id = campaignId(request, context, request.words[0])
  return withCampaign(request, context, id, async (opened) => {
    const state = await giveApproval(opened, request, context, context.isInteractive && request.digest === undefined)
    return {
      kind: 'campaign',
      exitCode: 0,
      data: campaignData(state, opened.control.address),
      next: [`git plan fleet resume ${id}`],
    }
  })
}

export async function giveApproval(
  { control, home }: Opened,
  { sign, digest }: Pick<FleetCall, 'sign' | 'digest'>,
  context: CommandContext,
  isAsking: boolean,
): Promise<CampaignState> {
  const before = await control.require()
  const { id, title } = before.campaign
  refuseAgentShell(context.env, `can approve ${id}`, `git plan fleet approve ${id}`)
  const root = rootOf(before.campaign)
  if (digest !== undefined && (digest.length < 8 || !root.startsWith(digest.toLowerCase())))
    throw new PlanError('spec-changed', `campaign ${id} has digest ${root.slice(0, 12)}, not ${digest.slice(0, 80)}`, {
      hint: `git plan fleet status ${id}`,
    })
  if (before.approved !== undefined && sign !== true && (await readApprovals(home.approvals)).has(before.approved))
    return before
  if (isAsking) {
    const { message } = campaignData(before, control.address)
    const [text] = new Set(before.campaign.targets.map((target) => target.digest))
    const shown = text === undefined ? '' : await control.textOf(before, text)
    const question = `Approve this plan for ${before.campaign.targets.length} repositories?`
    if (!(await context.confirm([...message, '', shown].join('\n'), question)))
      throw new PlanError('not-approved', `you did not approve campaign ${id}`, {
        hint: `git plan fleet approve ${id}`,
      })
  }
  const after = await control.record(
    (state) => {
      if (state === undefined || rootOf(state.campaign) !== root)
        throw new PlanError('spec-changed', `campaign ${id} was revised meanwhile`, {
          hint: `git plan fleet status ${id}`,
        })
      return { event: 'approved', subject: `Approved: ${title}`, ...(sign === true ? { isSigned: true } : {}) }
    },
    () => context.now().getTime(),
  )
  if (after.approved !== undefined) await appendFile(home.approvals, `${after.approved}\n`)
  return after
}

/** The approvals of campaigns that were given on this machine. */
export async function readApprovals(file: string): Promise<Set<string>> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return new Set(text.split('\n').filter((line) => line !== ''))
}
