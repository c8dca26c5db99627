// .plans/config.yml as a value, and the defaults.

import {
  defaultPolicy,
  policyFrom,
  sources,
  type ApprovalEntries,
  type ApprovalPolicy,
  type CampaignEntry,
} from './approval-policy.ts'
import type { NotifyEntries } from './notify.ts'
import type { Finding } from '../model/finding.ts'
import { globMatcher } from '../text/glob.ts'
import { riskLevels } from '../model/plan.ts'
import { branchProblem } from '../text/repo-path.ts'
import { parseSize } from '../file/text-problems.ts'
import { parseDuration, type Duration } from '../model/ids.ts'

export interface PlanConfig {
  readonly limits: {
    readonly steps: number
    /** undefined: a step without its own timeout has none. */
    readonly timeout: Duration | undefined
    /** For one run of a plan; undefined: none. */
    readonly planTimeout: Duration | undefined
    /** Bytes. */
    readonly output: number
    /** 0: never. */
    readonly pauseEvery: number
    /** The most steps that may run at the same time; undefined: any number. */
    readonly jobs: number | undefined
  }
  readonly staleAfter: Duration
  readonly stalledAfter: Duration
  readonly commit: { readonly subject: string }
  readonly rollback: { readonly automatic: boolean; readonly keep: Duration }
  /** False: `cache` of steps has no effect. */
  readonly cache: boolean
  readonly finish: { readonly mode: FinishMode; readonly planFile: 'keep' | 'drop' }
  /** Empty: every branch may be a base. */
  readonly bases: readonly string[]
  /** Keys that every step must have. */
  readonly require: readonly Requirement[]
  readonly risk: {
    /** Globs of critical paths, in addition to the built-in ones. */
    readonly critical: readonly string[]
  }
  /** Validations that `check` and every run perform. */
  readonly validation: Readonly<Record<Validation, boolean>>
  /** The user's own programs, and the forms in which they only read. */
  readonly safety: readonly SafetySetting[]
  /** Commands of agents, by the name that steps use. */
  readonly agents: Readonly<Record<string, string>>
  /** Tools of agents that are for running plans. */
  readonly guard: GuardSetting
  readonly notify: NotifyEntries
  readonly approval: ApprovalPolicy
  /** Self-hosted forges, by host. */
  readonly forges: Readonly<Record<string, ForgeSetting>>
}

export const finishModes = ['merge', 'squash', 'ff'] as const
export type FinishMode = (typeof finishModes)[number]

export const forgeKinds = ['github', 'gitlab', 'gitea'] as const
export interface ForgeSetting {
  readonly kind: (typeof forgeKinds)[number]
  /** Base URL of the API if it is not the usual one. */
  readonly api?: string | undefined
}

export const validations = ['syntax', 'secrets', 'patterns', 'dependencies'] as const
export type Validation = (typeof validations)[number]

/** The same shape as an entry of src/judge/shell/registry.ts, which alone interprets it. */
export interface SafetySetting {
  readonly tool: string
  readonly read: readonly string[]
  readonly examples?:
    | { readonly read?: readonly string[] | undefined; readonly write?: readonly string[] | undefined }
    | undefined
}

export const withoutPlan = ['log', 'deny'] as const
export interface GuardSetting {
  /** Names of tools as the agents spell them, with stars; programs; `write` for whatever may write, `shell`. */
  readonly tools: readonly string[]
  /** What the guard does when one is used and no plan runs. */
  readonly withoutPlan: (typeof withoutPlan)[number]
}

export const requirements = ['owner', 'files', 'criteria', 'tests'] as const
export type Requirement = (typeof requirements)[number]

