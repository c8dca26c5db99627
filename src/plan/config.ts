// .plans/config.yml as a value. Strict, and only with the keys that do something today: a policy that is not enforced must not look as if it were.

import * as z from 'zod'
import { branchProblem } from './repo-path.ts'
import { duration, flag, parseSize, size, uncompiled, words } from './common.ts'
import { hasHidden } from './display.ts'
import type { Finding } from './finding.ts'
import { issuesToFindings } from './issues.ts'
import { parseDuration, type Duration } from './values.ts'
import { readYaml } from './yaml.ts'
import type { FindPlace } from './yaml.ts'

export interface PlanConfig {
  readonly limits: {
    readonly steps: number
    /** undefined: a step without a timeout of its own has none. */
    readonly timeout: Duration | undefined
    /** Bytes. */
    readonly output: number
    /** 0: never. */
    readonly pauseEvery: number
  }
  readonly staleAfter: Duration
  readonly stalledAfter: Duration
  readonly commit: { readonly subject: string }
  readonly rollback: { readonly automatic: boolean; readonly keep: Duration }
  /** Empty: every branch may be a base. */
  readonly bases: readonly string[]
}

/** Made when there is a configuration to judge. */
function configSchemas() {
  const subject = z
    .string()
    .refine((text) => text.includes('{title}') && text.length <= 200 && !hasHidden(text), { message: 'a subject is one line that holds {title}' })
  const base = z
    .string()
    .refine((text) => branchProblem(text.replaceAll('*', 'x')) === undefined, { message: 'not a branch name, or a pattern such as release/*' })
  const sections = {
    limits: z.strictObject({
      steps: z.int().min(1).max(1000).optional(),
      timeout: duration.optional(),
      output: size.optional(),
      pause_every: z.int().min(0).max(1000).optional(),
    }),
    commit: z.strictObject({ subject: subject.optional() }),
    rollback: z.strictObject({ automatic: flag.optional(), keep: duration.optional() }),
  }
  const whole = z.strictObject({
    version: z.literal(1).optional(),
    limits: sections.limits.optional(),
    stale_after: duration.optional(),
    stalled_after: duration.optional(),
    commit: sections.commit.optional(),
    rollback: sections.rollback.optional(),
    bases: z.array(base.and(words)).max(100).optional(),
  })
  return { whole, sections }
}
type ConfigSchemas = ReturnType<typeof configSchemas>
type ConfigEntries = z.infer<ConfigSchemas['whole']>

const day = 86_400_000

export const defaultConfig: PlanConfig = {
  limits: { steps: 100, timeout: undefined, output: 10 * 1024 * 1024, pauseEvery: 0 },
  staleAfter: (30 * day) as Duration,
  stalledAfter: (30 * 60_000) as Duration,
  commit: { subject: '{title}' },
  rollback: { automatic: true, keep: (30 * day) as Duration },
  bases: [],
}

/** One value as it is written, with its name in the file. */
export interface ConfigEntry {
  readonly name: string
  readonly value: string | number | boolean | null | readonly string[]
}

export const defaultEntries: readonly ConfigEntry[] = [
  { name: 'limits.steps', value: 100 },
  { name: 'limits.timeout', value: null },
  { name: 'limits.output', value: '10mb' },
  { name: 'limits.pause_every', value: 0 },
  { name: 'stale_after', value: '30d' },
  { name: 'stalled_after', value: '30m' },
  { name: 'commit.subject', value: '{title}' },
  { name: 'rollback.automatic', value: true },
  { name: 'rollback.keep', value: '30d' },
  { name: 'bases', value: [] },
]

export type ConfigResult =
  | { readonly ok: true; readonly config: PlanConfig; /** Only what the file says. */ readonly entries: readonly ConfigEntry[] }
  | { readonly ok: false; readonly findings: Finding[] }

const maxBytes = 256 * 1024

export function parseConfig(bytes: Uint8Array, file: string): ConfigResult {
  const refused = (findings: readonly Finding[]): ConfigResult => ({ ok: false, findings: findings.map((finding) => ({ ...finding, file })) })
  if (bytes.byteLength > maxBytes)
    return refused([
      { rule: 'too-large', severity: 'error', message: `the file has ${bytes.byteLength} bytes; at most ${maxBytes} are read`, line: 1, column: 1 },
    ])
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return refused([{ rule: 'bad-encoding', severity: 'error', message: 'the file is not valid UTF-8', line: 1, column: 1 }])
  }
  const read = readYaml(text, { offset: 0, line: 0 })
  if (!read.ok) return refused(read.findings)
  const value = read.yaml.value ?? {}
  const schemas = configSchemas()
  const parsed = schemas.whole.safeParse(value, { ...uncompiled, reportInput: true })
  if (!parsed.success) return refused(parsed.error.issues.flatMap((issue) => findingsOf(issue, value, read.yaml.place, schemas)))
  return { ok: true, config: withDefaults(parsed.data), entries: entriesOf(parsed.data) }
}

/** An issue inside a section is about that section's keys, not about the top's. */
function findingsOf(issue: z.core.$ZodIssue, value: unknown, place: FindPlace, { whole, sections }: ConfigSchemas): Finding[] {
  const name = issue.path[0]
  const section = name === 'limits' || name === 'commit' || name === 'rollback' ? name : undefined
  if (section === undefined) return issuesToFindings([issue], { value, at: [], place, known: Object.keys(whole.shape) })
  const inside = (value as Record<string, unknown>)[section]
  return issuesToFindings([{ ...issue, path: issue.path.slice(1) }], { value: inside, at: [section], place, known: Object.keys(sections[section].shape) })
}

function withDefaults(file: ConfigEntries): PlanConfig {
  const { limits, commit, rollback } = file
  const ms = (text: string | undefined, otherwise: Duration): Duration => (text === undefined ? undefined : parseDuration(text)) ?? otherwise
  return {
    limits: {
      steps: limits?.steps ?? defaultConfig.limits.steps,
      timeout: limits?.timeout === undefined ? undefined : parseDuration(limits.timeout),
      output: (limits?.output === undefined ? undefined : parseSize(limits.output)) ?? defaultConfig.limits.output,
      pauseEvery: limits?.pause_every ?? defaultConfig.limits.pauseEvery,
    },
    staleAfter: ms(file.stale_after, defaultConfig.staleAfter),
    stalledAfter: ms(file.stalled_after, defaultConfig.stalledAfter),
    commit: { subject: commit?.subject ?? defaultConfig.commit.subject },
    rollback: { automatic: rollback?.automatic ?? defaultConfig.rollback.automatic, keep: ms(rollback?.keep, defaultConfig.rollback.keep) },
    bases: file.bases ?? [],
  }
}

const entriesOf = (file: ConfigEntries): ConfigEntry[] =>
  defaultEntries.flatMap(({ name }) => {
    const value = name.split('.').reduce<unknown>((at, key) => (at === undefined ? undefined : (at as Record<string, unknown>)[key]), file)
    return value === undefined ? [] : [{ name, value: value as ConfigEntry['value'] }]
  })

/** A base that the configuration allows; `*` stands for any text without a slash. */
export const allowsBase = (config: PlanConfig, branch: string): boolean =>
  config.bases.length === 0 ||
  config.bases.some((pattern) =>
    new RegExp(
      `^${pattern
        .split('*')
        .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
        .join('[^/]*')}$`,
    ).test(branch),
  )
