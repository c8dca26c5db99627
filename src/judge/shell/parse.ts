// Parses a shell script. Only this file imports unbash. The parser recovers from errors and continues, which is not
// acceptable here: a tree that may differ from the one in bash says nothing about what bash would do.

import { parse, type ParsedScript, type Statement } from 'unbash'

export type * from 'unbash'
export { forEachChild } from 'unbash'

/** Any node in command position. */
export type Node = Statement['command']

export type Parsed =
  | { readonly script: ParsedScript }
  /** `at`: the position in the text, if known. `hidden`: the problem is an invisible character. */
  | { readonly problem: string; readonly at?: number; readonly hidden?: true }

/** Far more than a person reads before approving. */
const maxLength = 64 * 1024

/** Control characters except tab and newline, and characters that are invisible, break lines or change direction. */
const hidden = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Cs}\p{Co}\p{Cn}]/u

export function parseShell(text: string): Parsed {
  if (text.length > maxLength) return { problem: 'the command is too long to be judged' }
  const found = hidden.exec(text)
  if (found !== null) {
    const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return { problem: `the command contains the character U+${code}`, at: found.index, hidden: true }
  }
  // At the end of the text bash drops the backslash, or waits for more.
  if (text.endsWith('\\')) return { problem: 'the command ends in a backslash' }
  return checkErrors(parse(text))
}

/** Substitutions are parsed when they are first accessed, and have errors of their own. */
export function checkErrors(script: ParsedScript | undefined): Parsed {
  if (script === undefined) return { problem: 'a substitution cannot be parsed' }
  const error = script.errors?.[0]
  return error === undefined ? { script } : { problem: `the command cannot be parsed: ${error.message}`, at: error.pos }
}
