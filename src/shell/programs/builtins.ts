// Commands of the shell itself. They act on the shell that runs what follows, so most of them are not here: eval, source, exec, trap, alias,
// hash, enable, export, declare, let, getopts, mapfile, unset, shopt.

import { literalsOf, type Argument } from '../argument.ts'
import { bracket, test } from '../conditions.ts'
import { options, readOptions } from '../options.ts'
import { judgeVariable } from '../variables.ts'
import { firstProblem, named, type Problem, type Rule } from '../verdict.ts'

/** `-v` sets a variable, `%n` as well, and both take a subscript that is evaluated. */
const printf: Rule = (args) => {
  const [format] = args[0]?.literal === '--' ? args.slice(1) : args
  if (format?.literal === undefined) return `${named(format?.text ?? '')} is a format that is not known`
  if (format.literal.startsWith('-')) return `${named(format.text)} is not known to only print`
  return /%[^A-Za-z%]*[hlqjzt]*n/i.test(format.literal.replaceAll('%%', '')) ? '%n sets a variable' : undefined
}

const readOptionsOf = options('-rs -d= -n= -t=')

const read: Rule = (args) => {
  const { problem, operands } = readOptions(readOptionsOf, withoutEmptyDelimiter(args))
  return (
    problem ?? firstProblem(operands, ({ literal, text }) => (literal === undefined ? `${named(text)} is not the name of a variable` : judgeVariable(literal)))
  )
}

/** `-d ''` reads up to a NUL: the usual form, after `find -print0`. */
const withoutEmptyDelimiter = (args: readonly Argument[]): readonly Argument[] => {
  const at = args.findIndex(({ literal }, index) => literal === '' && /^-r?d$/.test(args[index - 1]?.literal ?? ''))
  return at < 0 ? args : args.filter((_, index) => index !== at && index !== at - 1)
}

/** Those that scripts begin with. -a would export what is set after it. */
const set: Rule = (args) => {
  const literals = literalsOf(args)
  if (literals === undefined || literals.length === 0) return 'only -e, -u, -x and -o pipefail are known to be harmless'
  return /^([-+][eux]+|[-+][eux]*o (pipefail|errexit|nounset|xtrace))( ([-+][eux]+|[-+][eux]*o (pipefail|errexit|nounset|xtrace)))*$/.test(literals.join(' '))
    ? undefined
    : `${named(literals.join(' '))} is not known to be harmless`
}

/** What runs git after it is refused elsewhere: classify.ts. */
const cd: Rule = (args) => {
  const open = args.find(({ fields }) => fields === 'any')
  return open === undefined && args.length <= 2 ? undefined : 'where it leads is not known'
}

const numbered: Rule = (args): Problem =>
  args.every(({ literal, text }) => /^\d{1,3}$/.test(literal ?? '') || text === '$?') && args.length <= 1 ? undefined : 'its number is not known'

export const builtins: Readonly<Record<string, Rule>> = {
  test,
  '[': bracket,
  printf,
  read,
  set,
  cd,
  exit: numbered,
  return: numbered,
  break: numbered,
  continue: numbered,
}
