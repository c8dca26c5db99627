// Checks brackets, quotes and comments. For C and C++ nothing else is checked: macros can only be expanded with all
// headers.

import { maxProblems, problemAt, type SyntaxProblem } from './problem.ts'

export type Bracketed = 'c' | 'css'

/** Comments, strings and numbers, in which nothing is a bracket or a directive. */
const skipped = String.raw`\/\/(?:\\\r?\n|[^\n])*|\/\*[\s\S]*?\*\/|(?<!\w)(?:u8|[uUL])?R"(?<raw>[^\s()\\"]{0,16})\([\s\S]*?\)\k<raw>"|"(?:[^"\\\n]|\\\r?\n|\\.)*"|'(?:[^'\\\n]|\\\r?\n|\\.)*'|(?<![\w.])\.?\d(?:[\w.]|'(?=\w))*`
/**
 * A directive up to the end of its last line. A comment in it may span lines; an unclosed one takes the rest of the
 * text.
 */
const directive = String.raw`(?<=^[ \t]*)#(?:\\[ \t]*\r?\n|\\[^\n]|\/\*[\s\S]*?\*\/|(?<open>\/\*[\s\S]*)|"(?:[^"\\\n]|\\.)*"|\/\/(?:\\\r?\n|[^\n])*|[^\n])*`

/**
 * Each alternative that can match far ahead is followed by one for the unclosed case, so that no text is scanned twice.
 */
const patterns: Readonly<Record<Bracketed, RegExp>> = {
  c: new RegExp(
    String.raw`(?<skip>${skipped})|(?<directive>${directive})|(?<bracket>[()[\]{}])|(?<endless>\/\*|(?<!\w)R"[^\s()\\"]{0,16}\(|["'])`,
    'gm',
  ),
  css: /(?<skip>\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\\r?\n|\\.)*"|'(?:[^'\\\n]|\\\r?\n|\\.)*'|\\.|\burl\(\s*(?![\s"'])(?:[^)"'\\\n]|\\.)*\))|(?<bracket>[()[\]{}])|(?<endless>\/\*|["'])/gi,
}

const partner: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

const unclosedMessage = (found: string): string =>
  found === '/*' ? 'the comment is never closed' : `the \`${found.startsWith("'") ? "'" : '"'}\` is never closed`

/** Conditions that are never true for C or C++: `#if 0`, code for C only in headers of both, code for assemblers. */
const neverCompiled =
  /^(?:if[ \t]+0\b|(?:ifndef|if[ \t]+![ \t]*defined)[ \t]*\(?[ \t]*__cplusplus\b|(?:ifdef[ \t]+|if[ \t]+(?:defined[ \t]*\(?[ \t]*)?)(?:_*ASSEMBL(?:ER|Y)_*|_*ASM_*|LOCORE)\b)/

/**
 * Of `#if … #else … #endif` only the first branch is checked, and of `#if 0` the second: each branch is balanced, but
 * both together often are not. The returned function takes a directive and returns whether the text after it is
 * checked.
 */
function makeConditions(): (directive: string) => boolean {
  /** For each open `#if`: whether the text around it is checked, and whether a branch of it was. */
  const open: { readonly around: boolean; had: boolean }[] = []
  let counts = true
  return (given) => {
    const condition = given.replace(/^#[ \t]*/, '')
    const [name = ''] = /^\w*/.exec(condition) ?? []
    const last = open.at(-1)
    if (/^if(n?def)?$/.test(name)) {
      const had = !neverCompiled.test(condition)
      open.push({ around: counts, had })
      counts &&= had
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

export function bracketProblems(language: Bracketed, text: string): SyntaxProblem[] {
  const open: { readonly sign: string; readonly offset: number }[] = []
  const condition = makeConditions()
  let counts = true
  for (const { 0: found, index, groups } of text.matchAll(patterns[language])) {
    if (groups?.['directive'] !== undefined) counts = condition(found)
    const endless = groups?.['open']
    if (endless !== undefined) return [problemAt(text, index + found.length - endless.length, unclosedMessage('/*'))]
    // Text that is not compiled may be prose.
    if (!counts || groups?.['skip'] !== undefined || groups?.['directive'] !== undefined) continue
    if (groups?.['endless'] !== undefined) return [problemAt(text, index, unclosedMessage(found))]
    const opening = partner[found]
    if (opening === undefined) open.push({ sign: found, offset: index })
    else if (open.pop()?.sign !== opening) return [problemAt(text, index, `unexpected \`${found}\``)]
  }
  return open.slice(0, maxProblems).map(({ sign, offset }) => problemAt(text, offset, `\`${sign}\` is never closed`))
}
