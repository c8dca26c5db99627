// Reads .plans/config.yml: bytes to the configuration, or findings. It accepts only keys that have an effect today: a
// policy that is not enforced must not look as if it were.

import * as z from 'zod/mini'
import {
  between,
  command,
  duration,
  flag,
  textWithout,
  listOf,
  makeSchemas,
  namesIn,
  repoGlob,
  size,
  uncompiled,
  words,
} from '../model/schema-types.ts'
import {
  entriesOf,
  finishModes,
  forgeKinds,
  isBasePattern,
  maxConfigBytes as maxBytes,
  requirements,
  validations,
  withDefaults,
  withoutPlan,
  type ConfigResult,
  type Validation,
} from './config.ts'
import type { Finding } from '../model/finding.ts'
import { issuesToFindings } from '../file/issues.ts'
import { approvalSchemas } from './parse-approval.ts'
import { agentNameProblem } from '../agents/names.ts'
import { subjectProblem } from '../file/text-problems.ts'
import { notifySchema } from './read-notify.ts'
import { readYaml } from '../file/yaml.ts'
import type { FindPosition } from '../file/yaml.ts'

/** Sections with fixed keys. Each is a function that makes its schema, since most configurations use few of them. */
const sections = {
  approval: () => approvalSchemas().approval,
  limits: () =>
    z.strictObject({
      steps: z.optional(between(1, 1000)),
      timeout: z.optional(duration),
      plan_timeout: z.optional(duration),
      output: z.optional(size),
      pause_every: z.optional(between(0, 1000)),
      jobs: z.optional(between(1, 999)),
    }),
  commit: () => z.strictObject({ subject: z.optional(textWithout(subjectProblem)) }),
  rollback: () => z.strictObject({ automatic: z.optional(flag), keep: z.optional(duration) }),
  finish: () =>
    z
      .strictObject({ mode: z.optional(z.enum(finishModes)), plan_file: z.optional(z.enum(['keep', 'drop'])) })
      .check(
        z.refine(
          ({ mode, plan_file: file }) => mode !== 'ff' || file !== 'drop',
          'a fast-forward cannot drop the plan file',
        ),
      ),
  risk: () => z.strictObject({ critical: z.optional(listOf(repoGlob, { most: 100 })) }),
  guard: () =>
    z.strictObject({ tools: z.optional(listOf(words, { most: 100 })), without_plan: z.optional(z.enum(withoutPlan)) }),
  notify: notifySchema,
  validation: () =>
    z.strictObject(
      Object.fromEntries(validations.map((name) => [name, z.optional(flag)])) as Record<
        Validation,
        z.ZodMiniOptional<typeof flag>
      >,
    ),
}

const base = () => z.string().check(z.refine(isBasePattern, 'not a branch name, or a pattern such as release/*'))
const host = () =>
  words.check(
    z.refine((text) => /^[a-z0-9.-]+(:\d{1,5})?$/.test(text), 'not the name of a host, such as git.example.com'),
  )
const address = () =>
  words.check(
    z.refine((text) => /^https?:\/\/[^\s/@]+(\/\S*)?$/.test(text), 'not a URL such as https://git.example.com/api/v4'),
  )

function safety() {
  const examples = z.optional(listOf(command, { most: 100 }))
  return z.strictObject({
    tool: words,
    read: listOf(words, { least: 1, most: 100 }),
    examples: z.optional(z.strictObject({ read: examples, write: examples })),
  })
}

const configShape = {
  version: () => z.optional(z.literal(1)),
  limits: () => z.optional(sections.limits()),
  stale_after: () => z.optional(duration),
  stalled_after: () => z.optional(duration),
  commit: () => z.optional(sections.commit()),
  rollback: () => z.optional(sections.rollback()),
  finish: () => z.optional(sections.finish()),
  cache: () => z.optional(flag),
  bases: () => z.optional(listOf(z.intersection(base(), words), { most: 100 })),
  require: () => z.optional(listOf(z.enum(requirements), { most: requirements.length })),
  risk: () => z.optional(sections.risk()),
  validation: () => z.optional(sections.validation()),
  safety: () => z.optional(listOf(safety(), { most: 100 })),
  agents: () => z.optional(z.record(textWithout(agentNameProblem), command)),
  guard: () => z.optional(sections.guard()),
  notify: () => z.optional(sections.notify()),
  approval: () => z.optional(sections.approval()),
  teams: () => z.optional(approvalSchemas().teams),
  campaigns: () => z.optional(approvalSchemas().campaigns),
  forges: () => z.optional(z.record(host(), z.strictObject({ kind: z.enum(forgeKinds), api: z.optional(address()) }))),
}

const maxFindings = 50

export function readConfig(bytes: Uint8Array, file: string): ConfigResult {
  const refused = (findings: readonly Finding[]): ConfigResult => ({
    ok: false,
    findings: findings.slice(0, maxFindings).map((finding) => ({ ...finding, file })),
  })
  if (bytes.byteLength > maxBytes)
    return refused([
      {
        rule: 'too-large',
        severity: 'error',
        message: `the file has ${bytes.byteLength} bytes; at most ${maxBytes} are read`,
        line: 1,
        column: 1,
      },
    ])
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return refused([
      { rule: 'bad-encoding', severity: 'error', message: 'the file is not valid UTF-8', line: 1, column: 1 },
    ])
  }
  const read = readYaml(text, { offset: 0, line: 0 })
  if (!read.ok) return refused(read.findings)
  const value = read.yaml.value ?? {}
  const schema = z.strictObject(makeSchemas(configShape, namesIn(configShape, value)))
  const parsed = schema.safeParse(value, { ...uncompiled, reportInput: true })
  const issues = parsed.success ? [] : parsed.error.issues
  if (!parsed.success || read.findings.length > 0)
    return refused([...read.findings, ...issues.flatMap((issue) => findingsOf(issue, value, read.yaml.position))])
  return { ok: true, config: withDefaults(parsed.data), entries: entriesOf(parsed.data) }
}

/** Reports an issue inside a section with that section's keys, not the top-level ones. */
function findingsOf(issue: z.core.$ZodIssue, value: unknown, position: FindPosition): Finding[] {
  const name = issue.path[0]
  const section = Object.hasOwn(sections, name ?? '') ? (name as keyof typeof sections) : undefined
  if (section === undefined)
    return issuesToFindings([issue], { value, at: [], position, known: Object.keys(configShape) })
  const inside = (value as Record<string, unknown>)[section]
  return issuesToFindings([{ ...issue, path: issue.path.slice(1) }], {
    value: inside,
    at: [section],
    position,
    known: Object.keys(sections[section]().shape),
  })
}
