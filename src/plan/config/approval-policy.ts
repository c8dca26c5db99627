// What the configuration asks of an approval, for each level of risk, and what holds without it: a person who says yes.

import { riskLevels, type Risk } from '../model/plan.ts'
import { parseDuration, type Duration } from '../model/ids.ts'

/** Where a decision comes from: a commit, a signed commit, a review on the forge. */
export const sources = ['local', 'signature', 'review'] as const
export type Source = (typeof sources)[number]

/** Who does not count. Bots never do, unless they are named. */
export const exclusions = ['author', 'last-pusher', 'starter'] as const
export type Exclusion = (typeof exclusions)[number]

export interface Requirement {
  readonly from: readonly Source[]
  /** 0: it runs unasked. */
  readonly count: number
  readonly not: readonly Exclusion[]
  /** Addresses and @logins; with teams: one of all these. Both empty: anybody. */
  readonly people: readonly string[]
  readonly teams: readonly string[]
  /** Each owner of what the plan touches must have said yes, besides. */
  readonly codeowners: boolean
}

export interface ApprovalPolicy {
  readonly levels: Readonly<Record<Risk, Requirement>>
  readonly expires: Duration | undefined
  /** Whether an approval outlives edits of a person's (`resume --fix`, `--done`). */
  readonly fixes: 'allow' | 'reapprove'
  /** Whether it outlives a new text that only leaves steps out. */
  readonly removals: 'allow' | 'reapprove'
  /** Whether `finish` needs an approval of the completed tip; `reviewed`: where the plan was approved by a review. */
  readonly resultReview: 'required' | 'reviewed' | 'none'
  /** Who may roll back over an external effect; empty: everybody. */
  readonly effectRollback: readonly string[]
  /** @logins of bots that count like people. */
  readonly bots: readonly string[]
  /** Members, as addresses and @logins. What is not here is asked of the forge. */
  readonly teams: ReadonlyMap<string, readonly string[]>
}

/** As it is written in the file. */
interface LevelObject {
  readonly from?: readonly Source[] | undefined
  readonly count?: number | undefined
  readonly not?: readonly Exclusion[] | undefined
  readonly people?: readonly string[] | undefined
  readonly teams?: readonly string[] | undefined
  readonly codeowners?: boolean | undefined
}
export type LevelEntry = 'none' | Source | LevelObject

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

const anybody: Requirement = { from: sources, count: 1, not: [], people: [], teams: [], codeowners: false }

export function policyFrom(
  file: ApprovalEntries | undefined,
  teams: Readonly<Record<string, readonly string[]>> | undefined,
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
  }
}

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
  }
}

export const defaultPolicy: ApprovalPolicy = policyFrom(undefined, undefined)