/** The file after validation. A hand-written type, because it is part of the library's API. */
export interface ConfigEntries {
  readonly limits?:
    | {
        readonly steps?: number | undefined
        readonly timeout?: string | undefined
        readonly plan_timeout?: string | undefined
        readonly output?: string | undefined
        readonly pause_every?: number | undefined
        readonly jobs?: number | undefined
      }
    | undefined
  readonly stale_after?: string | undefined
  readonly stalled_after?: string | undefined
  readonly commit?: { readonly subject?: string | undefined } | undefined
  readonly rollback?: { readonly automatic?: boolean | undefined; readonly keep?: string | undefined } | undefined
  readonly finish?:
    | { readonly mode?: FinishMode | undefined; readonly plan_file?: 'keep' | 'drop' | undefined }
    | undefined
  readonly cache?: boolean | undefined
  readonly bases?: readonly string[] | undefined
  readonly require?: readonly Requirement[] | undefined
  readonly risk?: { readonly critical?: readonly string[] | undefined } | undefined
  readonly validation?: { readonly [Name in Validation]?: boolean | undefined } | undefined
  readonly safety?: readonly SafetySetting[] | undefined
  readonly agents?: Readonly<Record<string, string>> | undefined
  readonly guard?:
    | {
        readonly tools?: readonly string[] | undefined
        readonly without_plan?: GuardSetting['withoutPlan'] | undefined
      }
    | undefined
  readonly notify?: NotifyEntries | undefined
  readonly approval?: ApprovalEntries | undefined
  readonly teams?: Readonly<Record<string, readonly string[]>> | undefined
  readonly campaigns?: Readonly<Record<string, CampaignEntry>> | undefined
  readonly forges?: Readonly<Record<string, ForgeSetting>> | undefined
}

const day = 86_400_000

export const defaultConfig: PlanConfig = {
  limits: {
    steps: 100,
    timeout: undefined,
    planTimeout: undefined,
    output: 10 * 1024 * 1024,
    pauseEvery: 0,
    jobs: undefined,
  },
  staleAfter: (30 * day) as Duration,
  stalledAfter: (30 * 60_000) as Duration,
  commit: { subject: '{title}' },
  rollback: { automatic: true, keep: (30 * day) as Duration },
  finish: { mode: 'merge', planFile: 'keep' },
  cache: true,
  bases: [],
  require: [],
  risk: { critical: [] },
  validation: { syntax: true, secrets: true, patterns: true, dependencies: true },
  safety: [],
  agents: {},
  guard: { tools: [], withoutPlan: 'log' },
  notify: {},
  approval: defaultPolicy,
  forges: {},
}

/** One setting as written in the file, with its dotted name. */
export interface ConfigEntry {
  readonly name: string
  readonly value:
    | string
    | number
    | boolean
    | null
    | readonly string[]
    | readonly SafetySetting[]
    | Readonly<Record<string, unknown>>
}

export const defaultEntries: readonly ConfigEntry[] = [
  { name: 'limits.steps', value: 100 },
  { name: 'limits.timeout', value: null },
  { name: 'limits.plan_timeout', value: null },
  { name: 'limits.output', value: '10mb' },
  { name: 'limits.pause_every', value: 0 },
  { name: 'limits.jobs', value: null },
  { name: 'stale_after', value: '30d' },
  { name: 'stalled_after', value: '30m' },
  { name: 'commit.subject', value: '{title}' },
  { name: 'rollback.automatic', value: true },
  { name: 'rollback.keep', value: '30d' },
  { name: 'finish.mode', value: 'merge' },
  { name: 'finish.plan_file', value: 'keep' },
  { name: 'cache', value: true },
  { name: 'bases', value: [] },
  { name: 'require', value: [] },
  { name: 'risk.critical', value: [] },
  ...validations.map((name) => ({ name: `validation.${name}`, value: true })),
  { name: 'safety', value: [] },
  { name: 'agents', value: {} },
  { name: 'guard.tools', value: [] },
  { name: 'guard.without_plan', value: 'log' },
  { name: 'notify', value: {} },
  ...riskLevels.map((risk) => ({ name: `approval.${risk.toLowerCase()}`, value: { from: sources, count: 1 } })),
  { name: 'approval.expires', value: null },
  { name: 'approval.fixes', value: 'allow' },
  { name: 'approval.removals', value: 'reapprove' },
  { name: 'approval.result_review', value: 'reviewed' },
  { name: 'approval.effect_rollback', value: [] },
  { name: 'approval.bots', value: [] },
  { name: 'teams', value: {} },
  { name: 'campaigns', value: {} },
  { name: 'forges', value: {} },
]

