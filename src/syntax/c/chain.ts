// Part of an expression: names, calls, members and indexes that belong together, such as `a->b[1].c(d)`.

import type { Token } from './tokens.ts'
import { isMember, joins } from './words.ts'

export interface Chain {
  /** Where it begins, with a cast before it. */
  readonly start: number
  readonly hasMember: boolean
  readonly isQualified: boolean
  readonly isCall: boolean
  /** The last one first. */
  readonly names: readonly Token[]
}

/** What ends before the token at `index`. */
export function chainBefore(tokens: readonly Token[], pairs: ReadonlyMap<number, number>, index: number): Chain | undefined {
  const names: Token[] = []
  let [at, hasMember, isQualified] = [index - 1, false, false]
  const isCall = tokens[at]?.text === ')'
  const chainFrom = (start: number): Chain => ({ start: withCast(tokens, pairs, start), hasMember, isQualified, isCall, names })
  for (;;) {
    let open: number | undefined
    while (tokens[at]?.text === ')' || tokens[at]?.text === ']') {
      open = pairs.get(at) ?? 0
      at = open - 1
    }
    // What begins with a list in brackets is a lambda, and words of its own may follow that: `= [] static {`.
    if (open !== undefined && joins(tokens[at]?.text ?? '')) return tokens[open]?.text === '[' ? undefined : chainFrom(open)
    if (tokens[at]?.text === '>') at = anglesBefore(tokens, at) - 1
    const name = tokens[at]
    if (name === undefined || !(name.isName || /^(this|\w+_cast)$/.test(name.text))) return undefined
    names.push(name)
    const link = tokens[at - 1]?.text ?? ''
    if (isMember(link)) hasMember = true
    else if (link === '::') isQualified = true
    else return chainFrom(at)
    at -= 2
  }
}

/** `(type *) ` before it. */
function withCast(tokens: readonly Token[], pairs: ReadonlyMap<number, number>, start: number): number {
  const open = tokens[start - 1]?.text === ')' ? pairs.get(start - 1) : undefined
  return open !== undefined && joins(tokens[open - 1]?.text ?? '') ? open : start
}

/** Where `<a, b>` begins that ends here; the first token where it cannot be that. */
function anglesBefore(tokens: readonly Token[], end: number): number {
  let depth = 0
  for (let at = end; at >= 0; at -= 1) {
    const text = tokens[at]?.text ?? ''
    if (text === '>') depth += 1
    else if (text === '<') {
      depth -= 1
      if (depth === 0) return at
    } else if (!/^(\w+|::|[*&,])$/.test(text)) return 0
  }
  return 0
}
