// Text → the tree of a shell script. unbash is behind this door alone. It repairs what is broken and goes on; we do not: a tree that is
// not certainly the one that bash has says nothing about what bash would do.

import { parse, type ParsedScript, type Statement } from 'unbash'

export type * from 'unbash'
export { forEachChild } from 'unbash'

/** Whatever can stand where a command can. */
export type Node = Statement['command']

export type Parsed =
  | { readonly script: ParsedScript }
  /** `at`: where in the text, as far as that is known. `hidden`: a character that nobody sees is the problem. */
  | { readonly problem: string; readonly at?: number; readonly hidden?: true }

/** Far more than a person reads before agreeing to it. */
const maxLength = 64 * 1024

/** Control characters but tab and newline, and what is invisible, breaks lines or turns the direction of text. */
const hidden = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Cs}\p{Co}\p{Cn}]/u

export function parseShell(text: string): Parsed {
  if (text.length > maxLength) return { problem: 'the command is too long to be judged' }
  const found = hidden.exec(text)
  if (found !== null) {
    const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return { problem: `the command holds the character U+${code}`, at: found.index, hidden: true }
  }
  // At the end of the text bash drops it, or waits for more.
  if (text.endsWith('\\')) return { problem: 'the command ends in a backslash' }
  return withoutErrors(parse(text))
}

/** Substitutions have errors of their own, and are parsed when they are first looked at. */
export function withoutErrors(script: ParsedScript | undefined): Parsed {
  if (script === undefined) return { problem: 'a substitution cannot be parsed' }
  const error = script.errors?.[0]
  return error === undefined ? { script } : { problem: `it cannot be parsed: ${error.message}`, at: error.pos }
}
