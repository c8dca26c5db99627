// `git plan fleet new`: writes a campaign: its file, its manifest, and the text of the plan for each target.

import { PlanError } from '../../errors.ts'
import { formatCampaign, files, parseCampaign, type Campaign } from '../../fleet/campaign.ts'
import type { CampaignState } from '../../fleet/campaign-state.ts'
import { parseRate, type Limits } from '../../fleet/lanes.ts'
import { checkWhole } from '../../judge/plan/check-whole.ts'
import { checkFacts } from '../../operation/check-findings.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { expandInput } from '../../operation/expand-input.ts'
import { invalidPlan } from '../../operation/invalid-plan.ts'
import { readPlanInput, type PlanInput } from '../../operation/read-plan-input.ts'
import { defaultConfig } from '../../plan/config/config.ts'
import { readPlan } from '../../plan/file/read-plan.ts'
import { asProposed, type Written } from '../../plan/file/write.ts'
import { hasErrors } from '../../plan/model/finding.ts'
import { isId, planId, type PlanId } from '../../plan/model/ids.ts'
import { findBases, readTargets, type FoundTarget } from './read-targets.ts'
import { withCampaign, type FleetCall } from './request.ts'

export interface CampaignData {
  readonly id: string
  readonly title: string
  /** The address of the control repository. */
  readonly control: string
  readonly epoch: number
  readonly targets: number
  readonly waves: number
  /** How many different texts the plan has. */
  readonly texts: number
  readonly isApproved: boolean
  readonly message: readonly string[]
}

export async function newCampaign(request: FleetCall, context: CommandContext): Promise<CommandResult<CampaignData>> {
  const state = await proposeCampaign(request, context)
  return {
    kind: 'campaign',
    exitCode: 0,
    data: campaignData(state.state, state.control),
    next: [`git plan fleet approve ${state.state.campaign.id}`],
  }
}

export async function proposeCampaign(
  request: FleetCall,
  context: CommandContext,
): Promise<{ readonly state: CampaignState; readonly control: string }> {
  const [from, file, ...rest] = request.words
  if (from === undefined || file === undefined || rest.length > 0)
    throw new PlanError('usage', 'give the repositories and the plan', {
      hint: 'git plan fleet run REPOSITORIES.txt PLAN.md',
    })
  const input = await readPlanInput(file, context)
  const listed = await readTargets(from, context)
  const targets = await findBases(listed, context)
  const texts = await textsFor(input, targets, request, context)
  const [first] = texts
  if (first === undefined) throw new Error('there are no targets')
  const { id, title } = first.plan
  return writeCampaign(
    {
      id,
      title,
      plan: id,
      from,
      params: request.param ?? [],
      waves: wavesOf(request),
      maxFailures: maxFailuresOf(request),
      onConflict: request.rebase === true ? 'rebase' : undefined,
      reverts: undefined,
      limits: limitsOf(request),
    },
    {
      template: Buffer.from(input.bytes).toString(),
      targets: targets.map((target, at) => ({ ...target, text: texts[at]! })),
    },
    { request, context },
  )
}

/** Proposes the campaign, or revises it if its files differ from what is there. `head`: its file, but its targets. */
export function writeCampaign(
  head: Omit<Campaign, 'targets'>,
  { template, targets }: { readonly template: string; readonly targets: readonly (FoundTarget & { text: Written })[] },
  { request, context }: { readonly request: FleetCall; readonly context: CommandContext },
): Promise<{ readonly state: CampaignState; readonly control: string }> {
  const { id, title } = head
  return withCampaign(request, context, id, async ({ control }) => {
    const text = formatCampaign({
      ...head,
      targets: targets.map(({ address, base, params, text: { plan } }) => ({
        address,
        base,
        params,
        digest: plan.digest,
      })),
    })
    // What is written must be what will be read.
    parseCampaign(id, text)
    const written = new Map([
      [files.campaign(id), text.campaign],
      [files.manifest(id), text.manifest],
      [files.template(id), template],
      ...targets.map(
        ({ text: { plan, bytes } }) => [files.text(id, plan.digest), Buffer.from(bytes).toString()] as const,
      ),
    ])
    const before = await control.read()
    const isSame = before !== undefined && (await isWritten(control.repo, before, written))
    const state = isSame
      ? before
      : await control.record(
          (known) => ({
            event: known === undefined ? 'proposed' : 'revised',
            subject: `${known === undefined ? 'Campaign' : 'Revised'}: ${title}`,
            files: written,
          }),
          () => context.now().getTime(),
        )
    return { state, control: control.address }
  })
}

async function isWritten(
  repo: { readBlob(name: string): Promise<Buffer | undefined> },
  { tip }: CampaignState,
  written: ReadonlyMap<string, string>,
): Promise<boolean> {
  for (const [path, text] of written) if ((await repo.readBlob(`${tip}:${path}`))?.toString() !== text) return false
  return true
}

