// Whether an operator, a comma or a semicolon is missing between two tokens.

import { chainBefore, type Chain } from './chain.ts'
import { tokenAt, type Place } from './place.ts'
import type { Token } from './tokens.ts'
import { closes, isDeclaration, isType, isValue, isWord, joins, opens } from './words.ts'

export function lacksSeparator(place: Place): boolean {
  const { tokens, index, pairs, around, block, names } = place
  const [before, failing] = [tokenAt(tokens, index - 1), tokenAt(tokens, index)]
  const isEnd = endsBlock(place, failing)
  if (!(isWord(failing.text) || failing.isName || failing.kind === 'number' || isEnd)) return false
  const startsLine = failing.isFirstInLine || isEnd
  // A macro may be a part of what stands before it, unless it is called where a statement begins.
  if (names.isMacro(failing) && !(block === 'body' && beginsLikeUnit(place) && tokens[index + 1]?.text === '(' && before.kind !== 'string')) return false
  // The object as a parameter: `f(this auto self)`.
  if (before.text === 'this' && tokenAt(tokens, index - 2).text === '(') return false
  if (before.kind === 'number' || before.kind === 'character' || isValue(before.text) || /^(break|continue)$/.test(before.text)) return true
  if (before.kind === 'string') return !failing.isName || (failing.isFirstInLine && tokens[index + 1]?.kind !== 'string')
  if (before.text === '}')
    return startsLine && around.length === 0 && hasOutside(tokens.slice(0, pairs.get(index - 1) ?? 0), /^(=|return|struct|class|union|enum)$/)
  if (/^(\+\+|--)$/.test(before.text)) return startsLine && /^(\w+|[)\]])$/.test(tokenAt(tokens, index - 2).text)
  if (before.isName && (isPlainName(place) || (tokens[0]?.text === 'using' && startsLine && isWord(failing.text)))) return true
  const chain = chainBefore(tokens, pairs, index)
  return chain !== undefined && lacksBehind(place, chain, startsLine)
}

/** The brace of a body, and not of a list; the end of the text behind a declaration. */
function endsBlock({ tokens, index, around: [inner] }: Place, failing: Token): boolean {
  if (failing.text === '') return hasOutside(tokens.slice(0, index), /^(=|struct|class|union|enum)$/)
  return failing.text === '}' && (inner === undefined || tokens[inner - 1]?.text === ')')
}

function hasOutside(tokens: readonly Token[], pattern: RegExp): boolean {
  let depth = 0
  return tokens.some(({ text }) => {
    depth += opens(text) ? 1 : closes(text) ? -1 : 0
    return depth === 0 && pattern.test(text)
  })
}

/** In a line of its own, as far to the right as the unit itself. */
const beginsLikeUnit = ({ tokens: [first, ...rest], index, around }: Place): boolean =>
  first?.isFirstInLine === true && rest[index - 1]?.isFirstInLine === true && rest[index - 1]?.indentation === first.indentation && around.length === 0

/** A variable, or an argument, with what can only be a second one behind it. */
function isPlainName({ tokens, index, around, names }: Place): boolean {
  const [first, before, failing] = [tokenAt(tokens, index - 2), tokenAt(tokens, index - 1), tokenAt(tokens, index)]
  const next = tokenAt(tokens, index + 1).text
  if (names.isMacro(before) || names.isMacro(failing)) return false
  if (failing.kind === 'number' || (isType(first.text) && isType(failing.text))) return true
  if (!failing.isName || first.text === '::') return false
  // The macro is a part of the type then: `INLINE static a b(…`.
  for (let at = index - 2; tokens[at]?.kind === 'word'; at -= 1) if (names.isMacro(tokens[at])) return false
  // An attribute of what is declared: `int a unused;`.
  if (around.length === 0 && /^[;,=]$/.test(next) && !names.isVariable(failing)) return false
  return names.isVariable(before) || (/^[(,]$/.test(first.text) && names.isDeclared(before) && /^[,)]$/.test(next))
}

function lacksBehind(place: Place, chain: Chain, startsLine: boolean): boolean {
  const { tokens, index, block, names } = place
  const failing = tokenAt(tokens, index)
  const first = tokenAt(tokens, chain.start - 1).text
  const isOperand = joins(first) || /^(\+\+|--)$/.test(first) || (first === ':' && tokens.slice(0, chain.start).some(({ text }) => text === '?'))
  const hasMacro = chain.names.some((name) => names.isMacro(name))
  if (isOperand && hasMacro) return startsLine && (!failing.isName || names.isVariable(failing))
  if (chain.hasMember && !hasMacro) return true
  if (isOperand) return !failing.isName || isOwnName(place, chain)
  if (chain.isCall) return chain.start === 0 && startsLine && block === 'body' && isPlainCall(place, chain)
  return startsLine && !hasMacro && endsDeclaration(place, chain.start)
}

/** What an expression ends with, and no macro for `new` or for a string, which a name may follow. */
function isOwnName({ tokens, index, names }: Place, chain: Chain): boolean {
  const [name] = chain.names
  if (chain.isCall) return name?.text !== tokenAt(tokens, index).text
  const [first, failing] = [tokenAt(tokens, 0), tokenAt(tokens, index)]
  return names.isVariable(name) || names.isDeclared(name) || (failing.isFirstInLine && failing.indentation <= first.indentation)
}

/** A call that is a whole statement, of what is no macro: some of those end with their own semicolon, or begin a loop. */
function isPlainCall({ tokens, index, names }: Place, { isQualified, names: [name] }: Chain): boolean {
  return tokenAt(tokens, index).indentation <= tokenAt(tokens, 0).indentation && (isQualified ? !names.isMacro(name) : names.isFunction(name))
}

/** `int a`, `struct b *c`; what is declared begins at `start`. */
function endsDeclaration({ tokens, index, block, names }: Place, start: number): boolean {
  const [failing, next] = [tokenAt(tokens, index), tokenAt(tokens, index + 1)]
  let at = start - 1
  while (tokens[at]?.text === '*') at -= 1
  const type = tokenAt(tokens, at)
  if (isType(type.text)) return next.text !== '(' || isWord(failing.text)
  // One of several: `int a, b`.
  if (type.text === ',' && block !== 'top')
    return isType(tokenAt(tokens, 0).text) || (block === 'body' && tokens[0]?.isName === true && tokens[1]?.isName === true)
  if (type.text === '>') return block === 'body' && isWord(failing.text)
  const isHead = tokens.slice(0, at).every(({ text, isName }) => isDeclaration(text) || text === '::' || (isName && tokens[at - 1]?.text === '::'))
  if (!type.isName || !isHead) return false
  if (block === 'top') return isWord(failing.text) && names.isVariable(tokens[index - 1]) && !names.isMacro(type)
  return isWord(failing.text) || failing.text === '}' || (!names.isMacro(type) && (block === 'body' || next.isName || next.text === '*'))
}
