// Checks that a text parses in the language of its file.

import { conflictMarkers, withInvalidMarkers } from './conflict-markers.ts'
import { judge } from './judges.ts'
import { languageOf, type Language } from './languages.ts'
import { maxProblems, type SyntaxProblem } from './problem.ts'
import { isTemplate, looksLikeTemplate } from './templates.ts'

export { languageOf } from './languages.ts'
export type { SyntaxProblem } from './problem.ts'

const maxBytes = 1024 * 1024

/**
 * The first problems of a text, at most five. None if the language is unknown, or if the text is too long, binary, a
 * template, or not parsed within two seconds. Rejects only if a parser cannot be loaded, with an `Error` whose message
 * can be shown: then nothing is known about the text.
 */
export async function syntaxProblems(path: string, text: string): Promise<readonly SyntaxProblem[]> {
  const language = languageOf(path, text)
  if (language === undefined || text.length > maxBytes || Buffer.byteLength(text) > maxBytes || text.includes('\0'))
    return []
  // A byte order mark is not part of the text.
  const plain = text.replace(/^\uFEFF/, '')
  const markers = conflictMarkers(plain)
  if (markers.length > 0 && !(await isQuoted(language, path, plain))) return markers
  if (isTemplate(language, plain)) return []
  const found = await judge(language, path, plain)
  return looksLikeTemplate(language, plain, found) ? [] : found.slice(0, maxProblems)
}

/**
 * Tests of merges contain such lines in a string, a here-document or a comment, where anything is valid, even
 * unbalanced brackets.
 */
async function isQuoted(language: Language, path: string, text: string): Promise<boolean> {
  // HTML accepts anything between tags, and YAML has no strings whose lines begin at the margin.
  if (language === 'html' || language === 'yaml') return false
  return (await judge(language, path, withInvalidMarkers(text))).length === 0
}
