// A plan that becomes part of another one: its steps with the ids that they get there.

import type { Finding } from '../model/finding.ts'
import type { Params } from '../model/params.ts'
import type { SourceEntry } from '../model/source-entry.ts'
import { readPlan } from '../file/read-plan.ts'
import { idFromFile } from '../model/names.ts'
import { isRecord, placeOf, readFrontMatter, writeKey } from './front-matter.ts'
import { locateFile, relocateIn, type Place } from './located-text.ts'
import type { Expand, ExpandOptions, LoadedSource } from './source.ts'

export interface PartStep {
  readonly id: string
  readonly needs: readonly string[]
  /** As in its file. */
  readonly entry: Readonly<Record<string, unknown>>
  readonly place: (key: string) => Place
}

export interface FlatStep {
  readonly entry: Readonly<Record<string, unknown>>
  readonly place: (key: string) => Place
}

export interface Part {
  readonly name: string
  readonly planId: string
  /** The step that includes it. */
  readonly prefix: string
  readonly root: Readonly<Record<string, unknown>>
  readonly prose: string
  readonly place: Place
  readonly steps: readonly PartStep[]
  readonly sources: readonly SourceEntry[]
}

/** The steps that no other step needs: when they are done, so is the part. */
export function sinksOf({ steps }: Part): string[] {
  const needed = new Set(steps.flatMap(({ needs }) => needs))
  return steps.map(({ id }) => id).filter((id) => !needed.has(id))
}

export const renamePart = (part: Part, rename: (id: string) => string): Part => ({
  ...part,
  steps: part.steps.map((step) => ({ ...step, id: rename(step.id), needs: step.needs.map(rename) })),
  sources: part.sources.map(({ step, ...rest }) => (step === undefined ? rest : { step: rename(step), ...rest })),
})

/** As included by the step `prefix`. */
export function prefixPart(part: Part, prefix: string): Part {
  const renamed = renamePart(part, (id) => `${prefix}-${id}`)
  return { ...renamed, prefix, sources: renamed.sources.map(({ step = prefix, ...rest }) => ({ step, ...rest })) }
}

/** The steps as entries of another plan. `needs` are those of its first steps. */
export function flatSteps(part: Part, needs: readonly string[]): FlatStep[] {
  const params = (part.root['params'] ?? {}) as Params
  const checks = listOf(part.root['verify'])
  const sinks = sinksOf(part)
  return part.steps.map(({ id, needs: own, entry, place }) => {
    const { id: _id, title, needs: _needs, ...rest } = entry
    const isLast = checks.length > 0 && sinks.length === 1 && id === sinks[0]
    const flat: Record<string, unknown> = {
      id,
      ...(title === undefined ? {} : { title }),
      needs: own.length === 0 ? needs : own,
      ...rest,
    }
    if (flat['test'] !== undefined) flat['test'] = ownTest(flat['test'], part.root['test'])
    if (isLast) flat['verify'] = [...listOf(flat['verify']), ...checks]
    if (Object.keys(params).length > 0 && runsCommands(flat))
      flat['params'] = { ...params, ...(flat['params'] as Params | undefined) }
    return { entry: flat, place }
  })
}

/** `true`, or a map without `run`, means the command of the plan. */
function ownTest(test: unknown, ofPlan: unknown): unknown {
  if (ofPlan === undefined) return test
  if (test === true) return ofPlan
  if (!isRecord(test) || test['run'] !== undefined) return test
  return { ...(isRecord(ofPlan) ? ofPlan : { run: ofPlan }), ...test }
}

const commandKeys = ['run', 'verify', 'criteria', 'test', 'probe', 'undo', 'refactor']
const runsCommands = (entry: Readonly<Record<string, unknown>>): boolean =>
  commandKeys.some((key) => entry[key] !== undefined)

export const listOf = (value: unknown): unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as unknown[]) : [value]

export type ReadPart = { readonly ok: true; readonly part: Part } | { readonly ok: false; readonly findings: Finding[] }

/** Expands and reads a source. Its mistakes are reported in its own file. */
export async function readPart(source: LoadedSource, options: ExpandOptions, expand: Expand): Promise<ReadPart> {
  const expanded = await expand(source, { ...options, self: source.key })
  if (!expanded.ok) return { ok: false, findings: expanded.findings }
  const read = readPlan(expanded.bytes, { file: source.file })
  const text = expanded.located ?? locateFile(new TextDecoder().decode(expanded.bytes), source.file)
  if (!read.ok) return { ok: false, findings: read.findings.map(relocateIn(text)) }
  const matter = readFrontMatter(expanded.bytes)!
  const entries = matter.root['steps'] as readonly Record<string, unknown>[]
  const nested = Array.isArray(matter.root['sources']) ? (matter.root['sources'] as SourceEntry[]) : []
  const part: Part = {
    name: source.file,
    planId: typeof matter.root['plan'] === 'string' ? matter.root['plan'] : idFromFile(source.file),
    prefix: '',
    root: matter.root,
    prose: read.plan.prose,
    place: text.place(0),
    steps: read.plan.steps.map(({ id, needs }, index) => ({
      id,
      needs,
      entry: isRecord(entries[index]) ? entries[index] : {},
      place: (key) => placeOf(text, matter.yaml, ['steps', index, key]),
    })),
    sources: [source.entry, ...nested],
  }
  return { ok: true, part }
}

/** The text of a step whose first key stands behind the dash; every line ends with LF. */
export function stepText({ entry, place }: FlatStep, column: number): { text: string; place: Place }[] {
  return Object.entries(entry).map(([key, value], index) => {
    const text = writeKey(key, value, column)
    return { text: index === 0 ? text.slice(column) : text, place: place(key) }
  })
}
