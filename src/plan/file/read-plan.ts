// Reads a plan file: bytes to a Plan, or all findings at once with line and column, in file order.

import { uncompiled } from '../model/schema-types.ts'
import { digestOf } from './digest.ts'
import type { Tail } from './digest.ts'
import type { Finding } from '../model/finding.ts'
import { findGraphProblems, waveMap } from '../graph/needs.ts'
import { describeValue, issuesToFindings } from './issues.ts'
import { nameSteps, toPlan, toStep, type NamedStep } from './make-plan.ts'
import { restOf } from './valid-rest.ts'
import { maxSteps } from '../model/plan.ts'
import type { Plan } from '../model/plan.ts'
import { readSteps } from './read-steps.ts'
import { planKeys, planSchema } from './schema.ts'
import type { PlanEntry } from './schema.ts'
import { splitPlanFile } from './split.ts'
import type { Split } from './split.ts'
import { findTail } from './status-block.ts'
import { isId, stepId } from '../model/ids.ts'
import type { StepId } from '../model/ids.ts'
import { readYaml } from './yaml.ts'
import type { FindPosition, Span, YamlValue } from './yaml.ts'

/** Facts about the file besides its bytes. */
export interface PlanOrigin {
  readonly file: string
  /** Set if the plan is read from its branch; the id in the file must agree. */
  readonly id?: string | undefined
  /** The title, if it was given with the file; one in the file must agree. */
  readonly title?: string | undefined
  /** Base branch to use if the file does not name one. */
  readonly base?: string
}

/** The file as text, with the offsets of the status block. Offsets are in characters of `text`. */
export interface PlanText {
  readonly origin: PlanOrigin
  readonly text: string
  readonly eol: '\n' | '\r\n'
  readonly matterEnd: number
  readonly tail: Tail | undefined
  /** Line and column of a path such as `['steps', 2, 'run']`. The library exposes the name `place`. */
  readonly place: FindPosition
}

/** Adds the positions that writing derived values needs. */
export interface PlanSource extends PlanText {
  readonly matterStart: number
  /** Span of the value of the key `plan`. */
  readonly planValue: Span | undefined
  /** True for each of these keys that the file omits. */
  readonly derived: { readonly plan: boolean; readonly title: boolean; readonly base: boolean }
  readonly steps: readonly StepSource[]
}

export interface StepSource {
  readonly id: StepId
  readonly line: number
  readonly column: number
  /** Offset of its first key, or of its opening brace. */
  readonly start: number
  readonly flow: boolean
  readonly derived: { readonly id: boolean; readonly title: boolean }
}

export type ReadPlan =
  | { readonly ok: true; readonly plan: Plan; readonly source: PlanSource }
  | {
      readonly ok: false
      readonly findings: Finding[]
      /** The parts that are valid, with a manual step for each that is not: for rules that find more mistakes. */
      readonly rest?: { readonly plan: Plan; readonly source: PlanText }
    }

const maxFindings = 50

