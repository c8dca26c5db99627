// What the preprocessor is told. Of `#if … #else … #endif` the first part counts, and of `#if 0` the second: each is a whole, and both together often are not.

import type { Dialect } from './tokens.ts'

/** What is no code: nothing in it is a bracket or a directive. */
const skipped = String.raw`\/\/(?:\\\r?\n|[^\n])*|\/\*[\s\S]*?\*\/|(?<!\w)(?:u8|[uUL])?R"(?<raw>[^\s()\\"]{0,16})\([\s\S]*?\)\k<raw>"|"(?:[^"\\\n]|\\\r?\n|\\.)*"|'(?:[^'\\\n]|\\\r?\n|\\.)*'|(?<![\w.])\.?\d(?:[\w.]|'(?=\w))*`
/** Up to the end of its last line; a comment in it may have several, and one that has no end takes all that follows. */
const directive = String.raw`(?<=^[ \t]*)#(?:\\[ \t]*\r?\n|\\[^\n]|\/\*[\s\S]*?\*\/|(?<open>\/\*[\s\S]*)|"(?:[^"\\\n]|\\.)*"|\/\/(?:\\\r?\n|[^\n])*|[^\n])*`

/** Each alternative that can reach far is followed by one for where it has no end: so no text is read twice. */
export const codePattern = new RegExp(
  String.raw`(?<skip>${skipped})|(?<directive>${directive})|(?<bracket>[()[\]{}])|(?<endless>\/\*|(?<!\w)R"[^\s()\\"]{0,16}\(|["'])`,
  'gm',
)

const isForCpp = /^(?:ifdef[ \t]+|if[ \t]+(?:defined[ \t]*\(?[ \t]*)?)__cplusplus\b/
const isForC = /^(?:ifndef[ \t]+|if[ \t]+![ \t]*(?:defined[ \t]*\(?[ \t]*)?)__cplusplus\b/
/** Headers are read by assemblers, too. */
const isForAssembler = /^(?:ifdef[ \t]+|if[ \t]+(?:defined[ \t]*\(?[ \t]*)?)(?:_*ASSEMBL(?:ER|Y)_*|_*ASM_*|_ASMLANGUAGE|_*LANGUAGE_ASSEMBLY_*|LOCORE)\b/

function firstCounts(name: string, rest: string, dialect: Dialect): boolean {
  if (name === 'if' && /^0\b/.test(rest)) return false
  const condition = `${name} ${rest}`
  return !isForAssembler.test(condition) && !(dialect === 'c' ? isForCpp : isForC).test(condition)
}

/** Returns whether what follows the directive counts. */
export function makeConditions(dialect: Dialect): (directive: string) => boolean {
  /** For each `#if` that is open: whether what stands around it counts, and whether a part of it has counted. */
  const open: { readonly around: boolean; had: boolean }[] = []
  let counts = true
  return (given) => {
    const [, name = '', rest = ''] = /^#[ \t]*(\w*)[ \t]*(.*)/.exec(given) ?? []
    const last = open.at(-1)
    if (/^if(n?def)?$/.test(name)) {
      const had = firstCounts(name, rest, dialect)
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

const blank = (text: string): string => text.replace(/[^\r\n]/g, ' ')

/** The text with spaces for directives and for what is not compiled. */
export function compiledOf(text: string, dialect: Dialect): string {
  const condition = makeConditions(dialect)
  const pieces: string[] = []
  let [from, counts] = [0, true]
  const put = (to: number): void => {
    pieces.push(counts ? text.slice(from, to) : blank(text.slice(from, to)))
    from = to
  }
  for (const { 0: found, index, groups = {} } of text.matchAll(codePattern)) {
    if (groups['endless']?.length !== undefined && groups['endless'].length > 1) break
    if (groups['directive'] === undefined) continue
    put(index)
    pieces.push(blank(found))
    from += found.length
    counts = condition(found)
  }
  put(text.length)
  return pieces.join('')
}
