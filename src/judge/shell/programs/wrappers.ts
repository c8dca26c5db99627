// Programs that run another program, which is judged in turn.

import { isOperand, literalArgument, unknownArgument, type Argument } from '../argument.ts'
import { options, readOptions, type Options } from '../options.ts'
import { judgeEnvironment } from '../variables.ts'
import { firstProblem, excerpt, type Judge, type Problem, type Rule } from '../verdict.ts'
import { transparent, xargsUsage } from './runners.ts'

/** Options, then its own operands, then the command. */
const wrapper =
  (known: Options, own = 0): Rule =>
  (args, judge) => {
    const { problem, operands } = readOptions(known, args, 'first')
    if (problem !== undefined) return problem
    const open = operands.slice(0, own).find(({ literal }) => literal === undefined)
    if (open !== undefined) return `${excerpt(open.text)} is unknown`
    return operands.length > own ? judge.command(operands.slice(own)) : 'there is no command'
  }

const assignment = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s

/**
 * Without a command it prints the environment. -S splits a string into a command, -C changes directory; without PATH,
 * by -i or -u, the current directory may be searched.
 */
const env: Rule = (args, judge) => {
  const { problem, operands } = readOptions(envOptions, args, 'first')
  if (problem !== undefined) return problem
  const first = operands.findIndex(({ literal }) => !assignment.test(literal ?? ''))
  const [assignments, command] = first < 0 ? [operands, []] : [operands.slice(0, first), operands.slice(first)]
  return (
    firstProblem(assignments, ({ literal }) => {
      const [, name = '', value = ''] = assignment.exec(literal ?? '') ?? []
      return judgeEnvironment(name, literalArgument(value))
    }) ?? (command.length === 0 ? undefined : judge.command(command))
  )
}
const envOptions = options('-0 --null')

/** `command -v x` looks x up; `command x` runs the program, never a function with that name. */
const command: Rule = (args, judge) =>
  ['-v', '-V'].includes(args[0]?.literal ?? '')
    ? undefined
    : args[0]?.literal === '--'
      ? run(args.slice(1), judge)
      : run(args, judge)

const run = (words: readonly Argument[], judge: Judge): Problem => {
  const first = words[0]
  if (first === undefined) return undefined
  return isOperand(first) ? judge.command(words) : `${excerpt(first.text)} may write`
}

/** Its input becomes unknown arguments. */
const xargs: Rule = (args, judge) => {
  const { problem, options: given, operands } = readOptions(xargsOptions, args, 'first')
  if (problem !== undefined) return problem
  const mark = given.findLast(({ name }) => name === '-I')?.value
  if (operands.length === 0) return undefined
  const replaced = mark === undefined ? undefined : (mark.literal ?? '')
  if (replaced === '') return `${excerpt(mark?.text ?? '')} is unknown`
  const isFixed = (word: Argument): boolean => replaced === undefined || word.literal?.includes(replaced) === false
  // Also at the end if there is a mark: a later option overrides -I.
  return judge.command([
    ...operands.map((word) => (isFixed(word) ? word : unknownArgument(word.text))),
    unknownArgument('what xargs reads'),
  ])
}
const xargsOptions = options(xargsUsage)

/** `sh -c 'script'`: a literal script is judged. The words after it are its parameters, which are unknown there. */
const shell: Rule = (args, judge) => {
  const [flags, script] = args
  if (args.length === 1 && flags?.literal === '--version') return undefined
  if (!/^-[eux]*c$/.test(flags?.literal ?? '')) return 'it runs its input'
  return script?.literal === undefined || !isOperand(script)
    ? `${excerpt(script?.text ?? '')} is an unknown script`
    : judge.script(script.literal)
}

export const wrappers: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(
    Object.entries(transparent).map(([name, { usage = '', own }]) => [name, wrapper(options(usage), own)]),
  ),
  env,
  command,
  builtin: (args, judge) => run(args, judge),
  xargs,
  sh: shell,
  bash: shell,
  dash: shell,
}
