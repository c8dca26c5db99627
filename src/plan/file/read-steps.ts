// Reads each entry of `steps`: finds its verb and validates it with that verb's schema.

import { uncompiled } from '../model/schema-types.ts'
import type { Finding } from '../model/finding.ts'
import { describeValue, issuesToFindings } from './issues.ts'
import { guess, suggest } from '../text/nearest.ts'
import { stepSynonyms } from './step-synonyms.ts'
import { commonStepKeys, commonStepSchema, stepKeys, stepSchema, verbNames } from './schema.ts'
import type { StepEntry } from './schema.ts'
import type { Verb } from '../model/verb.ts'
import { specOf, verbNamed, verbs } from '../verbs/index.ts'
import { isId } from '../model/ids.ts'
import type { FindPosition, Position } from './yaml.ts'

export interface ReadStep {
  readonly index: number
  /** The entry as in the file, validated or not. */
  readonly raw: Readonly<Record<string, unknown>>
  /** The following are set only if the entry is valid. */
  readonly verb?: Verb
  readonly entry?: StepEntry
  readonly spec?: unknown
  readonly derived?: { readonly id: string; readonly title: string }
}

export function readSteps(
  entries: readonly unknown[],
  position: FindPosition,
  hasPlanTest: boolean,
): { steps: ReadStep[]; findings: Finding[] } {
  const findings: Finding[] = []
  const steps = entries.map((entry, index): ReadStep => {
    // Only the first fifty findings are reported, so a hostile file must not cost more than a few.
    if (findings.length > 200) return { index, raw: {} }
    const read = readStep(entry, index, position, hasPlanTest)
    const id = read.step.raw.id
    findings.push(
      ...read.findings.map((finding) => (typeof id === 'string' && isId(id) ? { ...finding, step: id } : finding)),
    )
    return read.step
  })
  return { steps, findings }
}

function readStep(
  value: unknown,
  index: number,
  position: FindPosition,
  hasPlanTest: boolean,
): { step: ReadStep; findings: Finding[] } {
  const at = ['steps', index] as const
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return {
      step: { index, raw: {} },
      findings: [
        {
          rule: 'wrong-type',
          severity: 'error',
          message: `a step should be a map, not ${describeValue(value)}`,
          ...position(at),
          advice: 'such as `- run: npm test`',
        },
      ],
    }
  }
  const raw = value as Record<string, unknown>
  const [verb, second] = verbNames.filter((name) => Object.hasOwn(raw, name)).map((name) => verbNamed(name)!)
  if (!verb)
    return {
      step: { index, raw },
      findings: [...commonFindings(raw, index, position), ...missingVerbFindings(raw, index, position)],
    }
  if (second) {
    const message = `a step has exactly one verb, not ${verb.name} and ${second.name}`
    const later = Object.keys(raw).findLast((key) => key === verb.name || key === second.name)!
    return {
      step: { index, raw },
      findings: [
        ...commonFindings(raw, index, position),
        {
          rule: 'two-verbs',
          severity: 'error',
          message,
          ...position([...at, later], { key: true }),
          advice: 'split it into two steps',
        },
      ],
    }
  }

  const findings: Finding[] = []
  const judged = stepSchema(verb, raw).safeParse(raw, uncompiled)
  if (!judged.success)
    findings.push(
      ...issuesToFindings(judged.error.issues, {
        value: raw,
        at,
        position,
        known: stepKeys(verb),
        synonyms: stepSynonyms,
      }).map((finding) => withOwningVerb(finding, raw, verb)),
    )
  findings.push(...effectFindings(raw, index, position))
  if (needsPlanTest(raw.test) && !hasPlanTest) {
    findings.push({
      rule: 'missing-test',
      severity: 'error',
      message: `${raw.test === true ? '`test: true`' : '`test` without `run`'} needs a command in the \`test\` of the plan`,
      ...position([...at, 'test']),
      advice: 'add `test: COMMAND` at the top, or write the command here',
    })
  }
  if (!judged.success) return { step: { index, raw }, findings }
  const spec = specOf(verb, raw)
  const problem = verb.refine?.(spec)
  if (problem) {
    findings.push({
      rule: 'bad-value',
      severity: 'error',
      message: problem.message,
      ...position([...at, problem.key, ...(problem.below ?? [])], atLine(problem.line)),
    })
    return { step: { index, raw }, findings }
  }
  if (verb.scope !== undefined && raw.files !== undefined) {
    findings.push({
      rule: 'bad-value',
      severity: 'error',
      message: `\`files\` does not go with \`${verb.name}\``,
      ...position([...at, 'files'], { key: true }),
      advice: 'remove it: the files that the step may change are those of `over`',
    })
    return { step: { index, raw }, findings }
  }
  return { step: { index, raw, verb, entry: judged.data as StepEntry, spec, derived: verb.derive(spec) }, findings }
}

