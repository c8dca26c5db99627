// Programs of the user's own that only read in some of their forms: what `safety` in the configuration says. An entry speaks about one
// simple command of the tree, never about a line of text, so nothing can be appended to what it allows.

import { literalsOf, type Argument } from './argument.ts'

export interface SafetyEntry {
  /** The program, with the words that always follow it: `npx go-gmail`. */
  readonly tool: string
  /** Words after these: `*` stands for one word that is no option, or for any text within a word; `**` at the end for any number of such words. */
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
    // Without a program every command would be meant.
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

/** A star does not stand for an option: `* search *` must not let `--delete` through. */
function matchesWord(part: string, word: string): boolean {
  if (!part.includes('*')) return part === word
  if (word.startsWith('-') && !part.startsWith('-')) return false
  const [start = '', ...rest] = part.split('*')
  if (!word.startsWith(start)) return false
  let at = start.length
  for (const [index, piece] of rest.entries()) {
    const found = index === rest.length - 1 ? word.length - piece.length : word.indexOf(piece, at)
    if (found < at || !word.startsWith(piece, found)) return false
    at = found + piece.length
  }
  return true
}