export function readPlan(bytes: Uint8Array, origin: PlanOrigin): ReadPlan {
  const refused = (findings: readonly Finding[]): Extract<ReadPlan, { ok: false }> => ({
    ok: false,
    findings: inOrder(findings)
      .slice(0, maxFindings)
      .map((finding) => ({ ...finding, file: origin.file })),
  })

  const cut = splitPlanFile(bytes)
  if (!cut.ok) return refused(cut.findings)
  const { split } = cut
  const read = readYaml(split.matter, { offset: split.matterStart, line: 1 })
  if (!read.ok) return refused(read.findings)
  const { yaml } = read
  if (yaml.value === null)
    return refused([
      ...read.findings,
      {
        rule: 'missing-key',
        severity: 'error',
        message: '`steps` is missing: the front matter is empty',
        line: 1,
        column: 1,
        advice: 'a plan has a list of steps, such as `- run: npm test`',
      },
    ])
  if (!isRecord(yaml.value))
    return refused([
      ...read.findings,
      {
        rule: 'wrong-type',
        severity: 'error',
        message: `the front matter should be a map, not ${describeValue(yaml.value)}`,
        ...yaml.position([]),
      },
    ])

  const findings: Finding[] = [...read.findings]
  const judged = planSchema(yaml.value).safeParse(yaml.value, uncompiled)
  if (!judged.success)
    findings.push(
      ...issuesToFindings(judged.error.issues, { value: yaml.value, at: [], position: yaml.position, known: planKeys }),
    )
  const tail = findTail(split, yaml)
  findings.push(...tail.findings)
  findings.push(...originFindings(yaml, origin))

  const entries = Array.isArray(yaml.value.steps) && yaml.value.steps.length <= maxSteps ? yaml.value.steps : []
  const steps = readSteps(entries, yaml.position, yaml.value.test !== undefined)
  findings.push(...steps.findings)
  const named = nameSteps(steps.steps)
  findings.push(...findGraphProblems(named, steps.findings.length === 0, yaml.position))
  if (judged.success) findings.push(...stateFindings(judged.data, named, yaml.position))
  if (findings.length > 0 || !judged.success) {
    const { value } = yaml as { value: Record<string, unknown> }
    return {
      ...refused(findings),
      // Lazy: only `check` needs it.
      get rest() {
        const plan = restOf(value, named, split, origin)
        return { plan, source: toSource(split, yaml, origin, tail.tail, named) }
      },
    }
  }

  const entry = judged.data
  const waves = waveMap(named)
  const plan = toPlan(
    entry,
    split,
    origin,
    named.map((step) => toStep(step, waves.get(step.id) ?? 0, entry.test)),
    digestOf(split.text, tail.tail),
  )
  return { ok: true, plan, source: toSource(split, yaml, origin, tail.tail, named) }
}

function originFindings(yaml: YamlValue, origin: PlanOrigin): Finding[] {
  const given = isRecord(yaml.value) ? yaml.value : {}
  return (['plan', 'title'] as const).flatMap((key): Finding[] => {
    const [there, wanted] = [given[key], key === 'plan' ? origin.id : origin.title]
    if (wanted === undefined || typeof there !== 'string' || there === wanted) return []
    if (key === 'plan' && !isId(there)) return []
    return [
      {
        rule: `${key}-mismatch`,
        severity: 'error',
        message:
          key === 'plan'
            ? `the file says that it is the plan ${there}, but it was read as ${wanted}`
            : `the file has the title ${describeValue(there)}, not ${describeValue(wanted)}`,
        ...yaml.position([key]),
        advice: `write \`${key}: ${wanted}\`, or leave it out`,
      },
    ]
  })
}

function stateFindings(entry: PlanEntry, steps: readonly NamedStep[], position: FindPosition): Finding[] {
  const ids = new Set(steps.map((step) => step.id))
  const unknown = Object.keys(entry.state ?? {}).filter((id) => !ids.has(id))
  return unknown.slice(0, maxFindings).map((id) => ({
    rule: 'unknown-step',
    severity: 'error',
    message: `the state names a step that is not in the plan: \`${isId(id) ? id : '…'}\``,
    ...position(['state', id], { key: true }),
  }))
}

function toSource(
  split: Split,
  yaml: YamlValue,
  origin: PlanOrigin,
  tail: Tail | undefined,
  steps: readonly NamedStep[],
): PlanSource {
  const lacks = (key: string): boolean => isRecord(yaml.value) && yaml.value[key] === undefined
  return {
    origin,
    text: split.text,
    eol: split.eol,
    matterStart: split.matterStart,
    matterEnd: split.matterEnd,
    tail,
    planValue: yaml.span(['plan']),
    derived: { plan: lacks('plan'), title: lacks('title'), base: lacks('base') },
    // Lazy: only writing the file needs it, and `list` reads many plans.
    get steps() {
      return steps.map((step, index) => {
        const span = yaml.span(['steps', index])
        return {
          id: stepId(step.id),
          start: span?.start ?? 0,
          flow: span?.flow ?? false,
          ...yaml.position(['steps', index]),
          derived: { id: step.raw.id === undefined, title: step.raw.title === undefined },
        }
      })
    },
    place: yaml.position,
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function inOrder(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>()
  const once = findings.filter((finding) => {
    const key = `${finding.line}:${finding.column}:${finding.rule}:${finding.message}`
    return !seen.has(key) && seen.add(key)
  })
  return once.toSorted(
    (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0) || a.rule.localeCompare(b.rule, 'en'),
  )
}