const atLine = (line: number | undefined): { key: true } | { within: Position } =>
  line === undefined ? { key: true } : { within: { line, column: 1 } }

const needsPlanTest = (test: unknown): boolean =>
  test === true || (typeof test === 'object' && test !== null && !Object.hasOwn(test, 'run'))

function commonFindings(raw: Record<string, unknown>, index: number, position: FindPosition): Finding[] {
  const judged = commonStepSchema(raw).safeParse(raw, uncompiled)
  return judged.success
    ? []
    : issuesToFindings(judged.error.issues, { value: raw, at: ['steps', index], position, known: commonStepKeys })
}

/** A misspelt verb is an unknown key. The verb is missing only if no key resembles one. */
function missingVerbFindings(raw: Record<string, unknown>, index: number, position: FindPosition): Finding[] {
  const known = new Set([...commonStepKeys, ...Object.values(verbs).flatMap((verb) => Object.keys(verb.shape))])
  const candidates = [...verbNames, ...known].filter((name, at, all) => all.indexOf(name) === at)
  let isMisspelt = false
  const findings = Object.keys(raw)
    .filter((key) => !known.has(key))
    .map((key): Finding => {
      if (verbNames.includes(guess(key, candidates, stepSynonyms) ?? '')) isMisspelt = true
      return {
        rule: 'unknown-key',
        severity: 'error',
        message: `unknown key ${describeValue(key)}`,
        ...position(['steps', index, key], { key: true }),
        advice: suggest(key, candidates, stepSynonyms),
      }
    })
  if (isMisspelt) return findings
  return [
    ...findings,
    {
      rule: 'missing-verb',
      severity: 'error',
      message: 'the step has no verb',
      ...position(['steps', index]),
      advice: `a step has exactly one of ${verbNames.join(', ')}`,
    },
  ]
}

/** Adds to the advice which verb a key belongs to. */
function withOwningVerb(finding: Finding, raw: Record<string, unknown>, verb: Verb): Finding {
  if (finding.rule !== 'unknown-key') return finding
  const key = /`(.*)`/.exec(finding.message)?.[1] ?? ''
  const owner = Object.hasOwn(raw, key)
    ? Object.values(verbs).find((other) => other !== verb && Object.hasOwn(other.shape, key))
    : undefined
  return owner
    ? {
        ...finding,
        advice: `\`${key}\` goes with \`${owner.name}\`, not with \`${verb.name}\`; ${finding.advice ?? ''}`,
      }
    : finding
}

function effectFindings(raw: Record<string, unknown>, index: number, position: FindPosition): Finding[] {
  if (raw.effect === 'external') return []
  return ['probe', 'undo', 'idempotent']
    .filter((key) => Object.hasOwn(raw, key))
    .map((key) => ({
      rule: 'effect-only',
      severity: 'error',
      message: `\`${key}\` is for external effects`,
      ...position(['steps', index, key], { key: true }),
      advice: 'add `effect: external`, or remove it',
    }))
}
