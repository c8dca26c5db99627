// Style sheets, read as CSS Syntax Level 3 reads them: a rule is whatever stands before braces, a declaration whatever ends with a semicolon. What is between the brackets
// of a value, behind an at-keyword and in a custom property is not judged: there everything is allowed, and new things come every year.

import { withinTime } from '../plan/within-time.ts'
import { bracketProblems } from './brackets.ts'
import { wrongDeclaration } from './css-declarations.ts'
import { hasOtherSigns, isOtherText } from './css-others.ts'
import { wrongSelector } from './css-selectors.ts'
import { closes, opens, tokensOf, tokenTypes, type Token, type Wrong } from './css-tokens.ts'
import { maxProblems, problemAt, unexpected, type SyntaxProblem } from './problem.ts'

/** These cannot do without a block. */
const needsBlock = /^@(-\w+-)?(media|supports|container|keyframes|font-face|page|counter-style|property|scope|starting-style)$/i
const isKeyframes = /^@(-\w+-)?keyframes$/i

type Kind = 'top' | 'keyframes' | 'block'

class Reader {
  readonly found: Wrong[] = []
  readonly #text: string
  readonly #tokens: readonly Token[]
  #index = 0

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text
    this.#tokens = tokens
    this.#readBlock('top')
  }

  get #next(): Token | undefined {
    return this.#tokens[this.#index]
  }

  /** Where the next token is, or would be. */
  get #place(): number {
    return this.#next?.at ?? this.#text.trimEnd().length
  }

  #report(wrong: Wrong | undefined): void {
    if (wrong !== undefined) this.found.push(wrong)
  }

  #readBlock(kind: Kind): void {
    for (let next = this.#next; next !== undefined && this.found.length < maxProblems; next = this.#next) {
      if (next.text === '}') {
        this.#index += 1
        if (kind !== 'top') return
      } else if (next.text === ';' || next.type === tokenTypes.CDO || next.type === tokenTypes.CDC) this.#index += 1
      else if (next.type === tokenTypes.AtKeyword) this.#readAtRule(next)
      // A custom property, which may have braces in it.
      else if (kind !== 'top' && next.text.startsWith('--')) this.#take(';}')
      else this.#readItem(kind)
    }
  }

  /** All up to the first of these signs that is in no brackets; the sign itself is left. */
  #take(signs: string): readonly Token[] {
    const from = this.#index
    let depth = 0
    for (let token = this.#next; token !== undefined; token = this.#next) {
      if (depth === 0 && token.text.length === 1 && signs.includes(token.text)) break
      if (opens(token)) depth += 1
      else if (closes(token)) depth -= 1
      this.#index += 1
    }
    return this.#tokens.slice(from, this.#index)
  }

  #readAtRule(keyword: Token): void {
    const prelude = this.#take('{;}')
    if (this.#next?.text === '{') {
      this.#index += 1
      this.#readBlock(isKeyframes.test(keyword.text) ? 'keyframes' : 'block')
    } else if (needsBlock.test(keyword.text)) this.#report({ at: prelude.at(-1)?.end ?? keyword.end, message: '`{` is missing' })
  }

  #readItem(kind: Kind): void {
    const tokens = this.#take('{;}')
    if (this.#next?.text === '{') {
      if (kind !== 'keyframes') this.#report(wrongSelector(this.#text, tokens, this.#place))
      this.#index += 1
      this.#readBlock('block')
    } else this.#report(kind === 'top' ? { at: this.#place } : wrongDeclaration(this.#text, tokens, this.#place))
  }
}

export function cssProblems(text: string, milliseconds: number): SyntaxProblem[] {
  const tokens = withinTime(milliseconds, () => tokensOf(text))
  if (tokens === undefined || isOtherText(text, tokens)) return []
  const unbalanced = bracketProblems('css', text)
  if (unbalanced.length > 0 || hasOtherSigns(tokens)) return unbalanced
  const found = withinTime(milliseconds, () => new Reader(text, tokens).found) ?? []
  return found.slice(0, maxProblems).map(({ at, message }) => problemAt(text, at, message ?? unexpected(text, at)))
}
