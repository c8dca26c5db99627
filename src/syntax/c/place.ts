// Where a grammar takes no more of a unit, and what is around it.

import type { Names } from './names.ts'
import type { Dialect, Token } from './tokens.ts'
import { pairsOf, type Unit } from './units.ts'
import { opens } from './words.ts'

export interface Place extends Pick<Unit, 'block' | 'isFirst'> {
  readonly tokens: readonly Token[]
  /** The first token that the grammar does not take; their number, at the end of the text. */
  readonly index: number
  readonly pairs: ReadonlyMap<number, number>
  /** The brackets that are open there, the innermost first. */
  readonly around: readonly number[]
  readonly dialect: Dialect
  readonly names: Names
}

export function placeIn({ type, tokens: own, block, isFirst }: Unit, index: number, dialect: Dialect, names: Names): Place {
  const tokens = [...type, ...own]
  const pairs = pairsOf(tokens)
  return { tokens, index, pairs, around: bracketsAround(tokens, pairs, index), block, isFirst, dialect, names }
}

function bracketsAround(tokens: readonly Token[], pairs: ReadonlyMap<number, number>, index: number): number[] {
  const open: number[] = []
  for (let at = index - 1; at >= 0; at -= 1) {
    const other = pairs.get(at)
    if (other !== undefined && other < at) at = other
    else if (opens(tokens[at]?.text ?? '')) open.push(at)
  }
  return open
}

const nothing: Token = { kind: 'sign', text: '', at: 0, end: 0, isName: false, isFirstInLine: true, indentation: 0 }

/** The token, or what stands for the end of the text. */
export const tokenAt = (tokens: readonly Token[], index: number): Token => tokens[index] ?? nothing
