// Finds the dangers in a command, with their positions. Nothing is run, and nothing is looked up.

import { nothing } from './dangers/call.ts'
import { DangerWalk } from './dangers/walk.ts'

export interface Danger {
  /** One of `dangerRules`. */
  readonly rule: string
  readonly message: string
  /** From 1, inside the command. */
  readonly line: number
  /** From 1, in characters. */
  readonly column: number
}

/** More would not be read. */
const maxDangers = 100

/** `variables`: the variables that the step sets for its commands. */
export function dangersOf(text: string, variables: Readonly<Record<string, string>> = {}): Danger[] {
  const walk = new DangerWalk()
  const known = new Map(Object.entries(variables).map(([name, value]) => [name, [value]]))
  try {
    const state = { variables: known, cwd: '', isStrict: false }
    walk.script(text, state, nothing, 0, (offset) => offset)
  } catch {
    // A bug here or in the parser, or more nesting than either can handle: the command was not judged.
    return [{ rule: 'shell-unparsable', message: 'the command cannot be judged', line: 1, column: 1 }]
  }
  return walk.report.findings
    .toSorted((a, b) => a.offset - b.offset)
    .slice(0, maxDangers)
    .map(({ rule, message, offset }) => ({ rule, message, ...positionOf(text, offset) }))
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, Math.max(offset, 0))
  const start = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: before.length - start + 1 }
}
