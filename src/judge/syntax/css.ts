// Style sheets: brackets and quotes first, then the first error of css-tree's parser. It does not know all of today's
// nesting, nor the hacks and dialects found in .css files; an error at one of those is not reported.

import parse from 'css-tree/parser'
import { withinTime } from '../../plan/text/within-time.ts'
import { bracketProblems } from './brackets.ts'
import { problemAt, unexpected, type SyntaxProblem } from './problem.ts'

/** Line comments, front matter or PHP: quotes and brackets may not mean what they seem to. */
const isOtherText = /^---[ \t]*\r?\n|<\?(?:php\b|=)|^[^\S\n]*\/\/|[;{}][^\S\n]*\/\//m
/** PostCSS, Sass, Less, Qt: `$name`, `#{name}`, `@{name}`, `%name`, `.mixin(`, `:!state`. */
const hasOtherSigns = /\$[\w({-]|[#@]\{|%[a-z]|\.[\w-]+\(|:!(?!i)/i
/** `*` in custom property names, argument lists, `a || b`, `[;a: b;]`. */
const unknownSigns = '*,|['
/** Values that only old browsers understood. */
const isHack = /(?:filter|behavior|zoom|interpolation-mode)\s*:[^;{}]*$|\\[^;{}]*$/i

const comments = /\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|\burl\([^)"']*\)/gi

export function cssProblems(text: string, milliseconds: number): SyntaxProblem[] {
  // Blanked to the same length, so that offsets stay the same.
  const code = text.replace(comments, (found) => found.replace(/[^\n]/g, ' '))
  if (isOtherText.test(code)) return []
  const unbalanced = bracketProblems('css', text)
  if (unbalanced.length > 0 || hasOtherSigns.test(code)) return unbalanced
  let first: number | undefined
  withinTime(milliseconds, () =>
    parse(text, { parseAtrulePrelude: false, onParseError: ({ offset }) => (first ??= offset) }),
  )
  if (first === undefined) return []
  const before = code.slice(0, first)
  const isInBlock = before.split('{').length > before.split('}').length
  const isNestedRule = isInBlock && /^[^;{}]*\{/.test(code.slice(first))
  return isNestedRule || unknownSigns.includes(code[first] ?? ' ') || isHack.test(before)
    ? []
    : [problemAt(text, first, unexpected(text, first))]
}
