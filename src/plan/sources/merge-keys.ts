// The keys of a plan, besides its steps, when several plans become one: lists are joined, other keys must agree.

import { isDeepStrictEqual } from 'node:util'
import type { SourceEntry } from '../model/source-entry.ts'
import { isRecord } from './front-matter.ts'
import { listOf, sinksOf, type Part } from './part.ts'

const joinedKeys = ['requires', 'context', 'deliverables', 'setup_inputs', 'preflight'] as const
/** About the plan itself, or resolved in its steps: the including plan has its own. */
const leftOut = new Set(
  ['version plan title base request goal owner notes meta', 'params sources test steps verify status state'].flatMap(
    (words) => words.split(' '),
  ),
)

export interface MergeProblem {
  readonly message: string
  readonly advice: string
  readonly part: Part
}

export interface Merged {
  /** The keys that change. */
  readonly keys: ReadonlyMap<string, unknown>
  readonly problems: readonly MergeProblem[]
}

type Root = Readonly<Record<string, unknown>>

export function mergeIntoPlan(root: Root, parts: readonly Part[]): Merged {
  const keys = new Map<string, unknown>()
  const problems: MergeProblem[] = []
  for (const part of parts) {
    const problem = commandProblem(part)
    if (problem !== undefined) problems.push(problem)
    for (const [key, value] of Object.entries(part.root)) {
      if (leftOut.has(key)) continue
      const own = keys.get(key) ?? root[key] ?? (key === 'on_failure' ? 'stop' : undefined)
      const merged = mergeValue(key, own, value)
      if (!merged.ok)
        problems.push({
          part,
          message: `the included plan has another \`${merged.key}\` than this one`,
          advice: 'make them equal, or remove one',
        })
      else if (!isDeepStrictEqual(own, merged.value)) keys.set(key, merged.value)
    }
  }
  const sources = parts.flatMap((part) => part.sources)
  keys.set('sources', [...listOf(root['sources']), ...sources] as SourceEntry[])
  return { keys, problems }
}

/** Commands of the whole plan get only the parameters of the whole plan. */
function commandProblem(part: Part): MergeProblem | undefined {
  const { setup, preflight, verify, params } = part.root
  if (listOf(verify).length > 0 && sinksOf(part).length > 1)
    return {
      part,
      message: 'the included plan has `verify` and several last steps',
      advice: 'move its `verify` to a step that needs them all',
    }
  const isUsed = isRecord(params) && [setup, ...listOf(preflight)].some((each) => String(each).includes('PLAN_PARAM_'))
  return isUsed
    ? {
        part,
        message: '`setup` and `preflight` of an included plan cannot use its parameters',
        advice: 'make them a step',
      }
    : undefined
}

/** Maps are merged key by key. */
export function mergeValue(
  key: string,
  one: unknown,
  other: unknown,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly key: string } {
  if (one === undefined || isDeepStrictEqual(one, other)) return { ok: true, value: other }
  if ((joinedKeys as readonly string[]).includes(key)) {
    const all = [...listOf(one), ...listOf(other)]
    return { ok: true, value: [...new Set(all)] }
  }
  if (!isRecord(one) || !isRecord(other)) return { ok: false, key }
  const value: Record<string, unknown> = { ...one }
  for (const [name, each] of Object.entries(other)) {
    const merged = mergeValue(`${key}.${name}`, value[name], each)
    if (!merged.ok) return merged
    value[name] = merged.value
  }
  return { ok: true, value }
}
