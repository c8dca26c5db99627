// Where a grammar and its language differ.

import type { GrammarName } from './grammar-files.ts'
import type { Tree } from './grammars.ts'
import type { SyntaxProblem } from './problem.ts'

export interface Corrections {
  /** The text with what the grammar does not know put in another way of the same length. */
  readonly mask?: (text: string) => string
  /** What the grammar lets pass. */
  readonly more?: (tree: Tree, text: string) => SyntaxProblem[]
  /** False for what is no problem. */
  readonly lets?: (problem: SyntaxProblem, text: string) => boolean
}

/** A sign that begins no tag and no entity is itself: browsers take it. */
const plainSigns = (text: string): string =>
  text
    .replace(/<(?![a-z/!?])/gi, 'x')
    .replace(/&(?!#?\w+;)/g, 'x')
    // Of a value without quotes: `href=/a?b=1`.
    .replace(/(?<=\s[\w:-]+=)[^\s"'<>]+/g, (value) => value.replaceAll('=', 'x'))

/**
 * Part of a page, such as its head or its foot, may open what another part closes, and close what another part has
 * opened.
 */
function isOfThisPage({ line, column }: SyntaxProblem, text: string): boolean {
  const lines = text.trimEnd().split('\n')
  const written = lines[line - 1] ?? ''
  if (line === lines.length && column > written.length && written.endsWith('>')) return false
  if (/<(!doctype|html)\b/i.test(text)) return true
  return !written.slice(0, column - 1).endsWith('</') && !written.startsWith('</', column - 1)
}

/**
 * One `end` too many, which the grammar has for the name of a variable. It is left over at the top, wherever it was
 * added.
 */
const strayEnds = (tree: Tree, text: string): SyntaxProblem[] =>
  tree.rootNode.namedChildren.flatMap((node) =>
    node.type === 'identifier' && text.slice(node.startIndex, node.endIndex) === 'end'
      ? [{ line: node.startPosition.row + 1, column: node.startPosition.column + 1, message: 'unexpected `end`' }]
      : [],
  )

export const corrections: Readonly<Partial<Record<GrammarName, Corrections>>> = {
  html: { mask: plainSigns, lets: isOfThisPage },
  ruby: { more: strayEnds },
  // `try!` is a macro of the first edition, and the grammar has it for a keyword.
  rust: { mask: (text) => text.replace(/\btry!/g, 'tri!') },
  // A backslash at the end of a line of a long string may have spaces after it.
  toml: { mask: (text) => text.replace(/(?<=[^\\])\\([ \t]+)(?=\r?$)/gm, '$1\\') },
}
