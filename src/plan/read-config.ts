// Bytes of .plans/config.yml → the configuration, or findings. Strict, and only with the keys that do something today: a policy that is not enforced must not look as if it were.

import * as z from 'zod'
import { command, duration, flag, repoGlob, size, uncompiled, words } from './common.ts'
import {
  entriesOf,
  forgeKinds,
  isBasePattern,
  maxConfigBytes as maxBytes,
  requirements,
  validations,
  withDefaults,
  type ConfigResult,
  type Validation,
} from './config.ts'
import type { Finding } from './finding.ts'
import { issuesToFindings } from './issues.ts'
import { approvalSchemas } from './parse-approval.ts'
import { subjectProblem } from './text-problems.ts'
import { readYaml } from './yaml.ts'
import type { FindPlace } from './yaml.ts'

/** Made when there is a configuration to judge. */
function configSchemas() {
  const subject = z.string().superRefine((text, context) => {
    const message = subjectProblem(text)
    if (message) context.addIssue({ code: 'custom', message })
  })
  const base = z.string().refine((text) => isBasePattern(text), { message: 'not a branch name, or a pattern such as release/*' })
  const { approval, teams } = approvalSchemas()
  const sections = {
    approval,
    limits: z.strictObject({
      steps: z.int().min(1).max(1000).optional(),
      timeout: duration.optional(),
      output: size.optional(),
      pause_every: z.int().min(0).max(1000).optional(),
    }),
    commit: z.strictObject({ subject: subject.optional() }),
    rollback: z.strictObject({ automatic: flag.optional(), keep: duration.optional() }),
    risk: z.strictObject({ critical: z.array(repoGlob).max(100).optional() }),
    validation: z.strictObject(Object.fromEntries(validations.map((name) => [name, flag.optional()])) as Record<Validation, z.ZodOptional<typeof flag>>),
  }
  const host = words.refine((text) => /^[a-z0-9.-]+(:\d{1,5})?$/.test(text), { message: 'not the name of a host, such as git.example.com' })
  const address = words.refine((text) => /^https?:\/\/[^\s/@]+(\/\S*)?$/.test(text), { message: 'not an address such as https://git.example.com/api/v4' })
  const examples = z.array(command).max(100).optional()
  const safety = z.strictObject({
    tool: words,
    read: z.array(words).min(1).max(100),
    examples: z.strictObject({ read: examples, write: examples }).optional(),
  })
  const whole = z.strictObject({
    version: z.literal(1).optional(),
    limits: sections.limits.optional(),
    stale_after: duration.optional(),
    stalled_after: duration.optional(),
    commit: sections.commit.optional(),
    rollback: sections.rollback.optional(),
    bases: z.array(base.and(words)).max(100).optional(),
    require: z.array(z.enum(requirements)).max(requirements.length).optional(),
    risk: sections.risk.optional(),
    validation: sections.validation.optional(),
    safety: z.array(safety).max(100).optional(),
    approval: approval.optional(),
    teams: teams.optional(),
    forges: z.record(host, z.strictObject({ kind: z.enum(forgeKinds), api: address.optional() })).optional(),
  })
  return { whole, sections }
}
type ConfigSchemas = ReturnType<typeof configSchemas>

const maxFindings = 50

export function readConfig(bytes: Uint8Array, file: string): ConfigResult {
  const refused = (findings: readonly Finding[]): ConfigResult => ({
    ok: false,
    findings: findings.slice(0, maxFindings).map((finding) => ({ ...finding, file })),
  })
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
  const section = Object.hasOwn(sections, name ?? '') ? (name as keyof typeof sections) : undefined
  if (section === undefined) return issuesToFindings([issue], { value, at: [], place, known: Object.keys(whole.shape) })
  const inside = (value as Record<string, unknown>)[section]
  return issuesToFindings([{ ...issue, path: issue.path.slice(1) }], { value: inside, at: [section], place, known: Object.keys(sections[section].shape) })
}
