// A tree → what is wrong with its text. Parsers of this kind go on after a mistake: what they could not place is an ERROR node, what they added is a missing one.

import type { Node, Tree } from './grammars.ts'
import { maxProblems, problemAt, tokenAt, unexpected, type SyntaxProblem } from './problem.ts'

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
const isClosing = (type: string): boolean => type === ')' || type === ']' || type === '}'

/** A part of this size takes a tenth of a second to look at. */
const maxNodes = 50_000

const at = (node: Node, message: string): SyntaxProblem => ({ line: node.startPosition.row + 1, column: node.startPosition.column + 1, message })

/** Nodes in the order of the text, children after their parents; of those that `enters` refuses not the children. Not recursive: a tree may be deeper than the stack. */
function* nodesOf(tree: Tree | Node, enters: (node: Node) => boolean): Generator<Node> {
  const cursor = tree.walk()
  try {
    for (;;) {
      const node = cursor.currentNode
      yield node
      if (enters(node) && cursor.gotoFirstChild()) continue
      while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return
    }
  } finally {
    cursor.delete()
  }
}

/** Kinds of nodes by which a grammar says what is missing where it names no sign. */
const sayMissing = (node: Node): string => {
  if (/^[^\p{L}]+$/u.test(node.type)) return `\`${node.type}\` is missing`
  if (/end_tag|end_of|^_?(dedent|newline|automatic_semicolon|line_break)/.test(node.type)) return 'the end of something is missing here'
  return `${/^[aeiou]/.test(node.type) ? 'an' : 'a'} ${node.type.replaceAll('_', ' ').trim()} is missing`
}

/** A bracket without its partner, in a part that has no place in the tree: what people want to be shown of a long one. */
function brokenBracket(error: Node): SyntaxProblem | undefined {
  const open: Node[] = []
  let seen = 0
  for (const node of nodesOf(error, () => true)) {
    seen += 1
    if (seen > maxNodes) return undefined
    if (node.childCount > 0 || node.isMissing) continue
    if (closing[node.type] !== undefined) open.push(node)
    else if (isClosing(node.type)) {
      const last = open.pop()
      if (last === undefined || closing[last.type] !== node.type) return at(node, `unexpected \`${node.type}\``)
    }
  }
  const first = open[0]
  return first === undefined ? undefined : at(first, `\`${first.type}\` is never closed`)
}

/** A quote that begins no string in the tree has no end. */
function openQuote(error: Node): SyntaxProblem | undefined {
  const quote = error.children.find((child) => child !== null && /^("""|'''|["'`])$/.test(child.type))
  return quote === undefined || quote === null ? undefined : at(quote, `the \`${quote.type}\` is never closed`)
}

function unexpectedAt(node: Node, text: string): SyntaxProblem {
  const token = tokenAt(text, node.startIndex)
  if (token === undefined) return at(node, 'this cannot be parsed')
  return at(node, /["'`]/.test(token) ? `the \`${token}\` is never closed` : `unexpected \`${token}\``)
}

/** Where the parser gave up and took nothing after it, what is wrong is what follows; where it went on, what it skipped. */
function errorProblem(error: Node, text: string): SyntaxProblem {
  const found = openQuote(error) ?? brokenBracket(error)
  if (found !== undefined) return found
  for (const node of nodesOf(error, (each) => each.hasError)) if (node.isError && node.startIndex > error.startIndex) return unexpectedAt(node, text)
  if (text.slice(error.endIndex).trim() === '') return problemAt(text, Math.min(error.endIndex, text.trimEnd().length), 'the text ends too early')
  if (error.parent === null) {
    const next = error.endIndex + text.slice(error.endIndex).search(/\S/)
    return problemAt(text, next, unexpected(text, next))
  }
  return unexpectedAt(error.startPosition.row === error.endPosition.row ? error : lastLeaf(error), text)
}

function lastLeaf(node: Node): Node {
  let last = node
  for (let child = last.lastChild; child !== null; child = last.lastChild) last = child
  return last
}

export function treeProblems(tree: Tree, text: string): SyntaxProblem[] {
  const problems: SyntaxProblem[] = []
  if (!tree.rootNode.hasError) return problems
  for (const node of nodesOf(tree, (each) => each.hasError && !each.isError)) {
    if (node.isMissing) problems.push(at(node, sayMissing(node)))
    else if (node.isError) problems.push(errorProblem(node, text))
    if (problems.length === maxProblems) break
  }
  return problems
}
