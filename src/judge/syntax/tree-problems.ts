// Converts a syntax tree to problems. The parser continues after an error: skipped text is an ERROR node, inserted
// tokens are missing nodes.

import type { Node, Tree } from './grammars.ts'
import { maxProblems, problemAt, tokenAt, unexpected, type SyntaxProblem } from './problem.ts'

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
const isClosing = (type: string): boolean => type === ')' || type === ']' || type === '}'
const isQuote = (type: string): boolean => /^("""|'''|["'`])$/.test(type)

const at = (node: Node, message: string): SyntaxProblem => ({
  line: node.startPosition.row + 1,
  column: node.startPosition.column + 1,
  message,
})

/** Number of nodes that may still be visited: a tree can have a million, and walking it takes longer than parsing. */
interface Budget {
  left: number
}
const maxNodes = 100_000

/**
 * Nodes in text order, children after their parents; the children of nodes that `enters` refuses are skipped. Not
 * recursive: a tree may be deeper than the stack.
 */
function* nodesOf(tree: Tree | Node, budget: Budget, enters: (node: Node) => boolean): Generator<Node> {
  const cursor = tree.walk()
  try {
    for (; budget.left > 0; budget.left -= 1) {
      const node = cursor.currentNode
      yield node
      if (enters(node) && cursor.gotoFirstChild()) continue
      while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return
    }
  } finally {
    cursor.delete()
  }
}

/** Grammars name a missing node by a token, or by the name of a rule. */
function describeMissing({ type }: Node): string {
  if (/^[^\p{L}]+$/u.test(type)) return `\`${type}\` is missing`
  if (/end_tag|end_of|^_?(dedent|newline|automatic_semicolon|line_break)/.test(type))
    return 'the end of something is missing here'
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type.replaceAll('_', ' ').trim()} is missing`
}

/** A quote that begins no string, or an unmatched bracket, inside an ERROR node: the most useful part of a long one. */
function openSign(error: Node, budget: Budget): SyntaxProblem | undefined {
  const quotes = nodesOf(error, budget, (node) => node.equals(error))
  for (const node of quotes) if (isQuote(node.type)) return at(node, `the \`${node.type}\` is never closed`)
  const open: Node[] = []
  for (const node of nodesOf(error, budget, () => true)) {
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

function unexpectedAt(node: Node, text: string): SyntaxProblem {
  const token = tokenAt(text, node.startIndex)
  if (token === undefined) return at(node, 'this cannot be parsed')
  return at(node, /["'`]/.test(token) ? `the \`${token}\` is never closed` : `unexpected \`${token}\``)
}

/**
 * If the parser gave up and consumed nothing afterwards, the problem is the text that follows; if it continued, the
 * problem is the text that it skipped.
 */
function errorProblem(error: Node, text: string, isWhole: boolean, budget: Budget): SyntaxProblem {
  const found = openSign(error, budget)
  if (found !== undefined) return found
  for (const node of nodesOf(error, budget, (each) => each.hasError))
    if (node.isError && node.startIndex > error.startIndex) return unexpectedAt(node, text)
  if (text.slice(error.endIndex).trim() === '')
    return problemAt(text, Math.min(error.endIndex, text.trimEnd().length), 'the text ends too early')
  if (isWhole) {
    const next = error.endIndex + text.slice(error.endIndex).search(/\S/)
    return problemAt(text, next, unexpected(text, next))
  }
  return unexpectedAt(error.startPosition.row === error.endPosition.row ? error : lastLeaf(error), text)
}

function lastLeaf(node: Node): Node {
  const cursor = node.walk()
  while (cursor.gotoLastChild());
  const last = cursor.currentNode
  cursor.delete()
  return last
}

export function treeProblems(tree: Tree, text: string): SyntaxProblem[] {
  const problems: SyntaxProblem[] = []
  const { rootNode } = tree
  if (!rootNode.hasError) return problems
  const budget: Budget = { left: maxNodes }
  for (const node of nodesOf(tree, budget, (each) => each.hasError && !each.isError)) {
    if (node.isMissing) problems.push(at(node, describeMissing(node)))
    else if (node.isError) problems.push(errorProblem(node, text, node.equals(rootNode), budget))
    if (problems.length === maxProblems) break
  }
  return problems
}
