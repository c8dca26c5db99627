// `git plan fleet approve`: freezes the manifest of a campaign with an approval, and remembers that it was given here.

import { readFile, writeFile } from 'node:fs/promises'
import { refuseAgentShell } from '../../approval/rules/agent-shell.ts'
import { PlanError } from '../../errors.ts'
import { rootOf, type Target } from '../../fleet/campaign.ts'
import type { CampaignState } from '../../fleet/campaign-state.ts'
import type { Control } from '../../fleet/control.ts'
import { digestOfPlan } from '../../fleet/look.ts'
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
  const texts = await textsOf(control, before)
  if (isAsking) {
    const { message } = campaignData(before, control.address)
    const shown = texts.map(({ text, count, address }) =>
      texts.length === 1
        ? text
        : `For ${count} ${count === 1 ? 'repository' : 'repositories, such as'} ${address}:\n\n${text}`,
    )
    const question = `Approve this plan for ${before.campaign.targets.length} repositories?`
    if (!(await context.confirm([...message, '', ...shown].join('\n'), question)))
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
  if (after.approved !== undefined) await writeFile(home.approvals, `${after.approved}\n`)
  return after
}

interface CampaignText {
  readonly text: string
  /** The targets that get it. */
  readonly count: number
  /** One of them. */
  readonly address: string
}

/**
 * Each text of the plan. The signature covers the digests of the manifest, so what a person reads must be what they stand
 * for: whoever can write to the control repository could put another text there.
 */
async function textsOf(control: Control, state: CampaignState): Promise<CampaignText[]> {
  const targets = new Map<string, Target[]>()
  for (const target of state.campaign.targets)
    targets.set(target.digest, [...(targets.get(target.digest) ?? []), target])
  const texts: CampaignText[] = []
  for (const [digest, having] of targets) {
    const text = await control.textOf(state, digest)
    const [target] = having
    if (target === undefined || digestOfPlan(text, state, target) !== digest)
      throw new PlanError('spec-changed', `a text of campaign ${state.campaign.id} is not the one in its manifest`, {
        hint: `git plan fleet status ${state.campaign.id}`,
      })
    texts.push({ text, count: having.length, address: target.address })
  }
  return texts
}

/** The approvals of campaigns that were given on this machine. */
export async function readApprovals(file: string): Promise<Set<string>> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return new Set(text.split('\n').filter((line) => line !== ''))
}
