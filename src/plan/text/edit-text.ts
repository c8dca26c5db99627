// Edits of a text, as the verb `edit` makes them: strings in, a string or the reason why not out. Line endings and the
// state of the final newline are the file's; text from the plan adapts to them.

import { withinTime } from './within-time.ts'

export type Edited = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string }

const edited = (text: string): Edited => ({ ok: true, text })
const refused = (message: string): Edited => ({ ok: false, message })

/** The ending that most lines have; LF where there is no line end. */
function dominantEol(text: string): '\n' | '\r\n' {
  const all = text.split('\n').length - 1
  const crlf = text.split('\r\n').length - 1
  return crlf * 2 > all ? '\r\n' : '\n'
}

/**
 * Runs an edit on text and plan text that agree on line endings. A file with CRLF throughout is edited as LF and turned
 * back, so that `$` and `\n` in expressions mean what they say; a mixed file is left as it is and the plan's text takes
 * the dominant ending.
 */
export function withEndings(text: string, edit: (text: string, adapt: (planText: string) => string) => Edited): Edited {
  const toLf = (value: string): string => value.replace(/\r\n/g, '\n')
  const toCrlf = (value: string): string => toLf(value).replace(/\n/g, '\r\n')
  if (dominantEol(text) === '\n') return edit(text, toLf)
  if (/(^|[^\r])\n/.test(text)) return edit(text, toCrlf)
  const result = edit(toLf(text), toLf)
  return result.ok ? edited(result.text.replace(/\n/g, '\r\n')) : result
}

/** Literal text, found exactly once unless `all`. */
export const replaceText = (text: string, edit: { replace: string; with: string; all?: boolean | undefined }): Edited =>
  withEndings(text, (body, adapt) => {
    const needle = adapt(edit.replace)
    const places = edit.all ? placesOf(body, needle, needle.length) : placesOf(body, needle, 1)
    if (places.length === 0) return refused('the text to replace was not found')
    if (!edit.all && places.length > 1)
      return refused(
        `the text to replace was found ${places.length} times, not once; make it longer or set \`all: true\``,
      )
    let result = ''
    let from = 0
    for (const place of places) {
      const end = place + needle.length
      result += body.slice(from, place) + fitted(adapt(edit.with), needle, body.slice(end, end + 2))
      from = end
    }
    return edited(result + body.slice(from))
  })

// A YAML block scalar ends with a newline that its author did not mean: where the text that goes has none and a line
// ends there anyway, keeping it would leave an empty line.
function fitted(text: string, needle: string, follows: string): string {
  const endsLine = follows === '' || /^\r?\n/.test(follows)
  return endsLine && !needle.endsWith('\n') ? text.replace(/\r?\n$/, '') : text
}

/** A regular expression, one match unless `all`; `$1`, `$<name>`, `$&` and `$$` in the replacement. */
const patienceMs = 2000

export const replaceMatch = (
  text: string,
  edit: { match: string; with: string; flags?: string | undefined; all?: boolean | undefined },
): Edited =>
  withEndings(text, (body, adapt) => {
    const expression = new RegExp(edit.match, `gu${edit.flags ?? ''}`)
    const counted = (): number => [...body.matchAll(expression)].length
    // Without repetition it takes no longer than the text; else it may backtrack for ever.
    const count = /[*+{]/.test(edit.match) ? withinTime(patienceMs, counted) : counted()
    if (count === undefined) return refused(`the expression takes longer than ${patienceMs / 1000}s to match`)
    if (count === 0) return refused('the expression matched 0 times')
    if (!edit.all && count > 1)
      return refused(`the expression matched ${count} times, not once; make it more exact or set \`all: true\``)
    return edited(body.replace(expression, adapt(edit.with)))
  })

/** Lines `from` to `to`, counted from 1, become the given text; empty text removes them. */
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

/** Whole lines before or after the line that holds the anchor, which is found exactly once. */
export const insertAt = (
  text: string,
  edit: { insert: string; before?: string | undefined; after?: string | undefined },
): Edited =>
  withEndings(text, (body, adapt) => {
    const anchor = adapt(edit.before ?? edit.after ?? '').replace(/\r?\n$/, '')
    const places = anchor === '' ? [] : placesOf(body, anchor, 1)
    if (places.length !== 1) return refused(`the anchor was found ${places.length} times, not once`)
    const file = toLines(body)
    const place = places[0]!
    const first = body.slice(0, place).split('\n').length - 1
    const at = edit.before === undefined ? first + anchor.split('\n').length : first
    return edited(
      fromLines(
        [...file.lines.slice(0, at), ...toLines(adapt(edit.insert)).lines, ...file.lines.slice(at)],
        file.isEnded,
      ),
    )
  })

/** At the end, as lines of their own. */
export const appendText = (text: string, append: string): Edited =>
  withEndings(text, (body, adapt) => {
    if (body === '') return edited(adapt(append))
    const file = toLines(body)
    return edited(fromLines([...file.lines, ...toLines(adapt(append)).lines], file.isEnded))
  })

// Lines keep the carriage return of a mixed file.
function toLines(text: string): { lines: string[]; isEnded: boolean } {
  if (text === '') return { lines: [], isEnded: true }
  const isEnded = text.endsWith('\n')
  return { lines: (isEnded ? text.slice(0, -1) : text).split('\n'), isEnded }
}

function fromLines(lines: readonly string[], isEnded: boolean): string {
  return lines.length === 0 ? '' : lines.join('\n') + (isEnded ? '\n' : '')
}

/** With a step of 1 places that overlap are counted too: `aa` is in `aaa` twice, so it names no single place. */
function placesOf(text: string, needle: string, step: number): number[] {
  const places: number[] = []
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + step)) places.push(at)
  return places
}
