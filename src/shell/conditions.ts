// `test`, `[` and `[[`. They look harmless, and evaluate some of what they are given: `-v 'a[$(…)]'` runs a command, a number in `[[` is
// arithmetic, and there are shells in which it is in `[`, too.

import type { Argument } from './argument.ts'
import { judgeWord, unknownNode, type JudgeScript } from './expansions.ts'
import type { TestExpression, Word } from './parse.ts'
import { firstProblem, excerpt, type Problem, type Rule } from './verdict.ts'
import { argumentOf } from './words.ts'

const unary = new Set('abcdefghknoprstuwxzGLNOS'.split('').map((letter) => `-${letter}`))
const numeric = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge'])
const binary = new Set(['=', '==', '!=', '<', '>', '-nt', '-ot', '-ef', ...numeric])

/** A number as it stands, or one that the shell itself keeps. */
const isNumber = ({ literal, text }: Argument): boolean =>
  literal === undefined ? /^"?\$[#?]"?$/.test(text) : /^[-+]?\d{1,18}$/.test(literal)

const evaluates = (operator: string): string => `${operator} may evaluate what it is given`

/** What joins commands, in a word: the parser takes `a|b` behind `=~` for a pattern, and a shell that does not know `[[` for a pipe. */
const isWhole = ({ text, parts }: Word): boolean =>
  !/[;&|<>()]/.test(
    (parts ?? [{ type: 'Literal', text }])
      .map((part) => (part.type === 'Literal' ? part.text.replace(/\\./gs, '') : ''))
      .join(''),
  )

const meansAnother = 'the condition means another thing to a plain sh'

/** To a shell that does not know `[[` what follows `&&` or `||` is a command: one that is called `-f` is none, `x == y` runs x. */
const startsWithOperator = (expression: TestExpression): boolean =>
  expression.type === 'TestUnary' && expression.operand.pos > expression.pos && expression.operator.startsWith('-')

const hasNot = (expression: TestExpression): boolean =>
  expression.type === 'TestNot' || (expression.type === 'TestLogical' && expression.operands.some(hasNot))

/** `isNegated`: that a shell does not know `[[` counts as success, and it goes on behind `&&`. */
export function judgeTest(expression: TestExpression, judgeScript: JudgeScript, isNegated: boolean): Problem {
  switch (expression.type) {
    case 'TestUnary':
      if (!isWhole(expression.operand)) return `${excerpt(expression.operand.text)} is not clear`
      return unary.has(expression.operator)
        ? judgeWord(expression.operand, judgeScript)
        : evaluates(expression.operator)
    case 'TestBinary': {
      const { operator, left, right } = expression
      if (!isWhole(left) || !isWhole(right)) return `${excerpt(isWhole(left) ? right.text : left.text)} is not clear`
      if (!binary.has(operator) && operator !== '=~') return evaluates(operator)
      if (operator === '<' || operator === '>') return `${operator} in a condition is a redirection to a plain sh`
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

/** With a word that is not known only forms are known in which it cannot be an operator. */
function judgeShape(args: readonly Argument[]): Problem {
  const open = args.find((arg) => arg.fields !== 'one' && !isNumber(arg))
  if (open !== undefined) return `${excerpt(open.text)} is not in quotes and may become an operator`
  const [first, second, third, ...more] = args[0]?.literal === '!' ? args.slice(1) : args
  const isKnown =
    more.length === 0 &&
    (second === undefined || (third === undefined ? unary.has(first?.literal ?? '') : binary.has(second.literal ?? '')))
  return isKnown ? undefined : 'the condition may be read in another way'
}

export const bracket: Rule = (args, judge) =>
  args.at(-1)?.literal === ']' ? test(args.slice(0, -1), judge) : 'there is no ]'
