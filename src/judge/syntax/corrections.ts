// Differences between a grammar and its language.

import type { GrammarName } from './grammar-files.ts'
import type { Tree } from './grammars.ts'
import type { SyntaxProblem } from './problem.ts'

export interface Corrections {
  /** Replaces syntax that the grammar does not know with accepted text of the same length. */
  readonly mask?: (text: string) => string
  /** Problems that the grammar misses. */
  readonly moreProblems?: (tree: Tree, text: string) => SyntaxProblem[]
  /** False for a problem that the language allows. */
  readonly isProblem?: (problem: SyntaxProblem, text: string) => boolean
}

/** Browsers accept a sign that begins neither a tag nor an entity. */
const maskStraySigns = (text: string): string =>
  text
    .replace(/<(?![a-z/!?])/gi, 'x')
    .replace(/&(?!#?\w+;)/g, 'x')
    // In a value without quotes: `href=/a?b=1`.
    .replace(/(?<=\s[\w:-]+=)[^\s"'<>]+/g, (value) => value.replaceAll('=', 'x'))

/** A partial page, such as a header or footer, may open tags that another part closes, and the reverse. */
function isPageProblem({ line, column }: SyntaxProblem, text: string): boolean {
  const lines = text.trimEnd().split('\n')
  const written = lines[line - 1] ?? ''
  if (line === lines.length && column > written.length && written.endsWith('>')) return false
  if (/<(!doctype|html)\b/i.test(text)) return true
  return !written.slice(0, column - 1).endsWith('</') && !written.startsWith('</', column - 1)
}

/**
 * Reports a surplus `end`, which the grammar takes for a variable name. It is left over at the top level, wherever it
 * was added.
 */
const strayEnds = (tree: Tree, text: string): SyntaxProblem[] =>
  tree.rootNode.namedChildren.flatMap((node) =>
    node.type === 'identifier' && text.slice(node.startIndex, node.endIndex) === 'end'
      ? [{ line: node.startPosition.row + 1, column: node.startPosition.column + 1, message: 'unexpected `end`' }]
      : [],
  )

export const corrections: Readonly<Partial<Record<GrammarName, Corrections>>> = {
  html: { mask: maskStraySigns, isProblem: isPageProblem },
  ruby: { moreProblems: strayEnds },
  // `try!` is a macro of the first edition; the grammar takes it for a keyword.
  rust: { mask: (text) => text.replace(/\btry!/g, 'tri!') },
  // Spaces may follow the backslash at the end of a line in a multi-line string.
  toml: { mask: (text) => text.replace(/(?<=[^\\])\\([ \t]+)(?=\r?$)/gm, '$1\\') },
}
