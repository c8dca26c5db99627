// A function that starts itself again and again.

import { forEachChild, type Function, type SyntaxNode } from '../parse.ts'

/** It calls itself in the background, or in a pipeline with itself. */
export function isForkBomb({ name, body }: Function): boolean {
  const count = (node: SyntaxNode, counts: (each: SyntaxNode) => boolean): number => {
    let total = counts(node) ? 1 : 0
    forEachChild(node, (child) => void (total += count(child, counts)))
    return total
  }
  const calls = (node: SyntaxNode): number =>
    count(node, (each) => each.type === 'Command' && each.name?.text === name.text)
  const isStart = (node: SyntaxNode): boolean =>
    (node.type === 'Statement' && node.background === true && calls(node) > 0) ||
    (node.type === 'Pipeline' && calls(node) > 1)
  return count(body, isStart) > 0
}
