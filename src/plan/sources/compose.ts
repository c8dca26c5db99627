// Combines plans into one text, in sequence or side by side.

import { isId } from '../model/ids.ts'
import { slug, uniqueId } from '../model/names.ts'
import { maxSteps } from '../model/plan.ts'
import { isRecord, writeKey } from './front-matter.ts'
import { mergeValue } from './merge-keys.ts'
import { flatSteps, listOf, renamePart, sinksOf, stepText, type Part } from './part.ts'

export interface ComposeOptions {
  readonly title?: string | undefined
  readonly isParallel: boolean
}

export type Composed =
  | { readonly ok: true; readonly text: string; readonly title: string; readonly steps: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly facts?: Readonly<Record<string, unknown>> }

/** Of each plan, or resolved in its steps. */
const leftOut = new Set(['version', 'plan', 'title', 'params', 'sources', 'test', 'steps', 'status', 'state'])

export function composeParts(given: readonly Part[], options: ComposeOptions): Composed {
  const names = given.map((part) => JSON.stringify(part.name)).join(', ')
  const total = given.reduce((sum, { steps }) => sum + steps.length, 0)
  if (total > maxSteps) return { ok: false, message: `${names} have ${total} steps; a plan has at most ${maxSteps}` }
  const merged = mergeParts(given)
  if (merged.problems.length > 0)
    return {
      ok: false,
      message: ['the plans contradict each other:', ...merged.problems].join('\n  '),
      facts: { contradictions: merged.problems },
    }
  const parts = withUniqueIds(given)
  const wrong = parts.flatMap(({ steps }) => steps).find(({ id }) => !isId(id))
  if (wrong !== undefined) return { ok: false, message: `the id ${wrong.id} would be too long` }
  const title = options.title ?? titleOf(parts, options)
  const sources = parts.flatMap((part) => part.sources.map(({ step = part.prefix, ...rest }) => ({ step, ...rest })))
  let needs: string[] = []
  const steps = parts.flatMap((part) => {
    const flat = flatSteps({ ...part, root: { ...part.root, verify: undefined } }, needs)
    if (!options.isParallel) needs = sinksOf(part)
    return flat
  })
  const top = [['title', title], ...merged.keys, ['sources', sources]] as const
  const text = [
    '---\n',
    ...top.map(([key, value]) => writeKey(key, value)),
    'steps:\n',
    ...steps.map(
      (step) =>
        `  - ${stepText(step, 4)
          .map((piece) => piece.text)
          .join('')}`,
    ),
    '---\n',
    ...parts.flatMap(({ prose }) => (prose.trim() === '' ? [] : [`\n${prose.trim()}\n`])),
  ].join('')
  return { ok: true, text, title, steps: steps.map(({ entry }) => String(entry['id'])) }
}

function titleOf(parts: readonly Part[], { isParallel }: ComposeOptions): string {
  const titles = parts.map(({ root, planId }) => (typeof root['title'] === 'string' ? root['title'] : planId))
  const all = titles.join(isParallel ? ' and ' : ', then ')
  return all.length > 200 ? `${all.slice(0, 199)}…` : all
}

/** Ids that several plans have get the id of their plan before them. */
function withUniqueIds(parts: readonly Part[]): Part[] {
  const counts = new Map<string, number>()
  for (const { id } of parts.flatMap(({ steps }) => steps)) counts.set(id, (counts.get(id) ?? 0) + 1)
  const taken = new Set<string>()
  return parts.map((part) => {
    const prefix = uniqueId(slug(part.planId, 'plan'), taken)
    taken.add(prefix)
    const isShared = (id: string): boolean => (counts.get(id) ?? 0) > 1
    // `sources` names the steps of an include by their common beginning, so they are renamed together.
    const isOf = (id: string, include: string): boolean => id === include || id.startsWith(`${include}-`)
    const renamed = part.sources.flatMap(({ step }) =>
      step !== undefined && part.steps.some(({ id }) => isShared(id) && isOf(id, step)) ? [step] : [],
    )
    const isRenamed = (id: string): boolean => isShared(id) || renamed.some((include) => isOf(id, include))
    return { ...renamePart(part, (id) => (isRenamed(id) ? `${prefix}-${id}` : id)), prefix }
  })
}

function mergeParts(parts: readonly Part[]): { keys: [string, unknown][]; problems: string[] } {
  const keys = new Map<string, unknown>()
  const problems = new Set<string>()
  const names = new Set(parts.flatMap(({ root }) => Object.keys(root)).filter((key) => !leftOut.has(key)))
  for (const key of names) {
    const having = parts.filter(({ root }) => root[key] !== undefined)
    if (key === 'verify') {
      keys.set(key, unique(having.flatMap(({ root }) => listOf(root[key]))))
      continue
    }
    // The default is a value too.
    if (key === 'on_failure' && having.length < parts.length) keys.set(key, 'stop')
    for (const { root } of having) {
      const result = mergeValue(key, keys.get(key), root[key])
      if (result.ok) keys.set(key, result.value)
      else problems.add(contradiction(result.key, having))
    }
  }
  for (const part of parts)
    if (isRecord(part.root['params']) && usesParams(part))
      problems.add(`${part.name}: its setup, preflight or verify uses a parameter; make it a step`)
  return { keys: [...keys], problems: [...problems] }
}

/** Commands of the whole plan get only the parameters of the whole plan, and the new plan has none. */
const usesParams = ({ root }: Part): boolean =>
  JSON.stringify([root['setup'], root['preflight'], root['verify']]).includes('PLAN_PARAM_')

const contradiction = (key: string, parts: readonly Part[]): string => {
  const value = (part: Part): unknown =>
    key.split('.').reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), part.root)
  return `${key}: ${parts.map((part) => `${JSON.stringify(value(part)) ?? 'none'} in ${part.name}`).join(', ')}`
}

const unique = (values: readonly unknown[]): unknown[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
]
