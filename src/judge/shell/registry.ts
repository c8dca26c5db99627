// The user's own programs that only read in some forms: `safety` in the configuration. An entry applies to one simple
// command of the tree, never to a line of text, so nothing can be appended to what it allows.

import { literalsOf, type Argument } from './argument.ts'

export interface SafetyEntry {
  /** The program and the words that always follow it: `npx go-gmail`. */
  readonly tool: string
  /**
   * Patterns for the words after the tool: `*` matches one word that is not an option, or any text within a word; `**`
   * at the end matches any number of such words.
   */
  readonly read: readonly string[]
  readonly examples?:
    | { readonly read?: readonly string[] | undefined; readonly write?: readonly string[] | undefined }
    | undefined
}

export type Registry = readonly { readonly tool: readonly string[]; readonly read: readonly (readonly string[])[] }[]

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

export const registryOf = (entries: readonly SafetyEntry[]): Registry =>
  entries
    .map(({ tool, read }) => ({ tool: wordsOf(tool), read: read.map(wordsOf) }))
    // Without a program the entry would match every command.
    .filter(({ tool }) => tool.length > 0)

export function readsByRegistry(registry: Registry, words: readonly Argument[]): boolean {
  if (registry.length === 0) return false
  const literals = literalsOf(words)
  return (
    literals !== undefined &&
    registry.some(
      ({ tool, read }) =>
        tool.every((word, at) => word === literals[at]) &&
        read.some((pattern) => matches(pattern, literals.slice(tool.length))),
    )
  )
}

function matches(pattern: readonly string[], words: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '**'
  const fixed = isOpen ? pattern.slice(0, -1) : pattern
  if (isOpen ? words.length < fixed.length : words.length !== fixed.length) return false
  return (
    fixed.every((part, at) => matchesWord(part, words[at] ?? '')) &&
    words.slice(fixed.length).every((word) => !word.startsWith('-'))
  )
}

/** A star does not match an option: `* search *` must not allow `--delete`. */
function matchesWord(part: string, word: string): boolean {
  if (part.includes('*') && word.startsWith('-') && !part.startsWith('-')) return false
  return matchesStars(part, word)
}

/** A star in the pattern matches any text. */
export function matchesStars(pattern: string, text: string): boolean {
  const [start = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return start === text
  if (!text.startsWith(start)) return false
  let at = start.length
  for (const [index, piece] of rest.entries()) {
    const found = index === rest.length - 1 ? text.length - piece.length : text.indexOf(piece, at)
    if (found < at || !text.startsWith(piece, found)) return false
    at = found + piece.length
  }
  return true
}
