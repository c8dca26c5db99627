// Counting loops, and background commands with a `wait`.

import { forEachChild, type ArithmeticFor, type Statement, type SyntaxNode } from './parse.ts'
import { judgeVariable } from './variables.ts'
import type { Problem } from './verdict.ts'
import { argumentOf } from './words.ts'

/** `wait` without arguments waits for all background commands. */
export const isWait = ({ command }: Statement): boolean =>
  command.type === 'Command' &&
  command.name?.text === 'wait' &&
  command.prefix.length === 0 &&
  command.suffix.length === 0

/** From number to number. The value of any other name would be evaluated, and of this one if the body sets it. */
const counting = new RegExp(
  String.raw`^for\s*\(\(\s*([a-z]\w*)\s*=\s*\d{1,9}\s*;\s*\1\s*(?:<=?|!=)\s*\d{1,9}\s*;` +
    String.raw`\s*(?:\1\+\+|\+\+\1|\1\s*\+=\s*\d{1,9})\s*\)\)\s*;?\s*(?:do\b)?\s*$`,
)

export function judgeCounting({ pos, body }: ArithmeticFor, source: string): Problem {
  const name = counting.exec(source.slice(pos, body.pos))?.[1]
  if (name === undefined || sets(body, name)) return 'arithmetic may evaluate the value of a variable'
  return judgeVariable(name)
}

const setting = /^(read|mapfile|readarray|-v.*)$/s

/** True if a node may set the variable. Builtins that can set any variable count. */
function sets(node: SyntaxNode, name: string): boolean {
  if (node.type === 'Assignment' && node.name === name) return true
  if (node.type === 'Word' && (node.text === name || setting.test(argumentOf(node).literal ?? ''))) return true
  return childrenOf(node).some((child) => sets(child, name))
}

const childrenOf = (node: SyntaxNode): SyntaxNode[] => {
  const children: SyntaxNode[] = []
  forEachChild(node, (child) => children.push(child))
  return children
}
