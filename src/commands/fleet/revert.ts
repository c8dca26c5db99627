// `git plan fleet revert`: what a campaign merged is reverted by a campaign of its own, which needs an approval of its own.

import { PlanError } from '../../errors.ts'
import type { Control } from '../../fleet/control.ts'
import { Tips } from '../../fleet/tips.ts'
import type { Campaign, Target } from '../../fleet/campaign.ts'
import type { FleetHome } from '../../fleet/fleet-home.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { writeYaml } from '../../plan/file/yaml.ts'
import { isId, planId, type PlanId } from '../../plan/model/ids.ts'
import type { Written } from '../../plan/file/write.ts'
import { campaignData, limitsOf, maxFailuresOf, readText, wavesOf, writeCampaign, type CampaignData } from './new.ts'
import { campaignId, withCampaign, type FleetCall } from './request.ts'

export async function revertCampaign(
  request: FleetCall,
  context: CommandContext,
): Promise<CommandResult<CampaignData>> {
  const of = campaignId(request, context, request.words[0])
  const found = await withCampaign(request, context, of, async ({ control, home }) => {
    const { campaign } = await control.require()
    return { campaign, address: control.address, targets: await revertsIn(campaign, { control, home, context }) }
  })
  const id = revertIdOf(of)
  const title = `Revert: ${found.campaign.title}`
  const { state, control } = await writeCampaign(
    {
      id,
      title,
      plan: id,
      from: `campaign/${of}`,
      params: [],
      waves: wavesOf(request),
      maxFailures: maxFailuresOf(request),
      onConflict: undefined,
      reverts: of,
      limits: { ...found.campaign.limits, ...limitsOf(request) },
    },
    { template: `${title}\n`, targets: found.targets },
    { request: { ...request, control: found.address }, context },
  )
  return { kind: 'campaign', exitCode: 0, data: campaignData(state, control), next: [`git plan fleet approve ${id}`] }
}

function revertIdOf(of: PlanId): PlanId {
  const id = `${of}-revert`
  if (isId(id)) return planId(id)
  throw new PlanError('usage', `${id} is too long for the id of a campaign`, { hint: `git plan fleet report ${of}` })
}

/** The targets in which the plan was merged, each with the text that reverts it. */
async function revertsIn(
  campaign: Campaign,
  { home, context }: { readonly control: Control; readonly home: FleetHome; readonly context: CommandContext },
): Promise<(Target & { text: Written })[]> {
  const { id, plan, title } = campaign
  const merged = new Map<string, string>()
  const targets: (Target & { text: Written })[] = []
  const tips = new Tips(home, plan, context.env)
  try {
    await tips.read(campaign.targets, (key, tip) => {
      if (tip instanceof Error) throw tip
      if (tip.status === 'merged' && tip.tip !== null) merged.set(key, tip.tip)
    })
    for (const target of campaign.targets) {
      const final = merged.get(target.key)
      if (final === undefined) continue
      const merge = await tips.mergeOf(target, final)
      if (merge === undefined)
        throw new PlanError(
          'wrong-state',
          `${target.address} has no commit on ${target.base} that merges plan/${plan}`,
          {
            hint: `git plan fleet exclude ${target.address} --campaign ${id}`,
          },
        )
      const { oid, isMerge } = merge
      const text = textOf(title, plan, { oid, isMerge })
      const name = revertIdOf(id)
      const written = await readText(Buffer.from(text), { file: `${name}.md`, base: target.base, id: name })
      targets.push({ ...target, text: written })
    }
  } finally {
    await tips.close()
  }
  if (targets.length === 0)
    throw new PlanError('wrong-state', `nothing of campaign ${id} was merged: there is nothing to revert`, {
      hint: `git plan fleet close ${id}`,
    })
  return targets
}

function textOf(
  title: string,
  plan: PlanId,
  { oid, isMerge }: { readonly oid: string; readonly isMerge: boolean },
): string {
  const matter = {
    title: `Revert: ${title}`,
    steps: [
      {
        id: 'revert',
        title: `Revert ${oid.slice(0, 12)}`,
        // The record of the plan stays, and so do the plans of others.
        run: [
          `git revert --no-commit ${isMerge ? '-m 1 ' : ''}${oid}`,
          'git restore --source=HEAD --staged --worktree -- .plans',
          'git revert --quit',
        ].join(' && '),
        changes: 'some',
      },
    ],
  }
  return `---\n${writeYaml(matter).trimEnd()}\n---\n\nReverts plan/${plan}, which ${oid} merged.\n`
}