export type ConfigResult =
  | {
      readonly ok: true
      readonly config: PlanConfig
      /** Only the settings that the file contains. */ readonly entries: readonly ConfigEntry[]
    }
  | { readonly ok: false; readonly findings: Finding[] }

export const maxConfigBytes = 256 * 1024

/** A branch name, or a glob that matches branch names. */
export const isBasePattern = (text: string): boolean => branchProblem(text.replaceAll('*', 'x')) === undefined

/** The settings of the file, completed with the defaults. */
export function withDefaults(file: ConfigEntries): PlanConfig {
  const { limits, commit, rollback } = file
  const ms = (text: string | undefined, otherwise: Duration): Duration =>
    (text === undefined ? undefined : parseDuration(text)) ?? otherwise
  return {
    limits: {
      steps: limits?.steps ?? defaultConfig.limits.steps,
      timeout: limits?.timeout === undefined ? undefined : parseDuration(limits.timeout),
      planTimeout: limits?.plan_timeout === undefined ? undefined : parseDuration(limits.plan_timeout),
      output: (limits?.output === undefined ? undefined : parseSize(limits.output)) ?? defaultConfig.limits.output,
      pauseEvery: limits?.pause_every ?? defaultConfig.limits.pauseEvery,
      jobs: limits?.jobs,
    },
    staleAfter: ms(file.stale_after, defaultConfig.staleAfter),
    stalledAfter: ms(file.stalled_after, defaultConfig.stalledAfter),
    commit: { subject: commit?.subject ?? defaultConfig.commit.subject },
    rollback: {
      automatic: rollback?.automatic ?? defaultConfig.rollback.automatic,
      keep: ms(rollback?.keep, defaultConfig.rollback.keep),
    },
    finish: {
      mode: file.finish?.mode ?? defaultConfig.finish.mode,
      planFile: file.finish?.plan_file ?? defaultConfig.finish.planFile,
    },
    cache: file.cache ?? true,
    bases: file.bases ?? [],
    require: file.require ?? [],
    risk: { critical: file.risk?.critical ?? [] },
    validation: { ...defaultConfig.validation, ...withoutUndefined(file.validation ?? {}) },
    safety: file.safety ?? [],
    agents: file.agents ?? {},
    guard: {
      tools: file.guard?.tools ?? [],
      withoutPlan: file.guard?.without_plan ?? defaultConfig.guard.withoutPlan,
    },
    notify: file.notify ?? {},
    approval: policyFrom(file.approval, file.teams, file.campaigns),
    forges: file.forges ?? {},
  }
}

const withoutUndefined = <T extends object>(value: T): { [Name in keyof T]: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [Name in keyof T]: Exclude<T[Name], undefined>
  }

export const entriesOf = (file: ConfigEntries): ConfigEntry[] =>
  defaultEntries.flatMap(({ name }) => {
    const value = name
      .split('.')
      .reduce<unknown>((at, key) => (at === undefined ? undefined : (at as Record<string, unknown>)[key]), file)
    return value === undefined ? [] : [{ name, value: value as ConfigEntry['value'] }]
  })

/** True if the configuration allows plans to start from this branch. */
export const allowsBase = (config: PlanConfig, branch: string): boolean => allowsBranch(config.bases, branch)

/** Empty: every branch. */
export const allowsBranch = (bases: readonly string[], branch: string): boolean =>
  bases.length === 0 || globMatcher(bases)(branch)
