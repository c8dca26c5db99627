// What is known well enough of a program's answer to say where a path lies, or which program is meant.

import type { Call } from './call.ts'
import { marks } from './marks.ts'
import { given } from './options.ts'
import { nameOf } from './places.ts'

const { some, glob, top } = marks

type Answer = (args: readonly string[], call: Call) => string | undefined

const joinedOperands = (args: readonly string[]): string => given(args, '-s --suffix').operands.join('\n')

/** `git rev-parse` about its own places. */
const git: Answer = (args) => {
  const at = args.indexOf('--git-path')
  if (at >= 0) return `${top}/.git/${args[at + 1] ?? ''}`
  if (args.includes('--show-toplevel')) return top
  return args.some((arg) => ['--git-dir', '--absolute-git-dir', '--git-common-dir'].includes(arg)) &&
    args.includes('rev-parse')
    ? `${top}/.git`
    : undefined
}

const answers: Readonly<Record<string, Answer>> = {
  pwd: (_, { cwd }) => nameOf(cwd),
  mktemp: (args) => (args.some((arg) => arg.startsWith('/') && !arg.startsWith('/tmp/')) ? undefined : `/tmp/${some}`),
  git,
  which: ([program]) => (program === undefined || program.startsWith('-') ? undefined : `/usr/bin/${program}`),
  command: ([flag, program]) => (/^-[vV]$/.test(flag ?? '') ? program : undefined),
  type: ([flag, program]) => (/^-[pP]$/.test(flag ?? '') ? program : undefined),
  realpath: joinedOperands,
  readlink: (args) => (args.some((arg) => /^-[efm]|^--can/.test(arg)) ? joinedOperands(args) : undefined),
  basename: () => some,
  date: () => some,
  nproc: () => some,
  uname: () => some,
  whoami: () => some,
  dirname: ([path]) =>
    path === undefined
      ? undefined
      : path.startsWith('/')
        ? path.replace(/\/+[^/]*\/*$/, '') || '/'
        : path.startsWith(marks.home)
          ? undefined
          : some,
}

export const answerOf = (call: Call): string | undefined =>
  Object.hasOwn(answers, call.name) ? answers[call.name]?.(call.args, call) : undefined

/** Tests of find that leave something out. */
export const isNarrow = (args: readonly string[]): boolean =>
  args.some((arg) =>
    /^-(i?name|i?path|i?wholename|i?regex|empty|size|[acm](time|min)|newer.*|perm|user|group|inum|links|samefile)$/.test(
      arg,
    ),
  )

/** The places that find searches. */
export function rootsOf(args: readonly string[]): readonly string[] {
  const words = args.filter((arg) => !/^-([HLP]|O\d|D)$/.test(arg))
  const first = words.findIndex((arg) => /^[-(!]/.test(arg))
  const roots = first < 0 ? words : words.slice(0, first)
  return roots.length === 0 ? ['.'] : roots
}

const below = (root: string, name: string): string => `${root.replace(/\/+$/, '')}/${name}`

type Names = (args: readonly string[]) => readonly string[] | undefined

const anywhere: Names = () => [`/${some}`]
/** What matches in files below these places, where only their names are told. */
const matching: Names = (args) =>
  args.some((arg) => /^-[a-zA-Z]*[lL]|^--files-with/.test(arg))
    ? given(args, '-e -f -m -A -B -C -g -t --include --exclude --glob')
        .operands.slice(1)
        .map((root) => below(root, some))
    : undefined

const names: Readonly<Record<string, Names>> = {
  find: (args) =>
    args.includes('-exec') ? undefined : rootsOf(args).map((root) => below(root, isNarrow(args) ? some : glob)),
  // Of a directory it tells what is in it, without where that is.
  ls: (args) => {
    const { operands, has } = given(args, '-I -w -T')
    const named = operands.filter((path) => has('-d', '--directory') || path.includes(glob))
    return named.length === 0 ? undefined : named
  },
  fd: (args) =>
    [
      ...given(args, '-e -E -t -d -c').operands.slice(1),
      ...given(args, '--search-path --base-directory').values('--search-path'),
    ].map((root) => below(root, some)),
  fdfind: (args) =>
    given(args, '-e -E -t -d -c')
      .operands.slice(1)
      .map((root) => below(root, some)),
  du: (args) => given(args, '-d -t').operands.map((root) => below(root, some)),
  locate: anywhere,
  plocate: anywhere,
  mlocate: anywhere,
  mdfind: anywhere,
  grep: matching,
  egrep: matching,
  fgrep: matching,
  rg: matching,
  ag: matching,
}

/** Paths that a program puts out, one a line. */
export const pathsOf = ({ name, args }: Call): readonly string[] | undefined => {
  const told = Object.hasOwn(names, name) ? names[name]?.(args) : undefined
  return told === undefined || told.length === 0 ? undefined : told
}
