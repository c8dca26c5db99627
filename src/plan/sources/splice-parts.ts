// Puts the steps of included plans in the place of the steps that include them. The other steps keep their text.

import { isDeepStrictEqual } from 'node:util'
import type { Finding } from '../model/finding.ts'
import { nameSteps } from '../file/make-plan.ts'
import { readSteps } from '../file/read-steps.ts'
import { encode, endOf, isRecord, readFrontMatter, setTopKey, withEol, writeKey } from './front-matter.ts'
import type { FrontMatter } from './front-matter.ts'
import { spliceLocated, type LocatedEdit, type LocatedText } from './located-text.ts'
import { mergeIntoPlan } from './merge-keys.ts'
import { flatSteps, sinksOf, stepText, type Part } from './part.ts'

export type Flattened =
  | { readonly ok: true; readonly located: LocatedText }
  | { readonly ok: false; readonly findings: Finding[] }

interface Including {
  readonly source: LocatedText
  readonly matter: FrontMatter
  readonly file: string
}

interface StepEdits {
  readonly edits: readonly LocatedEdit[]
  /** The entries that the new text must have. */
  readonly entries: readonly unknown[]
}

export function spliceParts(
  { source, matter, file }: Including,
  steps: readonly unknown[],
  parts: ReadonlyMap<number, Part>,
): Flattened {
  const merged = mergeIntoPlan(matter.root, [...parts.values()])
  if (merged.problems.length > 0)
    return {
      ok: false,
      findings: merged.problems.map(({ message, advice, part }) => ({
        rule: 'bad-include',
        severity: 'error',
        message,
        advice,
        ...part.place,
      })),
    }
  const order = new StepOrder(steps, parts)
  const edited: StepEdits[] = []
  for (const index of steps.keys()) {
    const edit = parts.has(index)
      ? includedSteps({ source, matter, file }, index, parts.get(index)!, order)
      : ownStep({ source, matter, file }, index, steps[index], order)
    if (edit === undefined) return refusedStyle(source, matter, index)
    edited.push(edit)
  }
  const edits = edited.flatMap((each) => each.edits)
  for (const [key, value] of merged.keys) edits.push(setTopKey(source, matter, key, value))
  const located = spliceLocated(source, edits)
  const result = readFrontMatter(encode(located.text))
  // A wrong byte would be proposed.
  if (
    !isDeepStrictEqual(
      result?.root['steps'],
      edited.flatMap((each) => each.entries),
    )
  )
    throw new Error(`the expanded ${file} reads differently`)
  return { ok: true, located }
}

/** Undefined if the step is not written as a block. */
function includedSteps(
  { source, matter: { yaml, split } }: Including,
  index: number,
  part: Part,
  order: StepOrder,
): StepEdits | undefined {
  const span = yaml.span(['steps', index])
  const lead = span === undefined ? '' : leadOf(source.text, span.start)
  if (span === undefined || !/^ *- +$/.test(lead)) return undefined
  const flat = flatSteps(part, order.needsOf(index))
  const pieces = flat.flatMap((step, at) => [
    ...(at === 0 ? [] : [{ text: lead, place: part.place }]),
    ...stepText(step, lead.length).map(({ text, place }) => ({ text: withEol(text, split), place })),
  ])
  const last = pieces.at(-1)!
  pieces[pieces.length - 1] = { ...last, text: last.text.replace(/\r?\n$/, '') }
  return {
    edits: [{ start: span.start, end: endOf(source.text, span.start, span.end), pieces }],
    entries: flat.map(({ entry }) => entry),
  }
}

/** A step gets its derived id, since others may have to name it, and the ids of the steps that it needs. */
function ownStep(
  { source, matter: { yaml, split } }: Including,
  index: number,
  entry: unknown,
  order: StepOrder,
): StepEdits {
  const span = yaml.span(['steps', index])
  if (span === undefined || !isRecord(entry)) return { edits: [], entries: [entry] }
  const place = source.place(span.start)
  const added = {
    ...(entry['id'] === undefined ? { id: order.idOf(index) } : {}),
    ...(entry['needs'] === undefined && order.followsPart(index) ? { needs: order.needsOf(index) } : {}),
  }
  const edits: LocatedEdit[] = Object.entries(added).map(([key, value]) => {
    const start = span.flow ? span.start + 1 : span.start
    const end = span.flow ? ', ' : split.eol + ' '.repeat(leadOf(source.text, span.start).length)
    return { start, end: start, pieces: [{ text: writeKey(key, value).trimEnd() + end, place }] }
  })
  if (!order.namesPart(entry['needs'])) return { edits, entries: [{ ...entry, ...added }] }
  const needs = order.needsOf(index)
  const at = ['steps', index, 'needs']
  const [start, end] = [yaml.span(at, { key: true })!.start, yaml.span(at)!.end]
  edits.push({
    start,
    end: endOf(source.text, start, end),
    pieces: [{ text: writeKey('needs', needs).trimEnd(), place }],
  })
  return { edits, entries: [{ ...entry, ...added, needs }] }
}

const leadOf = (text: string, start: number): string => text.slice(text.lastIndexOf('\n', start - 1) + 1, start)

const refusedStyle = (source: LocatedText, { yaml }: FrontMatter, index: number): Flattened => ({
  ok: false,
  findings: [
    {
      rule: 'bad-include',
      severity: 'error',
      message: 'a step with `include` begins on the line of its dash, in a list without brackets',
      ...source.place(yaml.span(['steps', index])?.start ?? 0),
    },
  ],
})

/** What each step of the including plan needs once the others are included. */
class StepOrder {
  readonly #steps: readonly unknown[]
  readonly #parts: ReadonlyMap<number, Part>
  readonly #ids: ReadonlyMap<number, string>
  readonly #sinks: ReadonlyMap<string, readonly string[]>

  constructor(steps: readonly unknown[], parts: ReadonlyMap<number, Part>) {
    this.#steps = steps
    this.#parts = parts
    this.#ids = ownIds(steps, parts)
    this.#sinks = new Map([...parts.values()].map((part) => [part.prefix, sinksOf(part)]))
  }

  idOf(index: number): string {
    return this.#ids.get(index) ?? ''
  }

  followsPart(index: number): boolean {
    return this.#parts.has(index - 1)
  }

  namesPart(needs: unknown): boolean {
    return Array.isArray(needs) && needs.some((need) => this.#sinks.has(String(need)))
  }

  needsOf(index: number): string[] {
    const { needs } = this.#steps[index] as { needs?: unknown }
    if (Array.isArray(needs)) return [...new Set(needs.map(String).flatMap((need) => this.#sinks.get(need) ?? [need]))]
    if (index === 0) return []
    const before = this.#parts.get(index - 1)
    return before === undefined ? [this.idOf(index - 1)] : sinksOf(before)
  }
}

/** The ids of the steps that are not included, also of those that have none in the text. */
function ownIds(steps: readonly unknown[], parts: ReadonlyMap<number, Part>): ReadonlyMap<number, string> {
  const own = steps.flatMap((entry, index) => (parts.has(index) ? [] : [{ entry, index }]))
  const entries = own.map(({ entry }) => entry)
  const read = readSteps(entries, () => ({ line: 1, column: 1 }), true).steps
  const taken = [...parts.values()].flatMap((part) => part.steps.map(({ id }) => ({ index: 0, raw: { id } })))
  const named = nameSteps([...read, ...taken])
  return new Map(own.map(({ index }, at) => [index, named[at]!.id]))
}
