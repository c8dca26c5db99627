// Brackets, quotes and comments of C, C++ and CSS: what is wrong with them is said best by counting, and where they are not right, a parser says a lot that is not.

import { codePattern, makeConditions } from './c/directives.ts'
import { maxProblems, problemAt, type SyntaxProblem } from './problem.ts'

export type Bracketed = 'c' | 'cpp' | 'css'

const css =
  /(?<skip>\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\\r?\n|\\.)*"|'(?:[^'\\\n]|\\\r?\n|\\.)*'|\\.|\burl\(\s*(?![\s"'])(?:[^)"'\\\n]|\\.)*\))|(?<bracket>[()[\]{}])|(?<endless>\/\*|["'])/gi

const patterns: Readonly<Record<Bracketed, RegExp>> = { c: codePattern, cpp: codePattern, css }

const partner: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

const endlessness = (found: string): string => (found === '/*' ? 'the comment is never closed' : `the \`${found.startsWith("'") ? "'" : '"'}\` is never closed`)

export function bracketProblems(language: Bracketed, text: string): SyntaxProblem[] {
  const open: { readonly sign: string; readonly offset: number }[] = []
  const condition = makeConditions('cpp')
  let counts = true
  for (const { 0: found, index, groups } of text.matchAll(patterns[language])) {
    if (groups?.['directive'] !== undefined) counts = condition(found)
    const endless = groups?.['open']
    if (endless !== undefined) return [problemAt(text, index + found.length - endless.length, endlessness('/*'))]
    // Prose is allowed where nothing is compiled.
    if (!counts || groups?.['skip'] !== undefined || groups?.['directive'] !== undefined) continue
    if (groups?.['endless'] !== undefined) return [problemAt(text, index, endlessness(found))]
    const opening = partner[found]
    if (opening === undefined) open.push({ sign: found, offset: index })
    else if (open.pop()?.sign !== opening) return [problemAt(text, index, `unexpected \`${found}\``)]
  }
  return open.slice(0, maxProblems).map(({ sign, offset }) => problemAt(text, offset, `\`${sign}\` is never closed`))
}
