// `test`, `[` and `[[`. They look harmless but evaluate some of their arguments: `-v 'a[$(…)]'` runs a command, and a
// number in `[[` is arithmetic. In some shells that is true of `[` as well.

import type { Argument } from './argument.ts'
import { judgeWord, unknownNode, type JudgeScript } from './expansions.ts'
import type { TestExpression, Word } from './parse.ts'
import { firstProblem, excerpt, type Problem, type Rule } from './verdict.ts'
import { argumentOf } from './words.ts'

const unary = new Set('abcdefghknoprstuwxzGLNOS'.split('').map((letter) => `-${letter}`))
const numeric = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge'])
const binary = new Set(['=', '==', '!=', '<', '>', '-nt', '-ot', '-ef', ...numeric])

/** A literal number, or one that the shell itself maintains. */
const isNumber = ({ literal, text }: Argument): boolean =>
  literal === undefined ? /^"?\$[#?]"?$/.test(text) : /^[-+]?\d{1,18}$/.test(literal)

const evaluates = (operator: string): string => `${operator} may evaluate its argument`

/**
 * A word without operators that join commands. The parser reads `a|b` after `=~` as a pattern, and a shell without `[[`
 * as a pipe.
 */
const isWhole = ({ text, parts }: Word): boolean =>
  !/[;&|<>()]/.test(
    (parts ?? [{ type: 'Literal', text }])
      .map((part) => (part.type === 'Literal' ? part.text.replace(/\\./gs, '') : ''))
      .join(''),
  )

const meansAnother = 'the condition means something else in plain sh'

/** In a shell without `[[`, what follows `&&` or `||` is a command: `-f` does not exist as one, but `x == y` runs x. */
const startsWithOperator = (expression: TestExpression): boolean =>
  expression.type === 'TestUnary' && expression.operand.pos > expression.pos && expression.operator.startsWith('-')

const hasNot = (expression: TestExpression): boolean =>
  expression.type === 'TestNot' || (expression.type === 'TestLogical' && expression.operands.some(hasNot))

/** `isNegated`: in a shell without `[[` the failure then counts as success, and it continues after `&&`. */
export function judgeTest(expression: TestExpression, judgeScript: JudgeScript, isNegated: boolean): Problem {
  switch (expression.type) {
    case 'TestUnary':
      if (!isWhole(expression.operand)) return `${excerpt(expression.operand.text)} is ambiguous`
      return unary.has(expression.operator)
        ? judgeWord(expression.operand, judgeScript)
        : evaluates(expression.operator)
    case 'TestBinary': {
      const { operator, left, right } = expression
      if (!isWhole(left) || !isWhole(right)) return `${excerpt(isWhole(left) ? right.text : left.text)} is ambiguous`
      if (!binary.has(operator) && operator !== '=~') return evaluates(operator)
      if (operator === '<' || operator === '>') return `${operator} in a condition is a redirection in plain sh`
      if (numeric.has(operator) && ![left, right].every((word) => isNumber(argumentOf(word))))
        return evaluates(operator)
      return judgeWord(left, judgeScript) ?? judgeWord(right, judgeScript)
    }
    case 'TestNot':
      return judgeTest(expression.operand, judgeScript, true)
    case 'TestLogical': {
      const { operator, operands } = expression
      const isTaken = isNegated || operator === '||' || operands.some(hasNot)
      if (isTaken && !operands.slice(1).every(startsWithOperator)) return meansAnother
      return firstProblem(operands, (operand) => judgeTest(operand, judgeScript, isTaken))
    }
    case 'TestGroup':
      return meansAnother
    default:
      return unknownNode(expression)
  }
}

export const test: Rule = (args) => {
  const evaluated = args.find(({ literal }) => literal === '-v' || literal === '-R')
  if (evaluated !== undefined) return evaluates(evaluated.text)
  for (const [at, { literal }] of args.entries()) {
    const sides = [args[at - 1], args[at + 1]]
    if (numeric.has(literal ?? '') && !sides.every((side) => side !== undefined && isNumber(side)))
      return evaluates(literal ?? '')
  }
  return args.every(({ literal }) => literal !== undefined) ? undefined : judgeShape(args)
}

/** With an unknown word, only forms in which it cannot be an operator are accepted. */
function judgeShape(args: readonly Argument[]): Problem {
  const open = args.find((arg) => arg.fields !== 'one' && !isNumber(arg))
  if (open !== undefined) return `${excerpt(open.text)} is not quoted and may become an operator`
  const [first, second, third, ...more] = args[0]?.literal === '!' ? args.slice(1) : args
  const isKnown =
    more.length === 0 &&
    (second === undefined || (third === undefined ? unary.has(first?.literal ?? '') : binary.has(second.literal ?? '')))
  return isKnown ? undefined : 'the condition is ambiguous'
}

export const bracket: Rule = (args, judge) =>
  args.at(-1)?.literal === ']' ? test(args.slice(0, -1), judge) : '] is missing'
