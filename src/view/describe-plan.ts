// Describes everything that a plan would run, as lines for the person who approves it. All text of the author is
// escaped.

import { escapeForTerminal } from '../plan/text/display.ts'
import type { Check, Plan, Step } from '../plan/model/plan.ts'
import { describeCheck } from '../plan/model/describe-check.ts'
import { paramText, type Params } from '../plan/model/params.ts'
import { sourceEntryText } from '../plan/model/source-entry.ts'

export type DescribedStep = Pick<
  Step,
  | 'spec'
  | 'files'
  | 'changes'
  | 'verify'
  | 'criteria'
  | 'test'
  | 'counted'
  | 'timeout'
  | 'retries'
  | 'limits'
  | 'env'
  | 'params'
  | 'secrets'
  | 'idempotent'
  | 'probe'
  | 'undo'
  | 'pause'
  | 'allow'
  | 'allowFailure'
  | 'uses'
  | 'alone'
  | 'cache'
  | 'goal'
  | 'deliverables'
  | 'context'
  | 'notes'
  | 'owner'
  | 'phase'
  | 'meta'
>
export type DescribedPlan = Pick<
  Plan,
  'params' | 'requires' | 'tools' | 'setup' | 'setupInputs' | 'preflight' | 'test' | 'counted' | 'verify' | 'onFailure'
>

/** Keys that nothing runs: the background of the plan, for its readers. */
export type PlanBackground = Pick<
  Plan,
  'request' | 'goal' | 'owner' | 'deliverables' | 'context' | 'notes' | 'meta' | 'sources'
>

/** Keys whose value is file content. Commands are never shortened. */
const fileTexts = new Set(['content', 'with', 'replace', 'insert', 'append', 'diff', 'patch'])

/** `most`: number of lines of file content to show, followed by a count of the rest; default: all. */
export function stepDetails(step: DescribedStep, options: { most?: number } = {}): string[] {
  return [
    ...ofKeys(step.spec as object, options.most),
    ...optional('goal', step.goal),
    ...optional('owner', step.owner),
    ...optional('phase', step.phase),
    ...list('deliverables', step.deliverables),
    ...list('context', step.context),
    ...optional('notes', step.notes),
    ...optional('meta', metaText(step.meta)),
    ...checks('verify', step.verify),
    ...step.criteria.flatMap(({ text, verify }) => [
      ...detail('criterion', text),
      ...(verify.length === 0 ? ['  (nothing checks it)'] : checks('verify', verify).map((line) => `  ${line}`)),
    ]),
    ...testLines(step),
    ...optional('probe', step.probe),
    ...optional('undo', step.undo),
    ...Object.entries(step.env).flatMap(([name, value]) => detail('env', `${name}=${value}`)),
    ...paramLines(step.params),
    ...list('secrets', step.secrets),
    ...list('files', step.files ?? []),
    ...(step.changes === 'any' ? [] : [`changes: ${step.changes}`]),
    ...(step.timeout === undefined ? [] : [`timeout: ${time(step.timeout)}`]),
    ...(step.retries === 0 ? [] : [`retries: ${step.retries}`]),
    ...limits(step.limits),
    ...(step.idempotent ? ['idempotent: its effect may be repeated'] : []),
    ...(step.pause ? ['pause: waits for you after it'] : []),
    ...(step.allow.length === 0 ? [] : [`allow: ${step.allow.join(', ')}, which check would otherwise refuse`]),
    ...(step.uses.length === 0 ? [] : [`uses: ${step.uses.join(', ')} (not beside another step that uses it)`]),
    ...(step.alone ? ['alone: no other step runs at the same time'] : []),
    ...(step.cache === undefined ? [] : [`cache: ${cacheText(step.cache)}`]),
    ...(step.allowFailure ? ['allow_failure: the plan continues if it fails'] : []),
  ]
}

export const planBackground = (plan: PlanBackground): string[] => [
  ...optional('goal', plan.goal),
  ...optional('request', plan.request),
  ...optional('owner', plan.owner),
  ...list('deliverables', plan.deliverables),
  ...list('context', plan.context),
  ...optional('notes', plan.notes),
  ...optional('meta', metaText(plan.meta)),
  ...plan.sources.flatMap((source) => detail('source', sourceEntryText(source))),
]

/** `ticket: OPS-118, team: platform`; undefined for an empty map. */
export const metaText = (meta: Readonly<Record<string, unknown>>): string | undefined =>
  Object.entries(meta)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ') || undefined

