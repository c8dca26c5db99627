// Whether a text parses in the language of its file.

import { conflictMarkers, withoutSense } from './conflict-markers.ts'
import { judge } from './judges.ts'
import { languageOf, type Language } from './languages.ts'
import { maxProblems, type SyntaxProblem } from './problem.ts'
import { isTemplate, looksLikeTemplate } from './templates.ts'

export { languageOf } from './languages.ts'
export type { SyntaxProblem } from './problem.ts'

const maxBytes = 1024 * 1024

/**
 * The first problems of a text, five at most; none where the language is not known, or the text too long, no text, a
 * template, or too hard to be parsed in two seconds. It rejects, with an `Error` whose message can be shown, only where
 * a parser cannot be loaded: then nothing is known of the text.
 */
export async function syntaxProblems(path: string, text: string): Promise<readonly SyntaxProblem[]> {
  const language = languageOf(path, text)
  if (language === undefined || text.length > maxBytes || Buffer.byteLength(text) > maxBytes || text.includes('\0'))
    return []
  // A mark at the beginning that says UTF-8 is no part of the text.
  const plain = text.replace(/^\uFEFF/, '')
  const markers = conflictMarkers(plain)
  if (markers.length > 0 && !(await isQuoted(language, path, plain))) return markers
  if (isTemplate(language, plain)) return []
  const found = await judge(language, path, plain)
  return looksLikeTemplate(language, plain, found) ? [] : found.slice(0, maxProblems)
}

/**
 * A test of a merge has such lines in a string, a here-document or a comment: there anything may stand, brackets
 * without a partner too.
 */
async function isQuoted(language: Language, path: string, text: string): Promise<boolean> {
  // To the first, whatever stands between its tags is right; the second has no strings of which a line begins at the
  // margin.
  if (language === 'html' || language === 'yaml') return false
  return (await judge(language, path, withoutSense(text))).length === 0
}
