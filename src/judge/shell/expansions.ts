// Judges what the shell does to a word before a program sees it. Most expansions look up a value; some run a command,
// set a variable or evaluate a value as arithmetic, where a subscript such as `a[$(…)]` runs a command: whoever
// controls the variable runs code.

import type {
  ArithmeticExpression,
  CommandExpansionPart,
  ParameterExpansionPart,
  ParameterOperation,
  ProcessSubstitutionPart,
  Word,
  WordPart,
} from './parse.ts'
import { firstProblem, excerpt, type Problem } from './verdict.ts'

/** Judges the script of a substitution, without `ends[0]` characters at its start and `ends[1]` at its end. */
export type JudgeScript = (
  part: CommandExpansionPart | ProcessSubstitutionPart,
  ends: readonly [number, number],
) => Problem

export const judgeWord = (word: Word, judgeScript: JudgeScript): Problem =>
  word.parts === undefined ? judgeLiteral(word.text) : judgeParts(word.parts, judgeScript)

/** Unterminated `$[` is plain text to the parser, but arithmetic up to the end of the text to bash. */
const judgeLiteral = (text: string): Problem =>
  text.includes('$[') ? '$[ is an obsolete form of arithmetic' : undefined

const judgeParts = (parts: readonly WordPart[] | undefined, judgeScript: JudgeScript): Problem =>
  judgeLiteral(
    (parts ?? []).map((part) => (part.type === 'Literal' || part.type === 'Glob' ? part.text : ' ')).join(''),
  ) ?? firstProblem(parts ?? [], (part) => judgePart(part, judgeScript))

function judgePart(part: WordPart, judgeScript: JudgeScript): Problem {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'SimpleExpansion':
      return undefined
    case 'DoubleQuoted':
    case 'Glob':
    case 'BraceExpansion':
      return judgeParts(part.parts, judgeScript)
    case 'ParameterExpansion':
      return judgeParameter(part, judgeScript)
    case 'CommandExpansion':
      return judgeSubstitution(part, judgeScript)
    case 'ArithmeticExpansion':
      return part.text.startsWith('$((')
        ? judgeArithmetic(part.expression)
        : `${excerpt(part.text)} is an obsolete form of arithmetic`
    // Without extglob, the default for scripts, `!(x)` is a negated subshell.
    case 'ExtendedGlob':
      return `${excerpt(part.text)} means something else if extglob is off`
    // The translation comes from a file named by variables.
    case 'LocaleString':
      return `${excerpt(part.text)} is translated before it is used`
    // Its output is read through a path made by the shell; plain sh rejects the whole line.
    case 'ProcessSubstitution':
      return part.operator === '<' ? judgeScript(part, [2, 1]) : `${excerpt(part.text)} is a process substitution`
    default:
      return unknownNode(part)
  }
}

/** A node type of a newer parser, which the compiler does not know. */
export const unknownNode = (node: never): string => `${(node as { type: string }).type} may write`

/** `${ …; }` runs in the current shell, and backquotes remove backslashes before anything is parsed. */
function judgeSubstitution(part: CommandExpansionPart, judgeScript: JudgeScript): Problem {
  const { text } = part
  if (text.startsWith('$(')) return judgeScript(part, [2, 1])
  return text.startsWith('`') && !text.includes('\\')
    ? judgeScript(part, [1, 1])
    : `${excerpt(text)} is an unsupported substitution`
}

const integer = /^-?\d{1,18}$/

function judgeParameter(
  { text, parameter, prefix, index, operation }: ParameterExpansionPart,
  judgeScript: JudgeScript,
): Problem {
  if (!/^([A-Za-z_]\w*|\d+|[@*#?$!-])$/.test(parameter)) return `${excerpt(text)} is an unsupported expansion`
  if (prefix === '!') return `${excerpt(text)} uses a value as a name`
  if (index !== undefined && !/^(@|\*|\d{1,9})$/.test(index.text)) return `${excerpt(text)} evaluates its subscript`
  return operation === undefined ? undefined : judgeOperation(operation, text, judgeScript)
}

function judgeOperation(operation: ParameterOperation, text: string, judgeScript: JudgeScript): Problem {
  switch (operation.type) {
    case 'Default':
      return operation.operator.endsWith('=')
        ? `${excerpt(text)} sets a variable`
        : judgeWord(operation.operand, judgeScript)
    case 'Remove':
      return judgeWord(operation.operand, judgeScript)
    case 'Replace':
      return judgeWord(operation.pattern, judgeScript) ?? judgeWord(operation.replacement, judgeScript)
    case 'CaseModification':
      return operation.operand === undefined ? undefined : judgeWord(operation.operand, judgeScript)
    case 'Slice':
      return [operation.offset, ...(operation.length === undefined ? [] : [operation.length])].every((each) =>
        integer.test(each.text.trim()),
      )
        ? undefined
        : `${excerpt(text)} evaluates arithmetic`
    case 'Transform':
    case 'Names':
    case 'Unknown':
      return `${excerpt(text)} may evaluate a value`
    default:
      return unknownNode(operation)
  }
}

/** Only numbers: the value of a variable would be evaluated in turn. */
function judgeArithmetic(expression: ArithmeticExpression | undefined): Problem {
  if (expression === undefined) return 'arithmetic that cannot be parsed'
  switch (expression.type) {
    case 'ArithmeticWord':
      return /^\d{1,18}$/.test(expression.value) && expression.parts === undefined
        ? undefined
        : `${excerpt(expression.value)} is evaluated as arithmetic`
    case 'ArithmeticGroup':
      return judgeArithmetic(expression.expression)
    case 'ArithmeticUnary':
      return judgeArithmetic(expression.operand)
    case 'ArithmeticBinary':
      return judgeArithmetic(expression.left) ?? judgeArithmetic(expression.right)
    case 'ArithmeticTernary':
      return (
        judgeArithmetic(expression.test) ??
        judgeArithmetic(expression.consequent) ??
        judgeArithmetic(expression.alternate)
      )
    case 'ArithmeticCommandExpansion':
      return `${excerpt(expression.text)} is evaluated as arithmetic`
    default:
      return unknownNode(expression)
  }
}