/** Commands before the first step, in order. */
export const planBefore = (plan: DescribedPlan): string[] => [
  ...paramLines(plan.params),
  ...list('requires', plan.requires),
  ...list('tools', plan.tools ?? []),
  ...optional('setup', plan.setup),
  ...list('setup_inputs', plan.setupInputs ?? []),
  ...plan.preflight.flatMap((command) => detail('preflight', command)),
]

/** Commands after steps with `test: true`, after the last step, and the reaction to a failure. */
export const planAfterwards = (plan: DescribedPlan): string[] => [
  ...testLines(plan),
  ...checks('verify', plan.verify),
  ...(plan.onFailure === 'stop' ? [] : [`on_failure: ${plan.onFailure}`]),
]

const testLines = ({ test, counted }: Pick<Step, 'test' | 'counted'>): string[] => [
  ...optional('test', test),
  ...(counted === undefined
    ? []
    : [
        `  counted (${counted.format ?? 'any format'}${counted.report === undefined ? '' : ` in ${escapeForTerminal(counted.report)}`}), scope: ${counted.scope === '' ? 'all tests' : escapeForTerminal(counted.scope)}`,
      ]),
]

const optional = (key: string, text: string | undefined): string[] => (text === undefined ? [] : detail(key, text))
const paramLines = (params: Params): string[] =>
  Object.entries(params).flatMap(([name, value]) => detail(`parameter ${name}`, paramText(value)))
const list = (key: string, values: readonly string[]): string[] =>
  values.length === 0 ? [] : [`${key}: ${escapeForTerminal(values.join(', '))}`]
const checks = (key: string, all: readonly Check[]): string[] =>
  all.flatMap((check) => detail(check.kind === 'run' ? `${key}: run` : key, describeCheck(check)))

function detail(key: string, text: string, most = Number.POSITIVE_INFINITY): string[] {
  const lines = text.replace(/\n$/, '').split('\n')
  const name = escapeForTerminal(key)
  if (lines.length === 1) return [`${name}: ${escapeForTerminal(lines[0] ?? '')}`]
  const rest = lines.length - most
  return [
    `${name}:`,
    ...lines.slice(0, most).map((line) => `  ${shownLine(line)}`),
    ...(rest > 0 ? [`  … ${rest} more ${rest === 1 ? 'line' : 'lines'}`] : []),
  ]
}

const ofKeys = (keys: object, most: number | undefined): string[] =>
  Object.entries(keys).flatMap(([key, value]) => ofKey(key, value, fileTexts.has(key) ? most : undefined, most))

/** A map, and each map of a list, is shown key by key. */
function ofKey(key: string, value: unknown, most: number | undefined, mostBelow: number | undefined): string[] {
  if (value === undefined) return []
  if (typeof value === 'string') return detail(key, value, most)
  if (Array.isArray(value) && value.some((each) => typeof each === 'object'))
    return value.flatMap((each, index) => ofKey(`${key} ${index + 1}`, each, most, mostBelow))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return detail(key, JSON.stringify(value))
  return [`${escapeForTerminal(key)}:`, ...ofKeys(value, mostBelow).map((line) => `  ${line}`)]
}

/** Tabs are harmless here. */
const shownLine = (line: string): string => escapeForTerminal(line, { multiline: true })

const cacheText = ({ inputs, versions }: NonNullable<Step['cache']>): string =>
  escapeForTerminal(
    [
      inputs === undefined ? 'not run again with the same files' : `not run again with the same ${inputs.join(', ')}`,
      ...(versions.length === 0 ? [] : [`versions of ${versions.join(', ')}`]),
    ].join(' and '),
  )

function limits({ memory, cpu, output }: Step['limits']): string[] {
  const given = [
    memory === undefined ? [] : [`memory ${memory} bytes`],
    cpu === undefined ? [] : [`cpu ${time(cpu)}`],
    output === undefined ? [] : [`output ${output} bytes`],
  ].flat()
  return given.length === 0 ? [] : [`limits: ${given.join(', ')}`]
}

function time(ms: number): string {
  const parts = (
    [
      ['h', 3_600_000],
      ['m', 60_000],
      ['s', 1000],
      ['ms', 1],
    ] as const
  ).map(([unit, size], index, all) => {
    const above = all[index - 1]?.[1]
    return [Math.floor((above === undefined ? ms : ms % above) / size), unit] as const
  })
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount}${unit}`)
    .join('')
}
