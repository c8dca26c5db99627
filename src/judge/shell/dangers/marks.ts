// Marks in the text of a word for what has no text, and how messages show it.

import { excerpt as shorten } from '../verdict.ts'

/** Stands for the `$` of an unknown expansion. No command can hold it: parse.ts refuses private characters. */
export const unknown = '\u{E000}'

/** The top of the repository, by a name that means the same in every directory. */
export const top = '<repository>'

/** Patterns are tried on no more than this: some of them take time in the second power of the length. */
export const maxLine = 4096

/** Whether a text is one unknown expansion and nothing else. */
export const isUnseen = (text: string): boolean => /^\u{E000}(\w+|\{[^}]*\}|\([^]*\))$/u.test(text)

export const excerpt = (text: string): string => shorten(text.replaceAll(unknown, '$').replaceAll(top, '.'), 60)
