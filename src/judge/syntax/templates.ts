// Texts from which another text is made: Helm, Jinja, ERB, Handlebars and their like. What they make is not known, so
// nothing is said of them.

import type { Language } from './languages.ts'
import type { SyntaxProblem } from './problem.ts'

/**
 * In these a placeholder may stand where the language has nothing, and may repeat or leave out what the language wants
 * once.
 */
const oftenTemplates: ReadonlySet<Language> = new Set(['html', 'yaml'])

// Searched for one by one: a pattern from the one to the other would take hours for a long line of the first.
const hasBlocks = (text: string): boolean =>
  (text.includes('{%') && text.includes('%}')) || (text.includes('<%') && text.includes('%>'))
const hasPlaceholders = (text: string): boolean => text.includes('{{') && text.includes('}}')

export function isTemplate(language: Language, text: string): boolean {
  return oftenTemplates.has(language) && (hasBlocks(text) || hasPlaceholders(text))
}

/** Elsewhere it is one if it does not parse, and has blocks, or a placeholder where it does not parse. */
export function looksLikeTemplate(language: Language, text: string, [first]: readonly SyntaxProblem[]): boolean {
  if (first === undefined) return false
  // The line before it, too: some parsers notice at the end of a line that something was wrong in it.
  const lines = text.split('\n').slice(Math.max(0, first.line - 2), first.line)
  // Not an object in an attribute of JSX, `style={{ … }}`, in an argument or in a list.
  const opening = language === 'json' || language === 'jsonc' ? /\{\{/ : /(?<![=([,:?] ?)\{\{/
  return hasBlocks(text) || lines.some((line) => line.includes('}}') && opening.test(line))
}