/** The text of the plan in each target: equal texts are made once. */
async function textsFor(
  input: PlanInput,
  targets: readonly FoundTarget[],
  request: FleetCall,
  context: CommandContext,
): Promise<Written[]> {
  const made = new Map<string, Promise<Written>>()
  const texts: Written[] = []
  for (const { base, params } of targets) {
    const name = JSON.stringify([base, params])
    const text = made.get(name) ?? textFor(input, base, [...(request.param ?? []), ...params], request, context)
    made.set(name, text)
    texts.push(await text)
  }
  return texts
}

async function textFor(
  input: PlanInput,
  base: string,
  param: readonly string[],
  { campaign }: FleetCall,
  context: CommandContext,
): Promise<Written> {
  const expanded = await expandInput(input, {
    repo: undefined,
    dir: '.plans',
    context,
    param,
    command: `git plan fleet run REPOSITORIES.txt ${input.file}`,
  })
  const id = idFor(campaign ?? expanded.id)
  return readText(expanded.bytes, { file: input.file, base, ...(id === undefined ? {} : { id }) })
}

/** The text of a plan as a target would have it, if it is valid. */
export async function readText(
  bytes: Uint8Array,
  { file, base, id }: { readonly file: string; readonly base: string; readonly id?: PlanId },
): Promise<Written> {
  const parsed = readPlan(bytes, { file, ...(id === undefined ? {} : { id }), base })
  if (!parsed.ok) throw invalidPlan(file, parsed.findings)
  const written = asProposed(parsed)
  const findings = await checkWhole(written.plan, checkFacts(written, { file, config: defaultConfig }))
  if (hasErrors(findings)) throw invalidPlan(file, findings)
  return written
}

function idFor(name: string | undefined): PlanId | undefined {
  if (name === undefined) return undefined
  if (isId(name)) return planId(name)
  throw new PlanError('usage', `${JSON.stringify(name.slice(0, 80))} is not a valid id`, { hint: 'git plan fleet -h' })
}

export function wavesOf({ wave = [] }: FleetCall): string[] {
  const wrong = wave.find((each) => !/^([1-9]\d{0,5}|[1-9]\d?%|100%)$/.test(each))
  if (wrong !== undefined)
    throw new PlanError(
      'usage',
      `--wave takes a number or a percentage of the repositories, not ${JSON.stringify(wrong)}`,
      {
        hint: 'git plan fleet run REPOSITORIES.txt PLAN.md --wave 1 --wave 10%',
      },
    )
  return [...wave, '100%']
}

export function maxFailuresOf({ maxFailures }: FleetCall): number | undefined {
  if (maxFailures === undefined) return undefined
  if (/^\d{1,6}$/.test(maxFailures)) return Number(maxFailures)
  throw new PlanError('usage', `--max-failures takes a number, not ${JSON.stringify(maxFailures)}`, {
    hint: 'git plan fleet -h',
  })
}

/** `HOST.NAME=VALUE`, or `NAME=VALUE` for all hosts. */
export function limitsOf({ limit = [] }: FleetCall): Limits {
  const limits: Record<string, Record<string, string | number>> = {}
  for (const each of limit) {
    const [, host = 'default', name = '', value = ''] =
      /^(?:([^=]+)\.)?(clones|open|pushes|pull_requests)=(\S+)$/.exec(each) ?? []
    const isNumber = name === 'clones' || name === 'open'
    if (name === '' || (isNumber ? !/^[1-9]\d{0,5}$/.test(value) : parseRate(value) === undefined))
      throw new PlanError(
        'usage',
        `--limit takes such as github.com.pull_requests=4/min, not ${JSON.stringify(each)}`,
        {
          hint: 'git plan fleet -h',
        },
      )
    limits[host] = { ...limits[host], [name]: isNumber ? Number(value) : value }
  }
  return limits
}

export const campaignData = (state: CampaignState, control: string): CampaignData => {
  const { campaign, epoch, approved } = state
  const { id, title, targets } = campaign
  const texts = new Set(targets.map(({ digest }) => digest)).size
  const waves = Math.max(...targets.map(({ wave }) => wave))
  return {
    id,
    title,
    control,
    epoch,
    targets: targets.length,
    waves,
    texts,
    isApproved: approved !== undefined,
    message: [
      `Campaign ${id}: ${title}`,
      `${targets.length} ${targets.length === 1 ? 'repository' : 'repositories'} in ${waves} ${waves === 1 ? 'wave' : 'waves'}, ${texts} ${texts === 1 ? 'text' : 'texts'} of the plan`,
      `Control repository: ${control} (branch campaign/${id})`,
      approved === undefined ? 'It is not approved yet: nothing runs' : `Approved: ${approved.slice(0, 10)}`,
    ],
  }
}
