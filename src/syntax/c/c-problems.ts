// C and C++ by their grammars, in spite of macros, which only a preprocessor knows. What a grammar does not take of a statement is a problem where no macro can be why.

import type { Attempts } from '../attempts.ts'
import { maxProblems, problemAt, unexpected, type SyntaxProblem } from '../problem.ts'
import { isCertain } from './certain.ts'
import { compiledOf } from './directives.ts'
import { namesIn } from './names.ts'
import { hasOtherSigns, looksLikeOther } from './others.ts'
import { placeIn, type Place } from './place.ts'
import { tokensOf, type Dialect } from './tokens.ts'
import { unitsOf, type Block, type Unit } from './units.ts'

const heads: Readonly<Record<Block, string>> = { top: '', members: 'struct a {', body: 'void a() {' }

export function cProblems(attempts: Attempts, text: string, dialect: Dialect): SyntaxProblem[] {
  const code = compiledOf(text, dialect)
  if (looksLikeOther(text, code) || attempts.takes(code) !== false) return []
  const tokens = tokensOf(code, dialect)
  if (hasOtherSigns(tokens)) return []
  const units = unitsOf(tokens)
  const names = namesIn(text, tokens, units)
  const problems: SyntaxProblem[] = []
  for (const unit of units) {
    if (attempts.isLate()) return []
    if (problems.length === maxProblems) break
    const index = failureIn(attempts, unit)
    if (index === undefined) continue
    const place = placeIn(unit, index, dialect, names)
    const certain = [place, lineBefore(place)].find((each) => each !== undefined && !isAtDirective(each, text) && isCertain(each))
    if (certain !== undefined) problems.push(problemOf(certain, text))
  }
  return attempts.isLate() ? [] : problems
}

/** The first token that the grammar does not take, by its number; those of the type before it are counted. */
function failureIn(attempts: Attempts, { tokens, block, type }: Unit): number | undefined {
  const all = [...type, ...tokens]
  const begin = tokens[0]?.text === 'catch' ? 'try {} ' : ''
  let text = `${heads[block]} ${begin}`
  const ends: number[] = []
  for (const [index, token] of all.entries()) {
    // In one line, by which places are counted.
    text += token.text.replace(/[\r\n]/g, ' ')
    ends.push(text.length)
    if (all[index + 1]?.at !== token.end || token.kind !== 'sign') text += ' '
  }
  const last = tokens.at(-1)?.text
  const isCondition = (last === ')' && /^(if|while|for|switch)$/.test(tokens[0]?.text ?? '')) || tokens[0]?.text === 'case'
  const tail = `${isCondition ? ';' : ''}${last === '{' ? '}' : ''}${block === 'top' || last === '}' ? '' : '}'}${block === 'members' ? ';' : ''}`
  if (attempts.takes(text + tail) !== false) return undefined
  const failure = attempts.failure(text + tail, tail === '' ? Infinity : text.length)
  if (failure === undefined || failure === Infinity) return undefined
  const index = ends.findIndex((end) => end > failure)
  return index < 0 ? (/^[;{}]$/.test(last ?? '') ? undefined : all.length) : index
}

/** Where the line begins, if what fails is near: the first word of a statement is taken for the last of the one before it, which lacks its semicolon. */
function lineBefore(place: Place): Place | undefined {
  for (let index = place.index - 1; index > place.index - 5; index -= 1) {
    const token = place.tokens[index]
    if (token === undefined || (token.kind !== 'word' && token.text !== '*')) return undefined
    if (token.isFirstInLine) return { ...place, index }
  }
  return undefined
}

/** What stands before a directive and what stands behind it may not be meant for the same compiler. */
const isAtDirective = ({ tokens, index }: Place, text: string): boolean => /^[ \t]*#/m.test(text.slice(tokens[index - 1]?.end ?? 0, tokens[index]?.at ?? 0))

function problemOf({ tokens, index }: Place, text: string): SyntaxProblem {
  const [before, failing] = [tokens[index - 1], tokens[index]]
  if (before === undefined) return problemAt(text, failing?.at ?? 0, unexpected(text, failing?.at ?? 0))
  const isEnd = (before.kind !== 'sign' || /^[)\]}]$/.test(before.text)) && (failing === undefined || failing.isFirstInLine || failing.text === '}')
  if (isEnd) return problemAt(text, before.end, '`;` is missing')
  return failing === undefined ? problemAt(text, before.end, 'the text ends too early') : problemAt(text, failing.at, unexpected(text, failing.at))
}
