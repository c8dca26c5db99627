// sed and awk: scripts inside a command. Only literal and simple scripts can be judged.

import { isOperand, type Argument } from '../argument.ts'
import { options, readOptions } from '../options.ts'
import { firstProblem, excerpt, type Problem, type Rule } from '../verdict.ts'
import { sedProblem } from './sed-script.ts'

// Not -l: it has a value in one sed and none in another, which would read the value as the script.
const sedOptions = options(
  '-nErsuz -e= --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression= --posix --version',
)

export const sed: Rule = (args) => {
  const { problem, options: given, operands } = readOptions(sedOptions, args)
  if (problem !== undefined) return problem
  const expressions = given.filter(({ name }) => name === '-e' || name === '--expression').map(({ value }) => value)
  const scripts = expressions.length > 0 ? expressions : operands.slice(0, 1)
  return firstProblem(scripts, (script) =>
    script?.literal === undefined ? `${excerpt(script?.text ?? '')} is an unknown script` : sedProblem(script.literal),
  )
}

// Options of every awk: some read the word after a long option as the program.
const awkOptions = options('-F= -v= --version')

export const awk: Rule = (args) => {
  const { problem, options: given, operands } = readOptions(awkOptions, args, 'first')
  if (problem !== undefined) return problem
  const [program, ...files] = operands
  if (program === undefined) return given.some(({ name }) => name === '--version') ? undefined : 'there is no program'
  return (
    (program.literal === undefined ? `${excerpt(program.text)} is an unknown program` : awkProblem(program.literal)) ??
    firstProblem(files, judgeAwkFile)
  )
}

/** gawk opens a network connection for a file with this name. */
const network = '/inet'
const judgeAwkFile = (file: Argument): Problem =>
  isOperand(file) && !network.startsWith(file.prefix) && !/^\/+inet/.test(file.prefix)
    ? undefined
    : `${excerpt(file.text)} may not be a file`

/** Functions and operators that run, open or load something. */
const effects = /\b(system|getline|close|fflush|ARGV|ARGC|PROCINFO|BINMODE|ENVIRON)\b|[@|`]|\\\n/

function awkProblem(program: string): Problem {
  // With patterns, comments, escapes or several lines, quotes and braces can be misleading: then strings are not
  // removed.
  const isSimple = !/[\\/\n#]/.test(program)
  const code = (isSimple ? program.replace(/"[^"]*"/g, '""') : program).replaceAll('||', ' ').replaceAll('>=', ' ')
  const found = effects.exec(code)?.[0]
  if (found !== undefined) return `${found} in the program may run or write something`
  return code.includes('>') && !(isSimple && onlyCompares(code)) ? '> in the program may write a file' : undefined
}

/** Outside braces there are only patterns, so `>` compares. Inside, `print a > b` writes. */
function onlyCompares(code: string): boolean {
  let depth = 0
  for (const character of code) {
    if (character === '{') depth += 1
    if (character === '}') depth -= 1
    if (character === '>' && depth !== 0) return false
  }
  return depth === 0
}
