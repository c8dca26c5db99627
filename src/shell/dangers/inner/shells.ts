// Shells, what is built into them, and what makes arguments of its input.

import type { Flow } from '../call.ts'
import { executedBy, shells } from '../executed.ts'
import { contentOf, linesOf } from '../flow.ts'
import { marks } from '../marks.ts'
import { given } from '../options.ts'
import { rootsOf } from '../answers.ts'
import {
  assigned,
  assignment,
  command,
  rest,
  script,
  scripted,
  type Inner,
  type Unwrap,
  type Unwraps,
} from './inner.ts'

const env: Unwrap = (args) => {
  const valued = '-u --unset -C --chdir -S --split-string'
  return [
    ...given(args, valued)
      .values('-S', '--split-string')
      .flatMap((text) => script(text)),
    ...assigned(rest(args, valued)),
  ]
}

/** The words that are read: known where they are, else something of the same origin. */
const wordsOf = (input: Flow): readonly string[] =>
  input.text !== undefined
    ? input.text.split(/[\s\0]+/).filter((each) => each !== '')
    : (input.paths ?? linesOf(input).map((line) => (line === marks.variable ? marks.some : line)))

/** What xargs reads becomes arguments. */
const xargs: Unwrap = (args, call) => {
  const valued = '-I -J -n -P -L -d -s -a -E --max-args --max-procs --replace --delimiter --arg-file'
  const words = rest(args, valued)
  const { values, has } = given(args, valued)
  const [list] = values('-a', '--arg-file')
  const read = wordsOf(list === undefined ? call.input : contentOf(list, call))
  const [mark] = has('-i') ? ['{}'] : values('-I', '-J', '--replace')
  if (mark === undefined) return command([...words, ...(words.length === 0 ? [] : read)])
  return read.flatMap((each) => command(words.map((word) => word.replaceAll(mark === '' ? '{}' : mark, each))))
}

/** The command of each -exec, with what was found below each of the places that are searched. */
const find: Unwrap = (args) => {
  const roots = rootsOf(args)
  const inner: Inner[] = []
  for (const [at, arg] of args.entries()) {
    if (!['-exec', '-execdir', '-ok', '-okdir'].includes(arg)) continue
    const end = args.findIndex((each, index) => index > at && (each === ';' || each === '+'))
    const words = args.slice(at + 1, end < 0 ? undefined : end)
    for (const root of roots)
      inner.push(...command(words.map((word) => word.replaceAll('{}', `${root.replace(/\/+$/, '')}/${marks.some}`))))
  }
  return inner
}

/** What a shell is told by `-c`, or else reads. `-s` reads although there are arguments. */
const shell: Unwrap = (args, call) => {
  const { operands, has } = given(args, '-o -O --rcfile --init-file')
  const at = args.findIndex((arg) => /^[-+][a-zA-Z]*c[a-zA-Z]*$/.test(arg))
  if (
    at >= 0 &&
    args.slice(0, at).every((arg) => /^[-+]/.test(arg) || ['pipefail', 'errexit', 'nounset'].includes(arg))
  ) {
    const from = args.findIndex((arg, index) => index > at && !/^[-+]\w+$/.test(arg) && arg !== '--')
    return from < 0 ? [] : script(args[from], args.slice(from + 2))
  }
  const [file] = executedBy({ ...call, program: '' })
  const reads = operands.length === 0 || has('-s') || (file !== undefined && contentOf(file, call) === call.input)
  return reads ? script(call.input.text, has('-s') ? operands : undefined) : []
}

/** `parallel COMMAND ::: A B`; without a command its input has them. */
const parallel: Unwrap = (args, { input }) => {
  const words = rest(args, '-j -N -n -I -a --jobs --colsep --delay --timeout --retries --results --joblog --arg-file')
  const at = words.findIndex((word) => /^:::\+?$/.test(word))
  const [own, listed] = at < 0 ? [words, []] : [words.slice(0, at), words.slice(at + 1)]
  if (own.length === 0) return (at < 0 ? [input.text ?? ''] : listed).flatMap((text) => script(text))
  const read = at < 0 ? wordsOf(input).filter((word) => word !== marks.some) : listed
  const text = own.join(' ')
  return read.length === 0
    ? script(text)
    : read.slice(0, 20).flatMap((each) => script(text.includes('{}') ? text.replaceAll('{}', each) : `${text} ${each}`))
}

/** `alias x='…'`: it runs where the alias is used, if anywhere. */
const alias: Unwrap = (args, { env: set }) =>
  [...set.values(), ...args.flatMap((arg) => assignment.exec(arg)?.[2] ?? [])].flatMap((text) => script(text))

const fd: Unwrap = (args) =>
  args.flatMap((arg, at) =>
    ['-x', '-X', '--exec', '--exec-batch'].includes(arg)
      ? command(args.slice(at + 1).map((word) => word.replaceAll('{}', marks.some)))
      : [],
  )

export const shellsAndBuiltins: Unwraps = {
  [shells]: shell,
  env,
  xargs,
  find,
  'fd fdfind': fd,
  parallel,
  alias,
  command: (args) => (/^-[vV]+$/.test(args[0] ?? '') ? [] : command(rest(args))),
  'exec builtin': (args) => command(rest(args, '-a')),
  eval: (args) => script(args.join(' ')),
  trap: (args) => (args.length > 1 && args[0] !== '-' ? script(args[0]) : []),
  'mapfile readarray': (args) =>
    given(args, '-C -c -d -n -O -s -u')
      .values('-C')
      .flatMap((text) => script(text)),
  'complete compgen': (args) =>
    given(args, '-C -F -W -A -P -S')
      .values('-C')
      .flatMap((text) => script(text)),
  'watch entr': scripted('-n --interval'),
}
