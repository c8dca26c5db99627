// Replaces matches in a text. Matches inside a captured text are replaced too: `f(f(x))` has two.

import { templateParts } from '../../plan/refactor/literals.ts'

/** Offsets in the text. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface Match extends Span {
  /** A span of the text, or the text that a transformation made. */
  readonly captures: ReadonlyMap<string, Span | string>
}

/** A replacement that repeats what it captures doubles it with every level of nesting. */
const maxLength = 4 * 1024 * 1024

/** undefined: the result is too large, or the matches are nested too deeply. `matches`: in the order of their start; of two with the same start, the longer one first. */
export function applyFix(text: string, matches: readonly Match[], fix: string): string | undefined {
  const lines = fix.split('\n')
  let left = maxLength + text.length

  /** The text between two offsets, with the matches from `next` on replaced. */
  function rewrite({ start, end }: Span, next: number): string {
    let result = ''
    let from = start
    for (let index = next; index < matches.length; index++) {
      const match = matches[index]!
      if (match.start >= end) break
      if (match.start < from || match.end > end) continue
      result += text.slice(from, match.start) + replacement(match, index + 1)
      from = match.end
    }
    result += text.slice(from, end)
    left -= result.length
    if (left < 0) throw new RangeError('the result is too large')
    return result
  }

  function replacement(match: Match, next: number): string {
    const indent = indentAt(text, match.start)
    const written = lines.map((line, index) => {
      const own = index === 0 ? indent : `${indent}${/^[ \t]*/.exec(line)?.[0] ?? ''}`
      const parts = templateParts(line).map((part) => {
        if (typeof part === 'string') return part
        const capture = match.captures.get(part.name) ?? ''
        return typeof capture === 'string'
          ? capture
          : reindent(rewrite(capture, next), indentAt(text, capture.start), own)
      })
      return index === 0 || line === '' ? parts.join('') : indent + parts.join('')
    })
    return written.join(text.includes('\r\n') ? '\r\n' : '\n')
  }

  try {
    return rewrite({ start: 0, end: text.length }, 0)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The white space at the start of the line that contains an offset. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

/** Moves all lines but the first from one indentation to another. */
const reindent = (text: string, from: string, to: string): string =>
  from === to ? text : text.replaceAll(`\n${from}`, `\n${to}`)
