// One change of a text file, as a step `edit` and each entry of `edits` describe it.

import * as z from 'zod/mini'
import { flag, optional } from './schema-types.ts'
import type { SpecOf, SpecProblem, VerbContext } from './verb.ts'
import { regexProblem } from '../file/text-problems.ts'
import { applyDiff, parseDiff } from '../text/apply-diff.ts'
import { appendText, insertAt, replaceLines, replaceMatch, replaceText } from '../text/edit-text.ts'
import type { Edited } from '../text/edit-text.ts'

const flagsPattern = /^[ims]*$/
const linesPattern = /^\d{1,9}(-\d{1,9})?$/

const text = () => z.string().check(z.minLength(1))
const lineNumber = () => z.int().check(z.minimum(1))

/** The keys beside the name of the file. */
export const textEditShape = {
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
export type TextEdit = SpecOf<typeof textEditShape>

const ways = ['replace', 'match', 'lines', 'insert', 'append', 'diff'] as const
/** The keys that may accompany each way of editing. */
const companions: Readonly<Record<(typeof ways)[number], readonly (keyof TextEdit)[]>> = {
  replace: ['with', 'all'],
  match: ['with', 'flags', 'all'],
  lines: ['with'],
  insert: ['before', 'after'],
  append: [],
  diff: [],
}

/** `file`: the key with the name of the file, and the name. */
export function textEditProblem(edit: TextEdit, file: { key: string; path: string }): SpecProblem | undefined {
  const used = ways.filter((way) => edit[way] !== undefined)
  const [way] = used
  if (!way || used.length > 1)
    return {
      key: used[1] ?? file.key,
      message: `an edit has exactly one of ${ways.join(', ')}${used.length > 1 ? `, not ${used.join(' and ')}` : ''}`,
    }
  for (const key of ['with', 'all', 'flags', 'before', 'after'] as const) {
    if (edit[key] !== undefined && !companions[way].includes(key))
      return { key, message: `\`${key}\` does not go with \`${way}\`` }
  }
  if (companions[way].includes('with') && edit.with === undefined)
    return { key: way, message: `\`${way}\` needs \`with\`` }
  if (way === 'insert' && (edit.before === undefined) === (edit.after === undefined))
    return { key: 'insert', message: '`insert` needs exactly one of `before` and `after`' }
  if (edit.match !== undefined) {
    const problem = regexProblem(edit.match, `gu${edit.flags ?? ''}`)
    if (problem) return { key: 'match', message: problem }
  }
  if (edit.lines !== undefined) {
    const { from, to } = lineRange(edit.lines)
    if (from < 1 || to < from)
      return { key: 'lines', message: 'the first line is 1, and the last is not before the first' }
  }
  if (edit.diff !== undefined) {
    const parsed = parseDiff(edit.diff)
    if (!parsed.ok) return { key: 'diff', message: parsed.message, line: parsed.line }
    const other = parsed.paths.find((path) => path !== file.path)
    if (other !== undefined) return { key: 'diff', message: `the diff names another file than \`${file.key}\` does` }
  }
  return undefined
}

function lineRange(lines: NonNullable<TextEdit['lines']>): { from: number; to: number } {
  if (typeof lines === 'number') return { from: lines, to: lines }
  const [from, to] = typeof lines === 'string' ? lines.split('-').map(Number) : lines
  return { from: from ?? 0, to: to ?? from ?? 0 }
}

export function applyTextEdit(text: string, edit: TextEdit): Edited {
  const replacement = edit.with ?? ''
  if (edit.replace !== undefined) return replaceText(text, { replace: edit.replace, with: replacement, all: edit.all })
  if (edit.match !== undefined)
    return replaceMatch(text, { match: edit.match, with: replacement, flags: edit.flags, all: edit.all })
  if (edit.lines !== undefined) return replaceLines(text, { ...lineRange(edit.lines), with: replacement })
  if (edit.insert !== undefined) return insertAt(text, { insert: edit.insert, before: edit.before, after: edit.after })
  if (edit.append !== undefined) return appendText(text, edit.append)
  return applyDiff(text, edit.diff ?? '')
}

/** The text of a file that a verb changes, or why it cannot. */
export async function readText(tree: VerbContext['tree'], path: string): Promise<Edited> {
  const kind = await tree.kind(path)
  if (kind !== 'file')
    return {
      ok: false,
      message: kind === 'absent' ? 'it does not exist' : `it is a ${kind === 'other' ? 'special file' : kind}`,
    }
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    return { ok: true, text: decoder.decode(await tree.read(path)) }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { ok: false, message: 'it is not UTF-8 text; change it with `run`' }
  }
}
