// A command → what in it could do harm, each with its place. Nothing is run, and nothing is looked up.

import { newState } from './dangers/state.ts'
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

/** More than these nobody reads. */
const maxDangers = 100

/** `variables`: those that the step sets for its commands. */
export function dangersOf(text: string, variables: Readonly<Record<string, string>> = {}): Danger[] {
  const walk = new DangerWalk()
  try {
    walk.command(text, newState(variables))
  } catch {
    // A bug of ours or of the parser, or more nesting than either takes: a command that provokes it is not one that was judged.
    return [{ rule: 'shell-unparsable', message: 'the command cannot be judged', line: 1, column: 1 }]
  }
  return walk.found
    .toSorted((a, b) => a.offset - b.offset)
    .slice(0, maxDangers)
    .map(({ rule, message, offset }) => ({ rule, message, ...placeAt(text, offset) }))
}

function placeAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, Math.max(offset, 0))
  const start = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: before.length - start + 1 }
}
