// What is named like a style sheet, and is the source of one: for PostCSS, Sass, Less, Jekyll or PHP. Their own signs stand where CSS has nothing, so no rule of CSS holds.

import { tokenTypes, type Token } from './css-tokens.ts'

/** Comments to the end of a line, and texts before the sheet: not even quotes and brackets are what they seem. */
export const isOtherText = (text: string, tokens: readonly Token[]): boolean =>
  /^---[ \t]*\r?\n|<\?(php\b|=)/.test(text) || hasPair(tokens, (first, second) => first.text === '/' && second.text === '/')

/** `$name`, `$(name)`, `${name}`, `#{name}`, `@{name}`, `%name`, `.mixin(`, and `:!state` of Qt. */
export const hasOtherSigns = (tokens: readonly Token[]): boolean =>
  hasPair(tokens, (first, { type, text }) => {
    if (first.text === '$') return type === tokenTypes.Ident || type === tokenTypes.Function || text === '(' || text === '{'
    if (first.text === '#' || first.text === '@') return text === '{'
    if (first.text === '%') return type === tokenTypes.Ident
    return (first.text === '.' && type === tokenTypes.Function) || (first.text === ':' && text === '!')
  })

/** With nothing between them. */
const hasPair = (tokens: readonly Token[], is: (first: Token, second: Token) => boolean): boolean =>
  tokens.some((token, index) => {
    const next = tokens[index + 1]
    return next?.at === token.end && is(token, next)
  })
