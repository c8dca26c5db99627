// The programs that a command calls, as far as the tree names them. For questions such as "does that script exist?",
// not for judgement.

import type { Argument } from './argument.ts'
import { forEachChild, parseShell, type SyntaxNode } from './parse.ts'
import { argumentOf } from './words.ts'

export interface Call {
  readonly program: string
  readonly args: readonly Argument[]
  /** The position in the text. */
  readonly at: number
}

export interface Calls {
  readonly calls: readonly Call[]
  /** Functions that the command defines itself. */
  readonly functions: ReadonlySet<string>
}

/** None if the command cannot be parsed: other rules report that. */
export function callsOf(text: string): Calls {
  const calls: Call[] = []
  const functions = new Set<string>()
  const parsed = parseShell(text)
  if ('problem' in parsed) return { calls, functions }
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Function') functions.add(node.name.text)
    if (node.type === 'Command' && node.name !== undefined) {
      const program = argumentOf(node.name).literal
      const args = node.suffix.filter((each) => each.type === 'Word').map(argumentOf)
      if (program !== undefined) calls.push({ program, args, at: node.name.pos })
    }
    forEachChild(node, visit)
  }
  visit(parsed.script)
  return { calls, functions }
}
