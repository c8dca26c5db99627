import * as z from 'zod/mini'
import { flag, optional, repoPath, required } from '../model/schema-types.ts'
import { applyDiff, parseDiff } from '../text/apply-diff.ts'
import { appendText, insertAt, replaceLines, replaceMatch, replaceText } from '../text/edit-text.ts'
import type { Edited } from '../text/edit-text.ts'
import { regexProblem } from '../file/text-problems.ts'
import type { SpecOf, Verb } from '../model/verb.ts'

const flagsPattern = /^[ims]*$/
const linesPattern = /^\d{1,9}(-\d{1,9})?$/

const text = () => z.string().check(z.minLength(1))
const lineNumber = () => z.int().check(z.minimum(1))

const shape = {
  edit: () => required(repoPath, 'The file to change'),
  replace: () => optional(text(), 'Literal text that occurs exactly once'),
  match: () => optional(text(), 'A regular expression that matches exactly once'),
  flags: () =>
    optional(z.string().check(z.regex(flagsPattern, 'flags must be i, m or s')), 'Flags of the expression: i, m, s'),
  lines: () =>
    optional(
      z.union([
        lineNumber(),
        z.string().check(z.regex(linesPattern, 'lines are written 3 or 3-5')),
        z.tuple([lineNumber(), lineNumber()]),
      ]),
      'Line numbers: 3, 3-5 or [3, 5]',
    ),
  with: () => optional(z.string(), 'The replacement'),
  insert: () => optional(text(), 'Lines to add before or after an anchor'),
  before: () => optional(text(), 'Text in the line before which to insert'),
  after: () => optional(text(), 'Text in the line after which to insert'),
  append: () => optional(text(), 'Lines to add at the end'),
  diff: () => optional(text(), 'A unified diff for this file'),
  all: () => optional(flag, 'Every occurrence, not just one'),
}
type Spec = SpecOf<typeof shape>

const ways = ['replace', 'match', 'lines', 'insert', 'append', 'diff'] as const
/** The keys that may accompany each way of editing. */
const companions: Readonly<Record<(typeof ways)[number], readonly (keyof Spec)[]>> = {
  replace: ['with', 'all'],
  match: ['with', 'flags', 'all'],
  lines: ['with'],
  insert: ['before', 'after'],
  append: [],
  diff: [],
}

export const edit: Verb<Spec> = {
  name: 'edit',
  summary: 'Changes a text file: replaces text, an expression or lines, inserts, appends, or applies a diff.',
  shape,
  risk: 'MEDIUM',
  refine,
  derive: ({ edit }) => ({ id: `edit-${edit}`, title: `Edit ${edit}` }),
  paths: ({ edit }) => ({ reads: [edit], writes: [edit], deletes: [] }),
  writesText: true,
  async perform(spec, { tree }) {
    const failed = (message: string) =>
      ({ kind: 'failed', reason: 'verb', message: `cannot edit ${spec.edit}: ${message}` }) as const
    const kind = await tree.kind(spec.edit)
    if (kind !== 'file')
      return failed(kind === 'absent' ? 'it does not exist' : `it is a ${kind === 'other' ? 'special file' : kind}`)
    const bytes = await tree.read(spec.edit)
    let before: string
    try {
      before = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      return failed('it is not UTF-8 text; change it with `run`')
    }
    const result = editText(before, spec)
    if (!result.ok) return failed(result.message)
    await tree.write(spec.edit, new TextEncoder().encode(result.text))
    return { kind: 'performed' }
  },
}

function refine(spec: Spec): { key: string; message: string } | undefined {
  const used = ways.filter((way) => spec[way] !== undefined)
  const [way] = used
  if (!way || used.length > 1)
    return {
      key: used[1] ?? 'edit',
      message: `an edit has exactly one of ${ways.join(', ')}${used.length > 1 ? `, not ${used.join(' and ')}` : ''}`,
    }
  for (const key of ['with', 'all', 'flags', 'before', 'after'] as const) {
    if (spec[key] !== undefined && !companions[way].includes(key))
      return { key, message: `\`${key}\` does not go with \`${way}\`` }
  }
  if (companions[way].includes('with') && spec.with === undefined)
    return { key: way, message: `\`${way}\` needs \`with\`` }
  if (way === 'insert' && (spec.before === undefined) === (spec.after === undefined))
    return { key: 'insert', message: '`insert` needs exactly one of `before` and `after`' }
  if (spec.match !== undefined) {
    const problem = regexProblem(spec.match, `gu${spec.flags ?? ''}`)
    if (problem) return { key: 'match', message: problem }
  }
  if (spec.lines !== undefined) {
    const { from, to } = lineRange(spec.lines)
    if (from < 1 || to < from)
      return { key: 'lines', message: 'the first line is 1, and the last is not before the first' }
  }
  if (spec.diff !== undefined) {
    const parsed = parseDiff(spec.diff)
    if (!parsed.ok) return { key: 'diff', message: parsed.message }
    const other = parsed.paths.find((path) => path !== spec.edit)
    if (other !== undefined) return { key: 'diff', message: 'the diff names another file than `edit` does' }
  }
  return undefined
}

function lineRange(lines: NonNullable<Spec['lines']>): { from: number; to: number } {
  if (typeof lines === 'number') return { from: lines, to: lines }
  const [from, to] = typeof lines === 'string' ? lines.split('-').map(Number) : lines
  return { from: from ?? 0, to: to ?? from ?? 0 }
}

function editText(text: string, spec: Spec): Edited {
  const replacement = spec.with ?? ''
  if (spec.replace !== undefined) return replaceText(text, { replace: spec.replace, with: replacement, all: spec.all })
  if (spec.match !== undefined)
    return replaceMatch(text, { match: spec.match, with: replacement, flags: spec.flags, all: spec.all })
  if (spec.lines !== undefined) return replaceLines(text, { ...lineRange(spec.lines), with: replacement })
  if (spec.insert !== undefined) return insertAt(text, { insert: spec.insert, before: spec.before, after: spec.after })
  if (spec.append !== undefined) return appendText(text, spec.append)
  return applyDiff(text, spec.diff ?? '')
}
