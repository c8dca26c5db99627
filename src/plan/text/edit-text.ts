// The edits of the verb `edit`: text in, text or the reason for refusal out. Line endings and the final newline follow
// the file; text from the plan adapts to them.

import { withinTime } from './within-time.ts'

export type Edited =
  | { readonly ok: true; readonly text: string }
  /** `line`: the line of the diff. */
  | { readonly ok: false; readonly message: string; readonly line?: number }

const edited = (text: string): Edited => ({ ok: true, text })
const refused = (message: string): Edited => ({ ok: false, message })

/** The ending of most lines; LF if there is none. */
function dominantEol(text: string): '\n' | '\r\n' {
  const all = text.split('\n').length - 1
  const crlf = text.split('\r\n').length - 1
  return crlf * 2 > all ? '\r\n' : '\n'
}

/**
 * Runs an edit with matching line endings. A file with CRLF throughout is edited as LF and converted back, so that `$`
 * and `
 * ` in expressions work; a mixed file keeps its endings and the plan's text takes the dominant one.
 */
export function withEndings(text: string, edit: (text: string, adapt: (planText: string) => string) => Edited): Edited {
  const toLf = (value: string): string => value.replace(/\r\n/g, '\n')
  const toCrlf = (value: string): string => toLf(value).replace(/\n/g, '\r\n')
  if (dominantEol(text) === '\n') return edit(text, toLf)
  if (/(^|[^\r])\n/.test(text)) return edit(text, toCrlf)
  const result = edit(toLf(text), toLf)
  return result.ok ? edited(result.text.replace(/\n/g, '\r\n')) : result
}

/** Replaces literal text that occurs exactly once, or everywhere with `all`. */
export const replaceText = (text: string, edit: { replace: string; with: string; all?: boolean | undefined }): Edited =>
  withEndings(text, (body, adapt) => {
    const needle = adapt(edit.replace)
    const positions = edit.all ? occurrences(body, needle, needle.length) : occurrences(body, needle, 1)
    if (positions.length === 0) return refused('the text to replace was not found')
    if (!edit.all && positions.length > 1)
      return refused(
        `the text to replace was found ${positions.length} times, not once; make it longer or set \`all: true\``,
      )
    let result = ''
    let from = 0
    for (const position of positions) {
      const end = position + needle.length
      result += body.slice(from, position) + trimBlockEnd(adapt(edit.with), needle, body.slice(end, end + 2))
      from = end
    }
    return edited(result + body.slice(from))
  })

// A YAML block scalar ends with a newline that its author did not mean. If the replaced text has none and a line ends
// there anyway, keeping it would add an empty line.
function trimBlockEnd(text: string, needle: string, follows: string): string {
  const endsLine = follows === '' || /^\r?\n/.test(follows)
  return endsLine && !needle.endsWith('\n') ? text.replace(/\r?\n$/, '') : text
}

/** Limit for an expression that may backtrack. */
const patienceMs = 2000

/** Replaces a match that is unique, or all with `all`. The text may use `$1`, `$<name>`, `$&` and `$$`. */
export const replaceMatch = (
  text: string,
  edit: { match: string; with: string; flags?: string | undefined; all?: boolean | undefined },
): Edited =>
  withEndings(text, (body, adapt) => {
    const expression = new RegExp(edit.match, `gu${edit.flags ?? ''}`)
    const countMatches = (): number => [...body.matchAll(expression)].length
    // An expression without repetition is linear; any other may backtrack forever.
    const count = /[*+{]/.test(edit.match) ? withinTime(patienceMs, countMatches) : countMatches()
    if (count === undefined) return refused(`the expression takes longer than ${patienceMs / 1000}s to match`)
    if (count === 0) return refused('the expression matched 0 times')
    if (!edit.all && count > 1)
      return refused(`the expression matched ${count} times, not once; make it more exact or set \`all: true\``)
    return edited(body.replace(expression, adapt(edit.with)))
  })

/** Replaces lines `from` to `to`, counted from 1; empty text removes them. */
export const replaceLines = (text: string, edit: { from: number; to: number; with: string }): Edited =>
  withEndings(text, (body, adapt) => {
    const file = toLines(body)
    if (edit.from < 1 || edit.to < edit.from || edit.to > file.lines.length) {
      return refused(`lines ${edit.from}-${edit.to} are not in the file, which has ${file.lines.length} lines`)
    }
    return edited(
      fromLines(
        [...file.lines.slice(0, edit.from - 1), ...toLines(adapt(edit.with)).lines, ...file.lines.slice(edit.to)],
        file.isEnded,
      ),
    )
  })

/** Inserts whole lines before or after the line with the anchor, which must occur exactly once. */
export const insertAt = (
  text: string,
  edit: { insert: string; before?: string | undefined; after?: string | undefined },
): Edited =>
  withEndings(text, (body, adapt) => {
    const anchor = adapt(edit.before ?? edit.after ?? '').replace(/\r?\n$/, '')
    const positions = anchor === '' ? [] : occurrences(body, anchor, 1)
    if (positions.length !== 1) return refused(`the anchor was found ${positions.length} times, not once`)
    const file = toLines(body)
    const position = positions[0]!
    const first = body.slice(0, position).split('\n').length - 1
    const at = edit.before === undefined ? first + anchor.split('\n').length : first
    return edited(
      fromLines(
        [...file.lines.slice(0, at), ...toLines(adapt(edit.insert)).lines, ...file.lines.slice(at)],
        file.isEnded,
      ),
    )
  })

/** Appends whole lines. */
export const appendText = (text: string, append: string): Edited =>
  withEndings(text, (body, adapt) => {
    if (body === '') return edited(adapt(append))
    const file = toLines(body)
    return edited(fromLines([...file.lines, ...toLines(adapt(append)).lines], file.isEnded))
  })

// Lines keep the carriage return in a file with mixed endings.
function toLines(text: string): { lines: string[]; isEnded: boolean } {
  if (text === '') return { lines: [], isEnded: true }
  const isEnded = text.endsWith('\n')
  return { lines: (isEnded ? text.slice(0, -1) : text).split('\n'), isEnded }
}

function fromLines(lines: readonly string[], isEnded: boolean): string {
  return lines.length === 0 ? '' : lines.join('\n') + (isEnded ? '\n' : '')
}

/** With a step of 1, overlapping occurrences count too: `aa` occurs twice in `aaa`, so it is ambiguous. */
function occurrences(text: string, needle: string, step: number): number[] {
  const positions: number[] = []
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + step)) positions.push(at)
  return positions
}
