// A plan file that is written plainly → Plan, without the parsers and schemas of parse.ts, which take longer to load than all else that a
// reader does. Undefined where anything is wrong or unusual: then parse.ts is asked, and it alone knows what to say. What is answered here is
// what parse.ts would answer; test/unit/plan/plain-plan.test.ts holds one against the other.

import { digestOf, type Tail } from './digest.ts'
import { wavesOf } from './graph.ts'
import { nameSteps, toPlan, toStep, type NamedStep } from './make-plan.ts'
import type { PlanOrigin, PlanOutline } from './parse.ts'
import { isCommand, isFlag, isListOf, isMap, isOneOf, isPath, isRuleName, isText, isWithout, isWords, keepsTable, type Judge, type Table } from './plain.ts'
import { readPlainYaml } from './plain-yaml.ts'
import { maxSteps, planStatuses, riskLevels, stepStatuses, type Plan } from './plan.ts'
import type { ReadStep } from './read-steps.ts'
import { branchProblem, globProblem } from './repo-path.ts'
import type { PlanEntry } from './schema.ts'
import { parseSize, regexProblem, titleProblem, toolProblem, variableProblem } from './text-problems.ts'
import { isId, parseDuration } from './values.ts'
import { specOf, verbNamed } from './verbs/index.ts'

/** Half of what split.ts allows: state is written into it, and the longest plans are not worth the trouble. */
const maxBytes = 512 * 1024

export const plainPlan = (bytes: Uint8Array, origin: PlanOrigin): Plan | undefined => readPlainly(bytes, origin)?.plan

export function readPlainly(bytes: Uint8Array, origin: PlanOrigin): { readonly plan: Plan; readonly source: PlanOutline } | undefined {
  const split = plainSplit(bytes)
  const yaml = split === undefined ? undefined : readPlainYaml(split.matter)
  if (split === undefined || yaml === undefined) return undefined
  const { value } = yaml
  if (!keepsTable(value, planTable) || !Array.isArray(value['steps'])) return undefined
  const given = value['plan']
  if (origin.id !== undefined && given !== undefined && given !== origin.id) return undefined
  const tail = plainTail(Object.keys(value), yaml.starts, split)
  if (tail === 'elsewhere') return undefined

  const hasTest = value['test'] !== undefined
  const steps = value['steps'].map((entry, index) => plainStep(entry, index, hasTest))
  if (!steps.every((step) => step !== undefined)) return undefined
  const named = nameSteps(steps)
  const waves = plainWaves(named)
  const entry = value as unknown as PlanEntry
  if (waves === undefined || !Object.keys(entry.state ?? {}).every((id) => waves.has(id))) return undefined
  const plan = toPlan(
    entry,
    split,
    origin,
    named.map((step) => toStep(step, waves.get(step.id) ?? 0, entry.test)),
    digestOf(split.text, tail),
  )
  const lacks = (key: string): boolean => value[key] === undefined
  const source = {
    origin,
    text: split.text,
    eol: '\n' as const,
    matterStart: split.matterStart,
    matterEnd: split.matterEnd,
    tail,
    derived: { plan: lacks('plan'), title: lacks('title'), base: lacks('base') },
    steps: (yaml.items.get('steps') ?? []).map(({ start, indent }, index) => ({
      start: split.matterStart + start,
      flow: false,
      column: indent + 1,
      derived: { id: named[index]?.raw.id === undefined, title: named[index]?.raw.title === undefined },
    })),
  }
  return { plan, source }
}

interface PlainSplit {
  readonly text: string
  readonly matter: string
  readonly matterStart: number
  readonly matterEnd: number
  readonly prose: string
}

// One for all: it takes longer to make than to use.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Between two lines `---` that end with a line feed. No other line of the front matter begins so: then gray-matter splits it in the same place. */
function plainSplit(bytes: Uint8Array): PlainSplit | undefined {
  if (bytes.byteLength > maxBytes || bytes.includes(0)) return undefined
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return undefined
  }
  const matterStart = 4
  if (!text.startsWith('---\n')) return undefined
  const matterEnd = text.indexOf('\n---') + 1
  if (matterEnd <= matterStart) return undefined
  const after = text[matterEnd + 3]
  if (after !== undefined && after !== '\n') return undefined
  return { text, matter: text.slice(matterStart, matterEnd), matterStart, matterEnd, prose: text.slice(matterEnd + 4) }
}

/** `status`, and `state` behind it, are the last keys. */
function plainTail(keys: readonly string[], starts: ReadonlyMap<string, number>, split: PlainSplit): Tail | undefined | 'elsewhere' {
  const status = keys.indexOf('status')
  const state = keys.indexOf('state')
  if (status < 0) return state < 0 ? undefined : 'elsewhere'
  const isLast = state < 0 ? status === keys.length - 1 : state === keys.length - 1 && status === state - 1
  const start = starts.get('status')
  return isLast && start !== undefined ? { start: split.matterStart + start, end: split.matterEnd } : 'elsewhere'
}

