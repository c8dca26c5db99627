// A property and its value.

import { closes, opens, tokenTypes, type Token, type Wrong } from './css-tokens.ts'

/** Values that browsers have read in a way of their own: `progid:DXImageTransform.Microsoft.gradient(…)`. */
const hasOwnValue = /^[*_]?(-ms-)?(filter|behavior|zoom|interpolation-mode)$/i
const computes = /^(calc|min|max|clamp|round|mod|rem|abs)\($/i
const isOperator = /^[-+*/]$/

/** `end` is the place of what ends it. */
export function wrongDeclaration(text: string, tokens: readonly Token[], end: number): Wrong | undefined {
  const [first, second] = tokens
  if (first === undefined) return undefined
  // `*zoom: 1` and the like, which one browser reads and others do not.
  const isHack = first.type === tokenTypes.Delim || first.type === tokenTypes.Hash || (first.text === '[' && second?.text === ';')
  if (!isHack && first.type !== tokenTypes.Ident) return { at: first.at }
  const [name, colon, ...value] = isHack && second?.type === tokenTypes.Ident ? tokens.slice(1) : tokens
  if (colon?.text !== ':') return isHack ? undefined : { at: colon?.at ?? first.end, message: '`:` is missing' }
  if (value.length === 0) return { at: end, message: 'a value is missing' }
  return hasOwnValue.test(name?.text ?? '') ? undefined : wrongValue(text, value, end)
}

/** What is between brackets may be anything, but for what is computed there. */
function wrongValue(text: string, value: readonly Token[], end: number): Wrong | undefined {
  const open: string[] = []
  for (const [index, token] of value.entries()) {
    const [before, next] = [value[index - 1], value[index + 1]]
    if (opens(token)) open.push(token.text)
    else if (closes(token)) open.pop()
    else if (open.length > 0) {
      if (isOperator.test(token.text) && next?.text === ')' && computes.test(open.at(-1) ?? '')) return { at: next.at }
    } else if (token.text === ':' && before?.text.toLowerCase() !== 'progid') {
      // That of the next declaration, more often than not.
      const last = value[index - 2]
      const isNextLine = last !== undefined && text.slice(last.end, before?.at).includes('\n')
      return isNextLine ? { at: last.end, message: '`;` is missing' } : { at: token.at }
    } else if (token.text === ',' && (before === undefined || next === undefined || next.text === ','))
      return { at: before === undefined ? token.at : (next?.at ?? end) }
  }
  return undefined
}
