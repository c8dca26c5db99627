// Commands of the shell itself. They act on the shell that runs what follows, so most of them are not here: eval, source, enable, let,
// getopts, unset. Others show what they could set when they are given nothing to set: alias, export, declare, trap, hash, shopt.

import { literalsOf, type Argument } from '../argument.ts'
import { bracket, test } from '../conditions.ts'
import { options, readOptions } from '../options.ts'
import { judgeVariable } from '../variables.ts'
import { firstProblem, excerpt, type Problem, type Rule } from '../verdict.ts'
import { phrase } from './system.ts'

/** A name in full, without a subscript, that means nothing to others. */
const settable = (name: Argument | undefined): Problem =>
  name?.literal === undefined
    ? `${excerpt(name?.text ?? '')} is not the name of a variable`
    : judgeVariable(name.literal)

/** `-v` sets a variable, `%n` as well, and both would take a subscript that is evaluated. */
const printf: Rule = (args) => {
  const isSet = args[0]?.literal === '-v'
  const problem = isSet ? settable(args[1]) : undefined
  if (problem !== undefined) return problem
  const [format] = isSet ? args.slice(2) : args[0]?.literal === '--' ? args.slice(1) : args
  if (format?.literal === undefined) return `${excerpt(format?.text ?? '')} is a format that is not known`
  if (format.literal.startsWith('-')) return `${excerpt(format.text)} is not known to only print`
  return /%[^A-Za-z%]*[hlqjzt]*n/i.test(format.literal.replaceAll('%%', '')) ? '%n sets a variable' : undefined
}

const readOptionsOf = options('-rs -d= -n= -t= -p= -a=')

const read: Rule = (args) => {
  const { problem, options: given, operands } = readOptions(readOptionsOf, withoutEmptyDelimiter(args))
  // To some shells -p has no value, and what follows it is a name.
  const prompt = given.find(({ name, value }) => name === '-p' && !/^[\w ?:.,>!/()-]*$/.test(value?.literal ?? '$'))
  if (prompt !== undefined) return `${excerpt(prompt.value?.text ?? '')} may be taken for a name`
  const arrays = given.filter(({ name }) => name === '-a').map(({ value }) => value)
  return problem ?? firstProblem([...arrays, ...operands], settable)
}

/** -C runs a command. */
const mapfile: Rule = (args) => {
  const { problem, operands } = readOptions(mapfileOptions, args)
  return problem ?? (operands.length > 1 ? 'it has one name' : firstProblem(operands, settable))
}
const mapfileOptions = options('-t -n= -s= -O=')

/** `-d ''` reads up to a NUL: the usual form, after `find -print0`. */
const withoutEmptyDelimiter = (args: readonly Argument[]): readonly Argument[] => {
  const at = args.findIndex(({ literal }, index) => literal === '' && /^-r?d$/.test(args[index - 1]?.literal ?? ''))
  return at < 0 ? args : args.filter((_, index) => index !== at && index !== at - 1)
}

/** Those that scripts begin with. -a would export what is set after it. */
const set: Rule = (args) => {
  const literals = literalsOf(args)
  if (literals?.join(' ') === '-o') return undefined
  if (literals === undefined || literals.length === 0) return 'only -e, -u, -x and -o pipefail are known to be harmless'
  return /^([-+][eux]+|[-+][eux]*o (pipefail|errexit|nounset|xtrace))( ([-+][eux]+|[-+][eux]*o (pipefail|errexit|nounset|xtrace)))*$/.test(
    literals.join(' '),
  )
    ? undefined
    : `${excerpt(literals.join(' '))} is not known to be harmless`
}

/** What runs git after it is refused elsewhere: classify.ts. */
const cd: Rule = (args) => {
  const open = args.find(({ fields }) => fields === 'any')
  return open === undefined && args.length <= 2 ? undefined : 'where it leads is not known'
}

const numbered: Rule = (args): Problem =>
  args.every(({ literal, text }) => /^\d{1,3}$/.test(literal ?? '') || text === '$?') && args.length <= 1
    ? undefined
    : 'its number is not known'

/** With a word more they would set, run or forget something. */
const shows = '(-p)?'
const showsNames = '-[pfF]( [A-Za-z_][A-Za-z0-9_]*)*'

export const builtins: Readonly<Record<string, Rule>> = {
  test,
  '[': bracket,
  printf,
  read,
  set,
  cd,
  // What is opened for the rest of the script is judged with the redirections.
  exec: (args) => (args.length === 0 ? undefined : 'it runs what it is given'),
  pushd: cd,
  popd: phrase(/^$/),
  mapfile,
  readarray: mapfile,
  wait: phrase(/^$/),
  alias: phrase(new RegExp(`^${shows}$`)),
  shopt: phrase(new RegExp(`^${shows}$`)),
  trap: phrase(/^-[pl]$/),
  export: phrase(/^-p$/),
  declare: phrase(new RegExp(`^${showsNames}$`)),
  typeset: phrase(new RegExp(`^${showsNames}$`)),
  hash: phrase(/^(-t( \w[\w.-]*)+)?$/),
  history: phrase(/^\d*$/),
  jobs: phrase(/^(-[lprs])?$/),
  times: phrase(/^$/),
  dirs: phrase(/^(-[lpv])?$/),
  ulimit: phrase(/^-[SH]?[acdefilmnpqrstuvx]$/),
  help: phrase(/^(-[dms] )?[\w.[:]*$/),
  exit: numbered,
  return: numbered,
  break: numbered,
  continue: numbered,
}
