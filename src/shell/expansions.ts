// What the shell does to a word before a program sees it. Most of it looks a value up; some of it runs a command, sets a variable or
// evaluates a value as arithmetic, in which a subscript such as `a[$(…)]` runs a command: whoever sets the variable runs code.

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

/** The script of a substitution, which stands in the text between `ends[0]` characters from its beginning and `ends[1]` from its end. */
export type JudgeScript = (
  part: CommandExpansionPart | ProcessSubstitutionPart,
  ends: readonly [number, number],
) => Problem

export const judgeWord = (word: Word, judgeScript: JudgeScript): Problem =>
  word.parts === undefined ? judgeLiteral(word.text) : judgeParts(word.parts, judgeScript)

/** Arithmetic of the old kind that has no end is plain text to the parser, and goes on and on to bash. */
const judgeLiteral = (text: string): Problem => (text.includes('$[') ? '$[ is arithmetic of the old kind' : undefined)

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
        : `${excerpt(part.text)} is arithmetic of the old kind`
    // Without extglob, as scripts run, `!(x)` is a negated subshell.
    case 'ExtendedGlob':
      return `${excerpt(part.text)} means another thing where extglob is off`
    // The translation comes from a file that variables name.
    case 'LocaleString':
      return `${excerpt(part.text)} is translated before it is used`
    // What it prints is read under a name of the shell's; a plain sh refuses the whole line.
    case 'ProcessSubstitution':
      return part.operator === '<' ? judgeScript(part, [2, 1]) : `${excerpt(part.text)} is a process substitution`
    default:
      return unknownNode(part)
  }
}

/** What a newer parser may bring. The compiler says that it cannot be. */
export const unknownNode = (node: never): string => `${(node as { type: string }).type} is not known to only read`

/** `${ …; }` runs in this very shell, and backquotes take backslashes away before anything is parsed. */
function judgeSubstitution(part: CommandExpansionPart, judgeScript: JudgeScript): Problem {
  const { text } = part
  if (text.startsWith('$(')) return judgeScript(part, [2, 1])
  return text.startsWith('`') && !text.includes('\\')
    ? judgeScript(part, [1, 1])
    : `${excerpt(text)} is a substitution of another kind`
}

const integer = /^-?\d{1,18}$/

function judgeParameter(
  { text, parameter, prefix, index, operation }: ParameterExpansionPart,
  judgeScript: JudgeScript,
): Problem {
  if (!/^([A-Za-z_]\w*|\d+|[@*#?$!-])$/.test(parameter)) return `${excerpt(text)} is an expansion of another kind`
  if (prefix === '!') return `${excerpt(text)} takes a value for a name`
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

/** Numbers alone: the value of a variable is evaluated in turn. */
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
