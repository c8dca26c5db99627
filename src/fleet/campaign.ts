// A campaign as a value: its file, its manifest, and what its events have made of them. Pure.

import * as z from 'zod/mini'
import { formatLine, manifestRoot, parseLine, pathTo, type ManifestLine } from '../approval/rules/campaign-proof.ts'
import { PlanError } from '../errors.ts'
import { digestOf } from '../plan/file/digest.ts'
import { writeYaml } from '../plan/file/yaml.ts'
import { isId, planId, type PlanId } from '../plan/model/ids.ts'
import { readFrontMatter } from '../plan/sources/front-matter.ts'
import { parseRate, usualLimits, type Limits } from './lanes.ts'

export interface Campaign {
  readonly id: PlanId
  readonly title: string
  /** The id of the plan in each target. */
  readonly plan: PlanId
  /** Where the targets came from. */
  readonly from: string
  /** `NAME=VALUE`, for all targets. */
  readonly params: readonly string[]
  /** How many targets each wave has, as a number or a percentage of all; the last has the rest. */
  readonly waves: readonly string[]
  /** The next wave opens while no more than this number of targets have failed; undefined: whatever fails. */
  readonly maxFailures: number | undefined
  /** What is done with a completed plan that cannot be merged; undefined: a person decides. */
  readonly onConflict: 'rebase' | undefined
  /** The campaign that it reverts; its clones have all of their history. */
  readonly reverts: PlanId | undefined
  readonly limits: Limits
  readonly targets: readonly Target[]
}

export interface Target extends ManifestLine {
  /** 16 hex digits that stand for the address. */
  readonly key: string
  /** From 1. */
  readonly wave: number
}

export const keyOf = (address: string): string => digestOf(address).slice(0, 16)

export const campaignBranch = (id: string): string => `refs/heads/campaign/${id}`

export const files = {
  campaign: (id: string): string => `.campaigns/${id}.md`,
  template: (id: string): string => `.campaigns/${id}.plan.md`,
  manifest: (id: string): string => `.campaigns/${id}.targets`,
  /** The text of a plan, by its digest. */
  text: (id: string, digest: string): string => `.campaigns/${id}/${digest}.md`,
} as const

export interface CampaignText {
  readonly campaign: string
  readonly manifest: string
}

export function formatCampaign(
  campaign: Omit<Campaign, 'targets'> & { readonly targets: readonly ManifestLine[] },
): CampaignText {
  const { title, plan, from, params, waves, maxFailures, onConflict, reverts, limits } = campaign
  const matter = {
    title,
    plan,
    targets: from,
    ...(params.length === 0 ? {} : { params: [...params] }),
    waves: [...waves],
    ...(maxFailures === undefined ? {} : { max_failures: maxFailures }),
    ...(onConflict === undefined ? {} : { on_conflict: onConflict }),
    ...(reverts === undefined ? {} : { reverts }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  }
  return {
    campaign: `---\n${writeYaml(matter).trimEnd()}\n---\n`,
    manifest: campaign.targets.map((target) => `${formatLine(target)}\n`).join(''),
  }
}

const rate = z.string().check(z.refine((text) => parseRate(text) !== undefined, 'not a rate such as 60/min'))
const schema = z.strictObject({
  title: z.string(),
  plan: z.string().check(z.refine(isId, 'not a valid id')),
  targets: z.string(),
  params: z.optional(z.array(z.string())),
  waves: z.array(
    z.string().check(z.refine((text) => /^(\d{1,6}|\d{1,3}%)$/.test(text), 'not a wave such as 5 or 10%')),
  ),
  max_failures: z.optional(z.int().check(z.minimum(0))),
  on_conflict: z.optional(z.literal('rebase')),
  reverts: z.optional(z.string().check(z.refine(isId, 'not a valid id'))),
  limits: z.optional(
    z.record(
      z.string(),
      z.strictObject({
        clones: z.optional(z.int().check(z.minimum(1), z.maximum(1000))),
        pushes: z.optional(rate),
        pull_requests: z.optional(rate),
        open: z.optional(z.int().check(z.minimum(1))),
      }),
    ),
  ),
})

export function parseCampaign(id: PlanId, text: CampaignText): Campaign {
  const refuse = (why: string): never => {
    throw new PlanError('invalid-plan', `campaign ${id} is not valid: ${why}`, { hint: 'git plan fleet list' })
  }
  const matter = readFrontMatter(new TextEncoder().encode(text.campaign))
  const read = matter === undefined ? undefined : schema.safeParse(matter.root, { jitless: true })
  if (read === undefined) return refuse(`${files.campaign(id)} has no front matter`)
  if (!read.success)
    return refuse(
      `${files.campaign(id)}: ${read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`,
    )
  const { title, plan, targets: from, params = [], waves, max_failures: maxFailures, limits = {} } = read.data
  const { on_conflict: onConflict, reverts } = read.data
  const lines = text.manifest.split('\n').filter((line) => line !== '')
  const parsed = lines.map((line, at) => parseLine(line) ?? refuse(`${files.manifest(id)}:${at + 1}: not a target`))
  const sizes = waveSizes(waves, parsed.length)
  const targets = parsed.map((line, at) => ({
    ...line,
    key: keyOf(line.address),
    wave: 1 + sizes.filter((end) => at >= end).length,
  }))
  if (new Set(targets.map(({ key }) => key)).size < targets.length) return refuse('a target is listed twice')
  return {
    id,
    title,
    plan: planId(plan),
    from,
    params,
    waves,
    maxFailures,
    onConflict,
    reverts: reverts === undefined ? undefined : planId(reverts),
    limits,
    targets,
  }
}

/** Where each wave but the last ends. */
function waveSizes(waves: readonly string[], all: number): number[] {
  let end = 0
  return waves.slice(0, -1).map((wave) => {
    const size = wave.endsWith('%') ? Math.ceil((all * Number(wave.slice(0, -1))) / 100) : Number(wave)
    end = Math.min(all, end + Math.max(1, size))
    return end
  })
}

export const rootOf = ({ targets }: Pick<Campaign, 'targets'>): string => manifestRoot(targets.map(formatLine))

/** The line of a target and what leads from it to the root. */
export const evidenceOf = ({ targets }: Campaign, key: string): { line: string; path: string[] } => {
  const lines = targets.map(formatLine)
  const index = targets.findIndex((target) => target.key === key)
  return { line: lines[index] ?? '', path: pathTo(lines, index) }
}

export const limitsOf = (campaign: Campaign, host: string): ReturnType<typeof usualLimits> => ({
  ...usualLimits(host),
  ...campaign.limits['default'],
  ...campaign.limits[host],
})
