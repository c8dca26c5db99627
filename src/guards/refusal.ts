// A refusal to move a ref, and what to do instead. All refusals of a push are reported together, since the push is
// refused as a whole.

import { PlanError } from '../errors.ts'
import { escapeForTerminal } from '../plan/text/display.ts'

export interface Refusal {
  readonly message: string
  /** One fact per line, such as an audit finding. */
  readonly details?: readonly string[]
  readonly hint: string
}

/** Names and texts come from whoever pushes: each is printed on one line, with control characters escaped. */
export function throwRefusals(refusals: readonly Refusal[]): void {
  if (refusals.length === 0) return
  const lines = refusals.flatMap(({ message, details = [] }) => [message, ...details.map((detail) => `  ${detail}`)])
  const hints = [...new Set(refusals.map(({ hint }) => hint))]
  const escapeLines = (all: readonly string[]): string => all.map((line) => escapeForTerminal(line)).join('\n')
  throw new PlanError('not-allowed', escapeLines(lines), { hint: escapeLines(hints) })
}

/** Returns the first lines and the number of those left out. */
export const limitLines = (lines: readonly string[], max: number): string[] =>
  lines.length <= max ? [...lines] : [...lines.slice(0, max), `and ${lines.length - max} more`]
