// sed and awk: programs in a program. Only one that is literal can be judged, and only one that is simple.

import { isOperand, type Argument } from '../argument.ts'
import { options, readOptions } from '../options.ts'
import { firstProblem, excerpt, type Problem, type Rule } from '../verdict.ts'
import { sedProblem } from './sed-script.ts'

// Not -l: it has a value for one sed and none for another, which would take that for the script.
const sedOptions = options(
  '-nErsuz -e= --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression= --posix --version',
)

export const sed: Rule = (args) => {
  const { problem, options: given, operands } = readOptions(sedOptions, args)
  if (problem !== undefined) return problem
  const expressions = given.filter(({ name }) => name === '-e' || name === '--expression').map(({ value }) => value)
  const scripts = expressions.length > 0 ? expressions : operands.slice(0, 1)
  return firstProblem(scripts, (script) =>
    script?.literal === undefined
      ? `${excerpt(script?.text ?? '')} is a script that is not known`
      : sedProblem(script.literal),
  )
}

// Those that each awk has: another one takes what follows a long option for the program.
const awkOptions = options('-F= -v= --version')

export const awk: Rule = (args) => {
  const { problem, options: given, operands } = readOptions(awkOptions, args, 'first')
  if (problem !== undefined) return problem
  const [program, ...files] = operands
  if (program === undefined) return given.some(({ name }) => name === '--version') ? undefined : 'there is no program'
  return (
    (program.literal === undefined
      ? `${excerpt(program.text)} is a program that is not known`
      : awkProblem(program.literal)) ?? firstProblem(files, awkFile)
  )
}

/** gawk opens a connection for a file of this name. */
const network = '/inet'
const awkFile = (file: Argument): Problem =>
  isOperand(file) && !network.startsWith(file.prefix) && !/^\/+inet/.test(file.prefix)
    ? undefined
    : `${excerpt(file.text)} may be no file`

/** What runs, opens or loads something. */
const effects = /\b(system|getline|close|fflush|ARGV|ARGC|PROCINFO|BINMODE|ENVIRON)\b|[@|`]|\\\n/

function awkProblem(program: string): Problem {
  // With patterns, comments, escapes or several lines a quote or a brace need not be what it looks like: then nothing is taken out.
  const isSimple = !/[\\/\n#]/.test(program)
  const code = (isSimple ? program.replace(/"[^"]*"/g, '""') : program).replaceAll('||', ' ').replaceAll('>=', ' ')
  const found = effects.exec(code)?.[0]
  if (found !== undefined) return `${found} in the program may run or write something`
  return code.includes('>') && !(isSimple && onlyCompares(code)) ? '> in the program may write a file' : undefined
}

/** Outside of braces there are patterns and no statements, so `>` compares. Inside, `print a > b` writes. */
function onlyCompares(code: string): boolean {
  let depth = 0
  for (const character of code) {
    if (character === '{') depth += 1
    if (character === '}') depth -= 1
    if (character === '>' && depth !== 0) return false
  }
  return depth === 0
}
