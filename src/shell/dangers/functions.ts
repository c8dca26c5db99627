// What can be said about a function from its definition.

import { forEachChild, type Function, type SyntaxNode } from '../parse.ts'

/** It calls itself in the background, or in a pipeline with itself. */
export function isForkBomb({ name, body }: Function): boolean {
  const calls = (node: SyntaxNode): number => {
    let count = node.type === 'Command' && node.name?.text === name.text ? 1 : 0
    forEachChild(node, (child) => void (count += calls(child)))
    return count
  }
  const isBomb = (node: SyntaxNode): boolean => {
    if (node.type === 'Statement' && node.background === true && calls(node) > 0) return true
    if (node.type === 'Pipeline' && calls(node) > 1) return true
    let isFound = false
    forEachChild(node, (child) => void (isFound ||= isBomb(child)))
    return isFound
  }
  return isBomb(body)
}
