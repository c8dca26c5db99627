// Approval policy: the requirement for each risk level. Without a configuration, one approval by any person is enough.

import { riskLevels, type Risk } from '../model/plan.ts'
import { parseDuration, type Duration } from '../model/ids.ts'

/** Origin of a decision: a local commit, a signed commit, or a review on the forge. A policy accepts them by default. */
export const sources = ['local', 'signature', 'review'] as const
/** A campaign approves for many repositories at once, so a policy has to name it. */
export const allSources = [...sources, 'campaign'] as const
export type Source = (typeof allSources)[number]

/** People whose approval is not valid. Bots are always excluded unless `bots` lists them. */
export const exclusions = ['author', 'last-pusher', 'starter'] as const
export type Exclusion = (typeof exclusions)[number]

export interface Requirement {
  readonly from: readonly Source[]
  /** 0: no approval is needed. */
  readonly count: number
  readonly not: readonly Exclusion[]
  /** Email addresses and @logins. With `teams`, a member of either is accepted; if both are empty, anybody is. */
  readonly people: readonly string[]
  readonly teams: readonly string[]
  /** Also requires the approval of each code owner of the files that the plan touches. */
  readonly codeowners: boolean
  /** Names of the campaigns whose approvals are valid, with `from: [campaign]`. */
  readonly campaigns: readonly string[]
}

/** A control repository whose campaigns may approve plans here. */
export interface CampaignTrust {
  /** The address of the control repository. */
  readonly repository: string
  /** Allowed signers, a file on the policy branch. */
  readonly signers: string
  /** How long an approval of the campaign is valid. */
  readonly expires: Duration
  /** Bases of the plans; empty: any. */
  readonly bases: readonly string[]
  /** The address of this repository, for clones whose remote has another one; undefined: that of the remote. */
  readonly address: string | undefined
}

export interface ApprovalPolicy {
  readonly levels: Readonly<Record<Risk, Requirement>>
  readonly expires: Duration | undefined
  /** `allow`: an approval stays valid after manual edits (`resume --fix`, `--done`). */
  readonly fixes: 'allow' | 'reapprove'
  /** `allow`: an approval stays valid after a new plan text that only removes steps. */
  readonly removals: 'allow' | 'reapprove'
  /** Approval of the completed tip before `finish`. `reviewed`: required if the plan was approved by a review. */
  readonly resultReview: 'required' | 'reviewed' | 'none'
  /** People who may roll back an external effect; empty: everybody. */
  readonly effectRollback: readonly string[]
  /** @logins of bots whose approvals are as valid as a person's. */
  readonly bots: readonly string[]
  /** Members of each team, as email addresses and @logins. The forge is asked about teams that are not listed. */
  readonly teams: ReadonlyMap<string, readonly string[]>
  /** By name. */
  readonly campaigns: ReadonlyMap<string, CampaignTrust>
}

/** A level as written in the file. */
interface LevelObject {
  readonly from?: readonly Source[] | undefined
  readonly count?: number | undefined
  readonly not?: readonly Exclusion[] | undefined
  readonly people?: readonly string[] | undefined
  readonly teams?: readonly string[] | undefined
  readonly codeowners?: boolean | undefined
  readonly campaigns?: readonly string[] | undefined
}
export type LevelEntry = 'none' | (typeof sources)[number] | LevelObject

export interface CampaignEntry {
  readonly repository: string
  readonly signers: string
  readonly expires?: string | undefined
  readonly bases?: readonly string[] | undefined
  readonly address?: string | undefined
}

export interface ApprovalEntries {
  readonly low?: LevelEntry | undefined
  readonly medium?: LevelEntry | undefined
  readonly high?: LevelEntry | undefined
  readonly critical?: LevelEntry | undefined
  readonly expires?: string | undefined
  readonly fixes?: 'allow' | 'reapprove' | undefined
  readonly removals?: 'allow' | 'reapprove' | undefined
  readonly result_review?: 'required' | 'reviewed' | 'none' | undefined
  readonly effect_rollback?: readonly string[] | undefined
  readonly bots?: readonly string[] | undefined
}

const anybody: Requirement = {
  from: sources,
  count: 1,
  not: [],
  people: [],
  teams: [],
  codeowners: false,
  campaigns: [],
}

export function policyFrom(
  file: ApprovalEntries | undefined,
  teams: Readonly<Record<string, readonly string[]>> | undefined,
  campaigns?: Readonly<Record<string, CampaignEntry>>,
): ApprovalPolicy {
  const level = (risk: Risk): Requirement => requirementOf(file?.[risk.toLowerCase() as Lowercase<Risk>])
  return {
    levels: Object.fromEntries(riskLevels.map((risk) => [risk, level(risk)])) as Record<Risk, Requirement>,
    expires: file?.expires === undefined ? undefined : parseDuration(file.expires),
    fixes: file?.fixes ?? 'allow',
    removals: file?.removals ?? 'reapprove',
    resultReview: file?.result_review ?? 'reviewed',
    effectRollback: file?.effect_rollback ?? [],
    bots: file?.bots ?? [],
    teams: new Map(Object.entries(teams ?? {})),
    campaigns: new Map(Object.entries(campaigns ?? {}).map(([name, entry]) => [name, trustFrom(entry)])),
  }
}

const defaultExpiry = (14 * 24 * 60 * 60_000) as Duration

const trustFrom = ({ repository, signers, expires, bases, address }: CampaignEntry): CampaignTrust => ({
  repository,
  signers,
  expires: (expires === undefined ? undefined : parseDuration(expires)) ?? defaultExpiry,
  bases: bases ?? [],
  address,
})

function requirementOf(entry: LevelEntry | undefined): Requirement {
  if (entry === undefined) return anybody
  if (entry === 'none') return { ...anybody, count: 0 }
  if (typeof entry === 'string') return { ...anybody, from: [entry] }
  return {
    from: entry.from ?? anybody.from,
    count: entry.count ?? 1,
    not: entry.not ?? [],
    people: entry.people ?? [],
    teams: entry.teams ?? [],
    codeowners: entry.codeowners ?? false,
    campaigns: entry.campaigns ?? [],
  }
}

export const defaultPolicy: ApprovalPolicy = policyFrom(undefined, undefined)
