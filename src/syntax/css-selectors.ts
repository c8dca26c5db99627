// What stands before the braces of a rule.

import parse from 'css-tree/selector-parser'
import { closes, opens, tokenTypes, type Token, type Wrong } from './css-tokens.ts'

const isCombinator = ({ text }: Token): boolean => /^[>+~,]$/.test(text)

/** The first that another one follows, or the end: the parser takes both. In brackets it may be anything; `>>>` is one of three. */
function strayCombinator(tokens: readonly Token[]): number {
  let depth = 0
  return tokens.findIndex((token, index) => {
    depth += opens(token) ? 1 : closes(token) ? -1 : 0
    if (depth > 0 || !isCombinator(token)) return false
    const next = tokens[index + 1]
    return next === undefined || (isCombinator(next) && !(next.text === '>' && next.at === token.end) && !(token.text === ',' && next.text !== ','))
  })
}

const isArgument = (before: readonly Token[]): boolean =>
  before.reduce((depth, { type, text }) => depth + (type === tokenTypes.Function || text === '(' ? 1 : text === ')' ? -1 : 0), 0) > 0

/** The offset of what cannot be read. */
function failureIn(text: string): number | undefined {
  try {
    parse(text, { context: 'selectorList' })
    return undefined
  } catch (error) {
    // Too deep for the stack: no judgement.
    if (!(error instanceof Error) || error.name !== 'SyntaxError') throw error
    return (error as unknown as { readonly offset: number }).offset
  }
}

/** `tokens` are those of the selectors, `end` is the place of the brace behind them. */
export function wrongSelector(text: string, tokens: readonly Token[], end: number): Wrong | undefined {
  const [first] = tokens
  if (first === undefined) return { at: end, message: 'a selector is missing' }
  const stray = strayCombinator(tokens)
  if (stray >= 0) return { at: tokens[stray + 1]?.at ?? end }
  // `||`, for the cells of a column.
  if (tokens.some((token, index) => token.text === '|' && tokens[index + 1]?.text === '|')) return undefined
  const failure = failureIn(text.slice(first.at, end))
  if (failure === undefined) return undefined
  const index = tokens.findIndex((token) => token.end > first.at + failure)
  // What the arguments of a pseudo-class may be is more than the parser knows.
  return index >= 0 && isArgument(tokens.slice(0, index)) ? undefined : { at: tokens[index]?.at ?? end }
}
