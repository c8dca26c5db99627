// Whether what a grammar does not take is wrong whatever macros there are. A macro can stand for anything, so this asks for two words next to each other that no macro has
// a part in, and that are never next to each other.

import { lacksSeparator } from './separator.ts'
import { tokenAt, type Place } from './place.ts'
import { closes, isMember, isNeverFirst, isStatement, isType, isWord, joins } from './words.ts'

/** Assembly and definitions of operators have signs where nothing else has them. */
const isSpecial = /^(#|##|asm|_asm|__asm|__asm__|operator)$/

export function isCertain(place: Place): boolean {
  const { tokens, index, around, names, isFirst } = place
  if (tokens.some(({ text }) => isSpecial.test(text)) || around.some((open) => names.isMacro(tokens[open - 1]))) return false
  const failing = tokenAt(tokens, index).text
  if (index === 0) return isFirst && (failing === ',' || (isNeverFirst(failing) && failing !== ':'))
  return isStrayAt(place) || lacksOperand(place) || lacksSeparator(place)
}

/** Behind a declaration it is the address, or the section, as compilers for small machines have it: `int a @ 0x20;`. */
const isStrayAt = ({ tokens, index }: Place): boolean =>
  tokenAt(tokens, index).text === '@' && !tokenAt(tokens, index - 1).isName && !closes(tokenAt(tokens, index - 1).text)

/** `= ;`, `+ )`, `int =`, `if x`. */
function lacksOperand({ tokens, index, around, names, dialect }: Place): boolean {
  const [first, before, failing] = [tokenAt(tokens, index - 2).text, tokenAt(tokens, index - 1).text, tokenAt(tokens, index)]
  if (names.isMacro(failing)) return false
  if (/^(if|while|switch)$/.test(before))
    return failing.isName || failing.kind === 'number' || (failing.text === '!' && tokens[index + 1]?.text !== 'consteval')
  if (isType(before)) return (failing.text === '=' && around.length === 0) || failing.kind === 'number'
  if (/^(public|private|protected)$/.test(before)) return isWord(failing.text) || failing.text === '{'
  const isArgument = around.some((open) => tokens[open - 1]?.isName === true)
  // Where they cannot be, the grammar takes words for names.
  if (isStatement(before) && before !== 'throw' && !isArgument && (joins(first) || /^[(,]$/.test(first))) return true
  const isNever = isNeverFirst(failing.text)
  if (before === 'return') return isNever || failing.text === ',' || closes(failing.text)
  const ends = isNever || /^[;,]?$/.test(failing.text) || closes(failing.text)
  if (before === ',') return /^[;,]$/.test(failing.text) || (ends && !isArgument && !/^[)}]$/.test(failing.text))
  if (isMember(before)) return dialect === 'c' ? !failing.isName : ends
  // Macros are given operators, too: `check(a, ==, b)`.
  return ends && (joins(before) || (before === '&&' && dialect === 'c')) && !(isArgument && /^[(,]$/.test(first))
}
