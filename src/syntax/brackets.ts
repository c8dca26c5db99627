// Brackets, quotes and comments, for the languages whose grammars say too much: C and C++, since only a preprocessor knows what a macro makes of the text, and CSS.

import { maxProblems, problemAt, type SyntaxProblem } from './problem.ts'

export type Bracketed = 'c' | 'cpp' | 'css'

// What is found and no bracket is left out of the count. Each alternative that can reach far is followed by one for where it has no end, at which reading stops: so
// no text is read twice.
const cLike =
  /(?<skip>\/\/(?:\\\r?\n|[^\n])*|\/\*[\s\S]*?\*\/|(?<!\w)(?:u8|[uUL])?R"(?<raw>[^\s()\\"]{0,16})\([\s\S]*?\)\k<raw>"|"(?:[^"\\\n]|\\\r?\n|\\.)*"|'(?:[^'\\\n]|\\\r?\n|\\.)*'|(?<![\w.])\.?\d(?:[\w.]|'(?=\w))*)|(?<directive>(?<=^[ \t]*)#(?:\\\r?\n|\/\*[\s\S]*?\*\/|\/\/[^\n]*|[^\n])*)|(?<bracket>[()[\]{}])|(?<endless>\/\*|(?<!\w)R"[^\s()\\"]{0,16}\(|["'])/gm

const css =
  /(?<skip>\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\\r?\n|\\.)*"|'(?:[^'\\\n]|\\\r?\n|\\.)*'|\\.|\burl\(\s*(?![\s"'])(?:[^)"'\\\n]|\\.)*\))|(?<bracket>[()[\]{}])|(?<endless>\/\*|["'])/gi

const patterns: Readonly<Record<Bracketed, RegExp>> = { c: cLike, cpp: cLike, css }

const partner: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/**
 * Of `#if … #else … #endif` the first part counts, and of `#if 0` the second: each is a whole, and both together often are not. Returns whether what follows the
 * directive counts.
 */
function makeConditions(): (directive: string) => boolean {
  /** For each `#if` that is open: whether what stands around it counts, and whether a part of it has counted. */
  const open: { readonly around: boolean; had: boolean }[] = []
  let counts = true
  return (directive) => {
    const [, name = '', rest = ''] = /^#[ \t]*(\w*)[ \t]*(.*)/.exec(directive) ?? []
    const last = open.at(-1)
    if (/^if(n?def)?$/.test(name)) {
      open.push({ around: counts, had: name !== 'if' || !/^0\b/.test(rest) })
      counts &&= open.at(-1)?.had ?? true
    } else if (/^(else|elif|elifn?def)$/.test(name) && last !== undefined) {
      counts = last.around && !last.had
      last.had = true
    } else if (name === 'endif' && last !== undefined) {
      counts = last.around
      open.pop()
    }
    return counts
  }
}

const endlessness = (found: string): string => (found === '/*' ? 'the comment is never closed' : `the \`${found.startsWith("'") ? "'" : '"'}\` is never closed`)

export function bracketProblems(language: Bracketed, text: string): SyntaxProblem[] {
  const open: { readonly sign: string; readonly offset: number }[] = []
  const condition = makeConditions()
  let counts = true
  for (const { 0: found, index, groups } of text.matchAll(patterns[language])) {
    if (groups?.['directive'] !== undefined) counts = condition(found)
    // Prose is allowed where nothing is compiled.
    if (!counts || groups?.['skip'] !== undefined || groups?.['directive'] !== undefined) continue
    if (groups?.['endless'] !== undefined) return [problemAt(text, index, endlessness(found))]
    const opening = partner[found]
    if (opening === undefined) open.push({ sign: found, offset: index })
    else if (open.pop()?.sign !== opening) return [problemAt(text, index, `unexpected \`${found}\``)]
  }
  return open.slice(0, maxProblems).map(({ sign, offset }) => problemAt(text, offset, `\`${sign}\` is never closed`))
}