function plainStep(value: unknown, index: number, hasPlanTest: boolean): ReadStep | undefined {
  if (!isMap(value)) return undefined
  const keys = Object.keys(value)
  const verb = verbNamed(keys.find((key) => verbNamed(key) !== undefined) ?? '')
  if (verb === undefined) return undefined
  for (const key of keys) {
    const isOwn = Object.hasOwn(verb.shape, key)
    const judge = Object.hasOwn(stepTable, key) ? stepTable[key] : undefined
    // A key of both would be for the schema to settle; one of neither may be a second verb, or unknown.
    if (isOwn ? judge !== undefined : judge?.(value[key]) !== true) return undefined
  }
  if (value['test'] === true && !hasPlanTest) return undefined
  if (value['effect'] !== 'external' && ['probe', 'undo', 'idempotent'].some((key) => Object.hasOwn(value, key))) return undefined
  const spec = specOf(verb, value)
  if (verb.accepts?.(spec) !== true || verb.refine?.(spec) !== undefined) return undefined
  const isNamed = value['id'] !== undefined && value['title'] !== undefined
  return { index, raw: value, verb, entry: value, spec, ...(isNamed ? {} : { derived: verb.derive(spec) }) }
}

/** Undefined where ids and needs are not as they should be. */
function plainWaves(steps: readonly NamedStep[]): ReadonlyMap<string, number> | undefined {
  const inOrder = wavesInOrder(steps)
  if (inOrder !== undefined) return inOrder
  const ids = new Set(steps.map(({ id }) => id))
  if (ids.size !== steps.length || !steps.every(({ id, needs }) => needs.every((need) => need !== id && ids.has(need)))) return undefined
  const result = wavesOf(steps)
  return result.ok ? result.waves : undefined
}

/** Where each needs only steps above it, as nearly always: one pass. */
function wavesInOrder(steps: readonly NamedStep[]): ReadonlyMap<string, number> | undefined {
  const waves = new Map<string, number>()
  for (const { id, needs } of steps) {
    let wave = 0
    for (const need of needs) {
      const above = waves.get(need)
      if (above === undefined) return undefined
      wave = Math.max(wave, above + 1)
    }
    if (waves.has(id)) return undefined
    waves.set(id, wave)
  }
  return waves
}

const isDuration = isWithout((text) => (parseDuration(text) === undefined ? 'not one' : undefined))
const isSize = isWithout((text) => (parseSize(text) === undefined ? 'not one' : undefined))
const isGlob = isWithout(globProblem)
const isIdText = isWithout((text) => (isId(text) ? undefined : 'not one'))
const isTitle = isWithout(titleProblem)
const listOf =
  (judge: Judge, limits?: { min?: number; max?: number }): Judge =>
  (value) =>
    isListOf(value, judge, limits)

const isInFile: Judge = (value) =>
  isMap(value) && Object.keys(value).length === 2 && isPath(value['file']) && isWithout((text) => regexProblem(text, 'mu'))(value['pattern'])
const checkTable: Table = { run: isCommand, exists: isPath, absent: isPath, contains: isInFile, lacks: isInFile }
const isCheck: Judge = (value) => isCommand(value) || (isMap(value) && Object.keys(value).length === 1 && keepsTable(value, checkTable))
const isChecks: Judge = (value) => isCheck(value) || isListOf(value, isCheck)
const isCriterion: Judge = (value) => isWords(value) || (isMap(value) && isWords(value['text']) && keepsTable(value, { text: isWords, verify: isChecks }))
const isEnv: Judge = (value) => isMap(value) && Object.entries(value).every(([name, text]) => isText(text) && variableProblem(name) === undefined)
const isState: Judge = (value) => isMap(value) && Object.values(value).every(isOneOf(stepStatuses))

/** The keys of planShape in schema.ts. One that is missing here costs time and nothing else. */
const planTable: Table = {
  version: (value) => value === 1,
  plan: isIdText,
  title: isTitle,
  base: isWithout(branchProblem),
  request: isWords,
  meta: isMap,
  context: listOf(isPath),
  requires: listOf(isWithout(toolProblem)),
  setup: isCommand,
  setup_inputs: listOf(isGlob),
  preflight: (value) => isCommand(value) || isListOf(value, isCommand),
  test: isCommand,
  on_failure: isOneOf(['stop', 'rollback-all']),
  steps: (value) => isListOf(value, isMap, { min: 1, max: maxSteps }),
  verify: isChecks,
  status: isOneOf(planStatuses),
  state: isState,
}

/** The keys of stepShape in common.ts. */
const stepTable: Table = {
  id: isIdText,
  title: isTitle,
  needs: listOf(isIdText, { max: 1000 }),
  files: listOf(isGlob, { min: 1 }),
  changes: isOneOf(['any', 'none', 'some']),
  verify: isChecks,
  criteria: listOf(isCriterion),
  test: (value) => value === true || isCommand(value),
  timeout: isDuration,
  retries: (value) => typeof value === 'number' && value >= 0 && value <= 10,
  limits: (value) => isMap(value) && keepsTable(value, { memory: isSize, cpu: isDuration, output: isSize }),
  env: isEnv,
  secrets: listOf(isWithout(variableProblem)),
  effect: isOneOf(['tree', 'external']),
  idempotent: isFlag,
  probe: isCommand,
  undo: isCommand,
  owner: isWords,
  phase: isOneOf(['design', 'implementation']),
  pause: isFlag,
  allow: listOf(isRuleName, { min: 1, max: 50 }),
  allow_failure: isFlag,
  meta: isMap,
  risk: isOneOf(riskLevels),
}
