// Templates: Helm, Jinja, ERB, Handlebars and the like. Their output is unknown, so no problem is reported.

import type { Language } from './languages.ts'
import type { SyntaxProblem } from './problem.ts'

/**
 * In these languages a placeholder may stand where the syntax allows nothing, and may repeat or omit required parts.
 */
const oftenTemplates: ReadonlySet<Language> = new Set(['html', 'yaml'])

// Two separate searches: one pattern from the first to the second would be quadratic on a long line.
const hasBlocks = (text: string): boolean =>
  (text.includes('{%') && text.includes('%}')) || (text.includes('<%') && text.includes('%>'))
const hasPlaceholders = (text: string): boolean => text.includes('{{') && text.includes('}}')

export function isTemplate(language: Language, text: string): boolean {
  return oftenTemplates.has(language) && (hasBlocks(text) || hasPlaceholders(text))
}

/**
 * In other languages a text is a template if it does not parse and has blocks, or a placeholder at the first problem.
 */
export function looksLikeTemplate(language: Language, text: string, [first]: readonly SyntaxProblem[]): boolean {
  if (first === undefined) return false
  // The previous line too: some parsers notice an error only at the end of the line.
  const lines = text.split('\n').slice(Math.max(0, first.line - 2), first.line)
  // Not an object in a JSX attribute (`style={{ … }}`), an argument or a list.
  const opening = language === 'json' || language === 'jsonc' ? /\{\{/ : /(?<![=([,:?] ?)\{\{/
  return hasBlocks(text) || lines.some((line) => line.includes('}}') && opening.test(line))
}
