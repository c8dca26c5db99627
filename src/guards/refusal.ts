// Why a ref is not to be moved, and what to do instead. Several of them are told at once: a push is refused as a whole.

import { PlanError } from '../errors.ts'
import { escapeForTerminal } from '../plan/text/display.ts'

export interface Refusal {
  readonly message: string
  /** One fact a line, such as what an audit found. */
  readonly details?: readonly string[]
  readonly hint: string
}

/** Names and texts are of whoever pushes: each is one line, and spelled out where a terminal would obey it. */
export function throwRefusals(refusals: readonly Refusal[]): void {
  if (refusals.length === 0) return
  const lines = refusals.flatMap(({ message, details = [] }) => [message, ...details.map((detail) => `  ${detail}`)])
  const hints = [...new Set(refusals.map(({ hint }) => hint))]
  const plain = (all: readonly string[]): string => all.map((line) => escapeForTerminal(line)).join('\n')
  throw new PlanError('not-allowed', plain(lines), { hint: plain(hints) })
}

/** The first of them, and how many there are besides. */
export const firstOf = (lines: readonly string[], most: number): string[] =>
  lines.length <= most ? [...lines] : [...lines.slice(0, most), `and ${lines.length - most} more`]
