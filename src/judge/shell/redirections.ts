// Redirections of input and output.

import { judgeWord, unknownNode, type JudgeScript } from './expansions.ts'
import type { Redirect, Redirection, Word } from './parse.ts'
import { excerpt, type Problem } from './verdict.ts'
import { argumentOf } from './words.ts'

export function judgeRedirection(redirection: Redirection, judgeScript: JudgeScript): Problem {
  // `{fd}>x` sets a variable.
  if (redirection.descriptor?.type === 'FileDescriptorVariable')
    return `{${redirection.descriptor.name}} is set by a redirection`
  switch (redirection.type) {
    case 'Redirect':
      return judgeRedirect(redirection, judgeScript)
    case 'HereString':
      return redirection.target === undefined
        ? 'a here-string without a word'
        : judgeWord(redirection.target, judgeScript)
    case 'HereDoc': {
      const { delimiter, body, closing } = redirection
      if (delimiter === undefined || closing === undefined) return 'a here-document without an end'
      return delimiter.quoted || !/[$`\\]/.test(body.text) ? undefined : 'the here-document is expanded'
    }
    default:
      return unknownNode(redirection)
  }
}

const descriptor = /^(\d{1,4}-?|-)$/

/** True if a redirection opens its target for writing. `>&2` only copies a descriptor. */
export const writesFile = (operator: Redirect['operator'], target: string): boolean =>
  operator === '<&' || operator === '>&' ? !descriptor.test(target) : operator !== '<'
/** Not files: bash opens a network connection for these. */
const isConnection = (path: string): boolean => /\/dev\/+(tcp|udp)/i.test(path)

const mayBeDevice = (prefix: string): boolean =>
  '/dev'.startsWith(prefix) || prefix.startsWith('/dev') || /^\d|\/\//.test(prefix)
const isCommand = ({ parts }: Word): boolean => parts?.length === 1 && parts[0]?.type === 'ProcessSubstitution'

function judgeRedirect({ operator, target }: Redirect, judgeScript: JudgeScript): Problem {
  if (target === undefined) return `${operator} has no target`
  const problem = judgeWord(target, judgeScript)
  if (problem !== undefined) return problem
  const { literal, text, prefix, fields } = argumentOf(target)
  const written = `${operator} ${excerpt(text)}`
  // Read from a command, or from a path that cannot be a connection.
  if (operator === '<' && (isCommand(target) || (literal === undefined && fields === 'one' && !mayBeDevice(prefix))))
    return undefined
  if (literal === undefined) return `${written}: the target is unknown`
  switch (operator) {
    case '<':
      // `< 2>&1` is an error in bash, and a file named 2 to the parser.
      if (/^\d+$/.test(literal)) return `${written} is ambiguous`
      return isConnection(literal) ? `${written} opens a connection` : undefined
    case '<&':
    case '>&':
      return writesFile(operator, literal) ? `${written} may write a file` : undefined
    case '>':
    case '>>':
    case '>|':
    case '&>':
    case '&>>':
      return literal === '/dev/null' ? undefined : `${written} writes a file`
    case '<>':
      return `${written} may create a file`
    default:
      return unknownNode(operator)
  }
}
