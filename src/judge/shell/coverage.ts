// Checks that the tree covers all of the text. The parser is tolerant and silently drops some text: it reads `ls (x` as
// `ls x`. So any text that no leaf of the tree covers must be an operator or keyword that joins commands.

import { forEachChild, type ParsedScript, type SyntaxNode } from './parse.ts'
import { excerpt, type Problem } from './verdict.ts'

export interface Region {
  readonly start: number
  readonly end: number
}

/** Nodes whose text is judged as a whole, elsewhere. */
const leaves = new Set<SyntaxNode['type']>([
  'Word',
  'Assignment',
  'Redirect',
  'HereString',
  'HereDoc',
  'Time',
  'Negation',
  'TestCommand',
  'ArithmeticCommand',
])

const joining = new Set(
  `; ;; & && | || |& ( ) { } ! if then elif else fi for in do done while until case esac ;& ;;& function coproc select`
    .split(' ')
    .concat('\\\n'),
)
const functionHead = /^(function\s+)?[^\s()]+\s*(\(\s*\))?\s*$/
const token = /#.*|[;&|]+|[(){}]|\\\n|[^\s;&|(){}\\]+|\S/g

export function findUncovered(script: ParsedScript, source: string, { start, end }: Region): Problem {
  const covered: Region[] = []
  const subshells = new Set<number>()
  const cover = ({ pos, end }: { readonly pos: number; readonly end: number }): void =>
    void covered.push({ start: pos, end })
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Subshell') subshells.add(node.pos)
    // The text before the body: `f()`, `for ((…)); do`.
    if (node.type === 'Function' && functionHead.test(source.slice(node.pos, node.body.pos)))
      cover({ pos: node.pos, end: node.body.pos })
    if (node.type === 'ArithmeticFor') cover({ pos: node.pos, end: node.body.pos })
    if (!leaves.has(node.type)) return forEachChild(node, visit)
    cover(node)
    if (node.type !== 'HereDoc') return
    cover(node.body)
    if (node.closing !== undefined) cover(node.closing)
  }
  visit(script)
  let at = start
  for (const leaf of [...covered.toSorted((a, b) => a.start - b.start), { start: end, end }]) {
    for (const found of source.slice(at, Math.max(at, leaf.start)).matchAll(token)) {
      const [text] = found
      if (text.startsWith('#')) continue
      if (!joining.has(text) || (text === '(' && !subshells.has(at + found.index)))
        return `${excerpt(text)} is not part of any command`
    }
    at = Math.max(at, leaf.end)
  }
  return undefined
}
