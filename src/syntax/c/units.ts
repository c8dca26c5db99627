// Tokens → statements and declarations, each of which is parsed by itself: a macro in one of them does not spoil the others.

import type { Token } from './tokens.ts'
import { closes, opens } from './words.ts'

/** What a unit is part of. */
export type Block = 'top' | 'members' | 'body'

export interface Unit {
  /** With the `;`, `{` or `}` at its end, if it has one. */
  readonly tokens: readonly Token[]
  readonly block: Block
  /** Of a type whose braces were closed right before it, without what is in them: `struct a { }`. */
  readonly type: readonly Token[]
  /** A statement has ended right before it. */
  readonly isFirst: boolean
}

const partner: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** Both ways; brackets have been counted before. */
export function pairsOf(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const open: number[] = []
  const pairs = new Map<number, number>()
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== 'sign') continue
    if (opens(text)) open.push(index)
    else if (partner[text] !== undefined) {
      const last = open.pop()
      if (last === undefined || tokens[last]?.text !== partner[text]) continue
      pairs.set(last, index)
      pairs.set(index, last)
    }
  }
  return pairs
}

/** What is in no brackets, and not between the angles behind `template`. */
function outsideOf(head: readonly Token[]): string[] {
  const outside: string[] = []
  let [depth, angles] = [0, head[0]?.text === 'template' ? 1 : 0]
  for (const { text } of head.slice(angles * 2)) {
    if (closes(text)) depth -= 1
    if (depth === 0 && angles === 0) outside.push(text)
    if (opens(text)) depth += 1
    if (angles > 0) angles += text === '<' ? 1 : text === '>' ? -1 : 0
  }
  return outside
}

/** Of the braces behind `head`; undefined for a list of values or names, which is a part of its unit. */
function blockOf(head: readonly Token[], around: Block, before: string | undefined, next: string): Block | undefined {
  const outside = outsideOf(head)
  const has = (...words: string[]): boolean => words.some((word) => outside.includes(word))
  const last = outside.at(-1)
  // At the top, parameters of K&R's C are before it, or it is one of the values that another file makes a list of.
  if (last === undefined) return around === 'top' && before !== ';' ? undefined : around === 'members' ? 'members' : 'body'
  if (has('namespace') || (outside[0] === 'extern' && last.startsWith('"'))) return 'top'
  if (has('return', 'asm', '_asm', '__asm', '__asm__') || outside.some((text, index) => text === '=' && outside[index - 1] !== 'operator')) return undefined
  if (last === ',' || (last !== ')' && has('enum'))) return undefined
  if (last !== ')' && has('struct', 'class', 'union')) return 'members'
  if (has(')') || /^(else|do|try|:|;)$/.test(last)) return 'body'
  return /^[;,.)]$/.test(next) ? undefined : 'body'
}

/** What is longer before braces is a row of values: it is not gone through again for each of them. */
const maxHead = 300

const hasCondition = /^(if|while|for|switch)$/

/** Where a unit that begins here ends early: behind `else`, `do`, `case a:` and the brackets of a condition, so that what depends on them is a unit of its own. */
function endOfCondition(tokens: readonly Token[], from: number, pairs: ReadonlyMap<number, number>): number | undefined {
  const [first, second] = [tokens[from]?.text ?? '', tokens[from + 1]?.text ?? '']
  if (first === 'else' || first === 'do') return from + 1
  if (second === ':' && /^(default|public|private|protected)$/.test(first)) return from + 2
  if (first === 'case') {
    const colon = tokens.slice(from, from + 20).findIndex(({ text }) => /^[:;{?]$/.test(text))
    return colon > 0 && tokens[from + colon]?.text === ':' ? from + colon + 1 : undefined
  }
  const open = tokens[from + 1]?.text === 'constexpr' ? from + 2 : from + 1
  const close = hasCondition.test(first) && tokens[open]?.text === '(' ? pairs.get(open) : undefined
  return close === undefined || /^[;{]$/.test(tokens[close + 1]?.text ?? '') ? undefined : close + 1
}

export function unitsOf(tokens: readonly Token[]): Unit[] {
  const pairs = pairsOf(tokens)
  const units: Unit[] = []
  const open: { readonly block: Block; readonly head: readonly Token[] }[] = []
  let [from, type] = [0, [] as readonly Token[]]
  const end = (to: number): void => {
    const isFirst = tokens[from - 1]?.text === ';'
    if (to > from + 1 || type.length > 0) units.push({ tokens: tokens.slice(from, to), block: open.at(-1)?.block ?? 'top', type, isFirst })
    ;[from, type] = [to, []]
  }
  for (let index = 0; index < tokens.length; index += 1) {
    const early = index === from ? endOfCondition(tokens, from, pairs) : undefined
    if (early !== undefined) {
      end(early)
      index = early - 1
      continue
    }
    const token = tokens[index]
    const sign = token?.kind === 'sign' ? token.text : ''
    const close = pairs.get(index) ?? index
    if (token !== undefined && sign === '{') {
      const head = tokens.slice(from, Math.min(index, from + maxHead))
      const block = index > from + maxHead ? undefined : blockOf(head, open.at(-1)?.block ?? 'top', tokens[from - 1]?.text, tokens[close + 1]?.text ?? '')
      if (block === undefined) index = close
      else {
        end(index + 1)
        open.push({ block, head: [...head, token] })
      }
    } else if (sign === '(' || sign === '[') index = close
    else if (sign === ';') end(index + 1)
    else if (token !== undefined && sign === '}') {
      end(index + 1)
      const closed = open.pop()
      if (closed?.block === 'members') type = [...closed.head, token]
    }
  }
  end(tokens.length)
  return units
}
