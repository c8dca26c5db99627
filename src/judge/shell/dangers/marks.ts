// Placeholders in the text of a word for unknown values, and how messages show them.

import { excerpt as shorten } from '../verdict.ts'

/** Replaces the `$` of an unknown expansion. No command can contain it: parse.ts refuses private-use characters. */
export const unknown = '\u{E000}'

/** The top of the repository, under a name that is valid in every directory. */
export const top = '<repository>'

/** Patterns are tried on at most this many characters: some are quadratic in the length. */
export const maxLine = 4096

/** True if a text is a single unknown expansion. */
export const isUnknownExpansion = (text: string): boolean => /^\u{E000}(\w+|\{[^}]*\}|\([^]*\))$/u.test(text)

export const excerpt = (text: string): string => shorten(text.replaceAll(unknown, '$').replaceAll(top, '.'), 60)
