// find: an expression of tests and actions. Every word must be known, with the number of its values: otherwise find may
// do anything.

import { isOperand, unknownArgument, type Argument } from '../argument.ts'
import { excerpt, type Judge, type Problem, type Rule } from '../verdict.ts'

const alone = new Set(
  `-a -and -o -or -not ! ( ) , -true -false -print -print0 -ls -prune -quit -depth -d -xdev -mount -daystart -empty
  -executable -readable -writable -nouser -nogroup -follow -noleaf -ignore_readdir_race -noignore_readdir_race
  -warn -nowarn -version --version`.split(/\s+/),
)
const valued = new Set(
  `-name -iname -path -ipath -wholename -iwholename -lname -ilname -regex -iregex -regextype -type -xtype -size
  -mtime -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -newermt -newerat -newerct -newermm -user -group
  -uid -gid -perm -maxdepth -mindepth -links -inum -samefile -used -fstype -printf`.split(/\s+/),
)

export const find: Rule = (args, judge) => {
  let at = 0
  while (['-H', '-L', '-P'].includes(args[at]?.literal ?? '')) at += 1
  const found = pathsBelow(args.slice(at))
  for (; at < args.length; at += 1) {
    const arg = args[at] as Argument
    const word = arg.literal
    if (alone.has(word ?? '')) continue
    if (valued.has(word ?? '')) {
      at += 1
      const problem = valueProblem(arg, args[at])
      if (problem !== undefined) return problem
    } else if (word === '-exec') {
      const end = endOfCommand(args, at)
      const problem = end < 0 ? '-exec has no end' : runs(args.slice(at + 1, end), found, judge)
      if (problem !== undefined) return problem
      at = end
    } else if (!isOperand(arg) || /^[(),!]/.test(arg.prefix)) return `${excerpt(arg.text)} may write`
  }
  return undefined
}

/** An unknown value must be exactly one field: otherwise the next word would take its place. */
function valueProblem(option: Argument, value: Argument | undefined): Problem {
  if (value === undefined || value.fields !== 'one') return `${excerpt(option.text)} needs one value in quotes`
  return /^-(delete|exec|ok|f?print|fls)/.test(value.literal ?? '')
    ? `${excerpt(value.text)} may be an action`
    : undefined
}

/** `;`, or `+` right after `{}`. */
export const endOfCommand = (args: readonly Argument[], start: number): number =>
  args.findIndex(
    ({ literal }, at) => at > start && (literal === ';' || (literal === '+' && args[at - 1]?.literal === '{}')),
  )

/** Found paths begin with the directory of the search: with a single one they are never options. */
function pathsBelow(args: readonly Argument[]): Argument {
  const end = args.findIndex((arg) => !isOperand(arg) || /^[(),!]/.test(arg.prefix))
  const roots = end < 0 ? args : args.slice(0, end)
  if (roots.length === 0) return { text: '{}', literal: undefined, prefix: './', fields: 'like' }
  const [root] = roots
  return roots.length === 1 && root?.fields === 'one'
    ? { text: '{}', literal: undefined, prefix: root.prefix, fields: 'like' }
    : unknownArgument('{}')
}

/** `{}` anywhere in a word stands for a found path. */
const runs = (words: readonly Argument[], found: Argument, judge: Judge): Problem =>
  judge.command(
    words.map((word) =>
      word.literal === '{}'
        ? found
        : word.text.includes('{}') || word.literal?.includes('{}') === true
          ? unknownArgument(word.text)
          : word,
    ),
  )
