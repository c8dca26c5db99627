// The part of the sed language that only prints: parses a whole script, or reports where it stops. `w`, `W`, `r`, `R`
// and `e`, as commands or as flags of `s`, name files or run commands and are not part of it.

import { excerpt, type Problem } from '../verdict.ts'

interface Cursor {
  readonly text: string
  at: number
}

export function sedProblem(script: string): Problem {
  const cursor: Cursor = { text: script, at: 0 }
  let depth = 0
  for (;;) {
    skip(cursor, /[\s;]*/y)
    if (cursor.at >= script.length) return depth === 0 ? undefined : 'the sed script has an open brace'
    const start = cursor.at
    const letter = skip(cursor, addresses) === undefined ? undefined : script[cursor.at]
    cursor.at += 1
    if (letter === '{') depth += 1
    else if (letter === '}' && depth > 0) depth -= 1
    else if (letter === undefined || !readCommand(letter, cursor))
      return `${excerpt(script.slice(start))} is not known to only print`
  }
}

/** A pattern in slashes. With an open bracket it may end elsewhere in another version of sed. */
const pattern = String.raw`\/(?:[^\\/\n[]|\\[^\n]|\[\^?\]?[^\]\\/\n]*\])*\/[IM]*`
const address = String.raw`(?:\d+(?:~\d+)?|\$|${pattern})`
const addresses = new RegExp(String.raw`(?:${address}(?:\s*,\s*(?:[+~]?\d+|\$|${pattern}))?)?\s*!?\s*`, 'y')

/** Moves past the match, and returns it. */
function skip(cursor: Cursor, sticky: RegExp): string | undefined {
  sticky.lastIndex = cursor.at
  const found = sticky.exec(cursor.text)?.[0]
  cursor.at += found?.length ?? 0
  return found
}

const ends = /[ \t]*(?=[;}\n]|$)/y

function readCommand(letter: string, cursor: Cursor): boolean {
  if ('pdDPnNgGhHxlz=F'.includes(letter)) return skip(cursor, ends) !== undefined
  if ('qQ'.includes(letter)) return skip(cursor, /[ \t]*\d{0,3}[ \t]*(?=[;}\n]|$)/y) !== undefined
  if ('btT'.includes(letter)) return skip(cursor, /[ \t]*[A-Za-z0-9_]*[ \t]*(?=[;}\n]|$)/y) !== undefined
  if (letter === ':') return skip(cursor, /[ \t]*[A-Za-z0-9_]+[ \t]*(?=[;\n]|$)/y) !== undefined
  // To the end of the line, and further after a backslash.
  if ('aic'.includes(letter)) return skip(cursor, /(?:[^\\\n]|\\[^])*(?=\n|$)/y) !== undefined
  if (letter !== 's' && letter !== 'y') return false
  return readParts(cursor) && skip(cursor, letter === 's' ? /[gpiImM0-9]*[ \t]*(?=[;}\n]|$)/y : ends) !== undefined
}

/** `s/a/b/`, with any delimiter that has no other meaning. */
function readParts(cursor: Cursor): boolean {
  const delimiter = cursor.text[cursor.at] ?? ''
  if (!/^[/|,#@!:%+_~]$/.test(delimiter)) return false
  cursor.at += 1
  return [0, 1].every((part) => {
    const start = cursor.at
    while (cursor.at < cursor.text.length && cursor.text[cursor.at] !== delimiter)
      cursor.at += cursor.text[cursor.at] === '\\' ? 2 : 1
    const found = cursor.text.slice(start, cursor.at)
    cursor.at += 1
    // Versions of sed disagree whether a delimiter in brackets ends the pattern.
    return cursor.at <= cursor.text.length && (part === 1 || hasClosedBrackets(found))
  })
}

const hasClosedBrackets = (regex: string): boolean =>
  !regex
    .replace(/\\./gs, '')
    .replace(/\[\^?\]?[^\]]*\]/g, '')
    .includes('[')
