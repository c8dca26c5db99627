// Shell builtins. They act on the shell that runs the commands after them, so most are not here: eval, source, enable,
// let, getopts, unset. Others only print settings if they are given nothing to set: alias, export, declare, trap, hash,
// shopt.

import { literalsOf, type Argument } from '../argument.ts'
import { bracket, test } from '../conditions.ts'
import { options, readOptions } from '../options.ts'
import { judgeVariable } from '../variables.ts'
import { firstProblem, excerpt, type Problem, type Rule } from '../verdict.ts'
import { phrase } from './system.ts'

/** A literal name, without a subscript, that no program reads. */
const judgeName = (name: Argument | undefined): Problem =>
  name?.literal === undefined
    ? `${excerpt(name?.text ?? '')} is not the name of a variable`
    : judgeVariable(name.literal)

/** `-v` and `%n` set a variable, and would evaluate a subscript. */
const printf: Rule = (args) => {
  const isSet = args[0]?.literal === '-v'
  const problem = isSet ? judgeName(args[1]) : undefined
  if (problem !== undefined) return problem
  const [format] = isSet ? args.slice(2) : args[0]?.literal === '--' ? args.slice(1) : args
  if (format?.literal === undefined) return `${excerpt(format?.text ?? '')} is an unknown format`
  if (format.literal.startsWith('-')) return `${excerpt(format.text)} is not known to only print`
  return /%[^A-Za-z%]*[hlqjzt]*n/i.test(format.literal.replaceAll('%%', '')) ? '%n sets a variable' : undefined
}

const readOptionsOf = options('-rs -d= -n= -t= -p= -a=')

const read: Rule = (args) => {
  const { problem, options: given, operands } = readOptions(readOptionsOf, withoutEmptyDelimiter(args))
  // In some shells -p has no value, and the next word is a name.
  const prompt = given.find(({ name, value }) => name === '-p' && !/^[\w ?:.,>!/()-]*$/.test(value?.literal ?? '$'))
  if (prompt !== undefined) return `${excerpt(prompt.value?.text ?? '')} may be read as a name`
  const arrays = given.filter(({ name }) => name === '-a').map(({ value }) => value)
  return problem ?? firstProblem([...arrays, ...operands], judgeName)
}

/** -C runs a command. */
const mapfile: Rule = (args) => {
  const { problem, operands } = readOptions(mapfileOptions, args)
  return problem ?? (operands.length > 1 ? 'it takes only one name' : firstProblem(operands, judgeName))
}
const mapfileOptions = options('-t -n= -s= -O=')

/** `-d ''` reads up to a NUL: the usual form after `find -print0`. */
const withoutEmptyDelimiter = (args: readonly Argument[]): readonly Argument[] => {
  const at = args.findIndex(({ literal }, index) => literal === '' && /^-r?d$/.test(args[index - 1]?.literal ?? ''))
  return at < 0 ? args : args.filter((_, index) => index !== at && index !== at - 1)
}

const setting = '([-+][eux]+|[-+][eux]*o (pipefail|errexit|nounset|xtrace))'
const knownSettings = new RegExp(`^${setting}( ${setting})*$`)

/** The usual options at the start of a script. -a would export later variables. */
const set: Rule = (args) => {
  const literals = literalsOf(args)
  if (literals?.join(' ') === '-o') return undefined
  if (literals === undefined || literals.length === 0) return 'only -e, -u, -x and -o pipefail are known to be harmless'
  return knownSettings.test(literals.join(' '))
    ? undefined
    : `${excerpt(literals.join(' '))} is not known to be harmless`
}

/** classify.ts refuses git after it. */
const cd: Rule = (args) => {
  const open = args.find(({ fields }) => fields === 'any')
  return open === undefined && args.length <= 2 ? undefined : 'the directory is unknown'
}

const exitStatus: Rule = (args): Problem =>
  args.every(({ literal, text }) => /^\d{1,3}$/.test(literal ?? '') || text === '$?') && args.length <= 1
    ? undefined
    : 'the exit status is unknown'

/** With one more word these would set, run or forget something. */
const shows = '(-p)?'
const showsNames = '-[pfF]( [A-Za-z_][A-Za-z0-9_]*)*'

export const builtins: Readonly<Record<string, Rule>> = {
  test,
  '[': bracket,
  printf,
  read,
  set,
  cd,
  // Redirections for the rest of the script are judged separately.
  exec: (args) => (args.length === 0 ? undefined : 'it runs its arguments'),
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
  exit: exitStatus,
  return: exitStatus,
  break: exitStatus,
  continue: exitStatus,
}
