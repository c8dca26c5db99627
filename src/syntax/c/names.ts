// What the names of a text are, as far as the text itself tells. Any name can be that of a macro; most are shown to be none by how they are used elsewhere.

import { isType } from './words.ts'
import type { Token } from './tokens.ts'
import { pairsOf, type Unit } from './units.ts'

export interface Names {
  isMacro(token: Token | undefined): boolean
  /** It is compared, changed or looked into somewhere. */
  isVariable(token: Token | undefined): boolean
  /** It is declared somewhere, or may be. */
  isDeclared(token: Token | undefined): boolean
  /** What is called as a statement in this text needs its semicolon, as far as it can be seen. */
  isFunction(token: Token | undefined): boolean
}

/** Written like one, or a word of a library that is one. */
const looksLikeMacro =
  /^_|^[A-Z\d_]+$|_[A-Z][A-Z\d]+$|^(and|or|not|xor|bitand|bitor|compl|emit|signals|slots|foreach|forever|each|vector|pixel|restrict|interrupt|using)$/
/** The name of a library; before a function it is no sign of a macro. */
const hasPrefix = /^[A-Z]{2,}_/
/** Macros for tests are written like functions, and some of them have their own semicolon. */
const looksLikeCheck = /assert|check|cond|expect|verify/i
const isConstant = /^(NULL|EOF|TRUE|FALSE|YES|NO)$/
const showsVariable = /^([-+*/%&|^]?=|->|\.|\+\+|--|==|!=|<=|>=|[-+?])$/

export function namesIn(text: string, tokens: readonly Token[], units: readonly Unit[]): Names {
  const defined = new Set([...text.matchAll(/^[ \t]*#[ \t]*define[ \t]+(\w+)/gm)].map(([, name]) => name))
  const [variables, declared, called] = [new Set<string>(), new Set<string>(), new Set<number>()]
  const isMacro = (token: Token | undefined): boolean => {
    if (token?.isName !== true || isConstant.test(token.text)) return false
    return looksLikeMacro.test(token.text) || defined.has(token.text) || (hasPrefix.test(token.text) && !called.has(token.at))
  }
  const types = new Set([...text.matchAll(/\btypedef\b[^;{}]{0,200}?\b(\w{1,80})[ \t]*;/g)].map(([, name]) => name))
  for (const [index, token] of tokens.entries()) {
    if (!token.isName || types.has(token.text)) continue
    const [before, next] = [tokens[index - 1], tokens[index + 1]?.text ?? '']
    if (next === '(') called.add(token.at)
    if (before === undefined || /^(using|typename|class|namespace)$/.test(before.text)) continue
    const hasType = before.text === '*' || isType(before.text)
    if (showsVariable.test(next) || (next === ';' && hasType) || (/^[,)]$/.test(next) && isType(before.text))) variables.add(token.text)
    if (/^[,;)=[]$/.test(next) && (hasType || (before.isName && !isMacro(before)))) declared.add(token.text)
  }
  const unfinished = unfinishedCalls(units)
  return {
    isMacro,
    isVariable: (token) => token?.isName === true && variables.has(token.text),
    isDeclared: (token) => token?.isName === true && declared.has(token.text),
    isFunction: (token) => !isMacro(token) && !looksLikeCheck.test(token?.text ?? '') && unfinished.length <= 1,
  }
}

/** Calls at the beginning of a statement that have something else than a semicolon behind them. One is a mistake; where there are several, they are meant so. */
function unfinishedCalls(units: readonly Unit[]): Token[] {
  const found: Token[] = []
  for (const { tokens, block } of units) {
    if (block === 'top' || tokens[1]?.text !== '(') continue
    const pairs = pairsOf(tokens)
    for (let at = 0; tokens[at]?.isName === true && tokens[at + 1]?.text === '(';) {
      const [name, next] = [tokens[at], (pairs.get(at + 1) ?? tokens.length) + 1]
      const follows = tokens[next]
      if (name !== undefined && follows !== undefined && (follows.kind !== 'sign' || follows.text === '}')) found.push(name)
      at = next
    }
  }
  return found
}
