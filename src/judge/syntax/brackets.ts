// Brackets, quotes and comments. For C and C++ they are all that is judged: only a preprocessor with all headers knows
// what a macro makes of the text.

import { maxProblems, problemAt, type SyntaxProblem } from './problem.ts'

export type Bracketed = 'c' | 'css'

/** What is no code: nothing in it is a bracket or a directive. */
const skipped = String.raw`\/\/(?:\\\r?\n|[^\n])*|\/\*[\s\S]*?\*\/|(?<!\w)(?:u8|[uUL])?R"(?<raw>[^\s()\\"]{0,16})\([\s\S]*?\)\k<raw>"|"(?:[^"\\\n]|\\\r?\n|\\.)*"|'(?:[^'\\\n]|\\\r?\n|\\.)*'|(?<![\w.])\.?\d(?:[\w.]|'(?=\w))*`
/** Up to the end of its last line; a comment in it may have several, and one that has no end takes all that follows. */
const directive = String.raw`(?<=^[ \t]*)#(?:\\[ \t]*\r?\n|\\[^\n]|\/\*[\s\S]*?\*\/|(?<open>\/\*[\s\S]*)|"(?:[^"\\\n]|\\.)*"|\/\/(?:\\\r?\n|[^\n])*|[^\n])*`

/** Each alternative that can reach far is followed by one for where it has no end: so no text is read twice. */
const patterns: Readonly<Record<Bracketed, RegExp>> = {
  c: new RegExp(
    String.raw`(?<skip>${skipped})|(?<directive>${directive})|(?<bracket>[()[\]{}])|(?<endless>\/\*|(?<!\w)R"[^\s()\\"]{0,16}\(|["'])`,
    'gm',
  ),
  css: /(?<skip>\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\\r?\n|\\.)*"|'(?:[^'\\\n]|\\\r?\n|\\.)*'|\\.|\burl\(\s*(?![\s"'])(?:[^)"'\\\n]|\\.)*\))|(?<bracket>[()[\]{}])|(?<endless>\/\*|["'])/gi,
}

const partner: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

const endlessness = (found: string): string =>
  found === '/*' ? 'the comment is never closed' : `the \`${found.startsWith("'") ? "'" : '"'}\` is never closed`

/** Headers are read by assemblers, too, and what is for C alone is not for C++. */
const neverCounts =
  /^(?:if[ \t]+0\b|(?:ifndef|if[ \t]+![ \t]*defined)[ \t]*\(?[ \t]*__cplusplus\b|(?:ifdef[ \t]+|if[ \t]+(?:defined[ \t]*\(?[ \t]*)?)(?:_*ASSEMBL(?:ER|Y)_*|_*ASM_*|LOCORE)\b)/

/**
 * Of `#if … #else … #endif` the first part counts, and of `#if 0` the second: each is a whole, and both together often
 * are not. Returns whether what follows the directive counts.
 */
function makeConditions(): (directive: string) => boolean {
  /** For each `#if` that is open: whether what stands around it counts, and whether a part of it has counted. */
  const open: { readonly around: boolean; had: boolean }[] = []
  let counts = true
  return (given) => {
    const condition = given.replace(/^#[ \t]*/, '')
    const [name = ''] = /^\w*/.exec(condition) ?? []
    const last = open.at(-1)
    if (/^if(n?def)?$/.test(name)) {
      const had = !neverCounts.test(condition)
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
