// A style sheet → tokens, without space and comments.

import { tokenize, tokenTypes } from 'css-tree/tokenizer'

export { tokenTypes } from 'css-tree/tokenizer'

export interface Token {
  readonly type: number
  readonly text: string
  readonly at: number
  readonly end: number
}

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  tokenize(text, (type, at, end) => {
    if (type !== tokenTypes.WhiteSpace && type !== tokenTypes.Comment) tokens.push({ type, text: text.slice(at, end), at, end })
  })
  return tokens
}

export const opens = ({ type, text }: Token): boolean => type === tokenTypes.Function || text === '(' || text === '[' || text === '{'
export const closes = ({ text }: Token): boolean => text === ')' || text === ']' || text === '}'

/** Where something is wrong; with nothing to say of it but what stands there, where there is no message. */
export interface Wrong {
  readonly at: number
  readonly message?: string
}
