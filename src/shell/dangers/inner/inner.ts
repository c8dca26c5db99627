// What a program runs in turn, and the ways to find it in its arguments.

import type { Call } from '../call.ts'
import { given } from '../options.ts'

export type Inner =
  | {
      readonly kind: 'command'
      readonly words: readonly string[]
      readonly env?: ReadonlyMap<string, string>
      readonly cwd?: string
    }
  /** `args`: its `$1`, `$2` and so on, where they are known. */
  | { readonly kind: 'script'; readonly text: string; readonly args?: readonly string[] }

export type Unwrap = (args: readonly string[], call: Call) => readonly Inner[]
/** By the names of programs, several of them in one key. */
export type Unwraps = Readonly<Record<string, Unwrap>>

export const command = (words: readonly string[], env?: ReadonlyMap<string, string>): Inner[] =>
  words.length === 0 ? [] : [{ kind: 'command', words, ...(env === undefined ? {} : { env }) }]
export const script = (text: string | undefined, args?: readonly string[]): Inner[] =>
  text === undefined || text === '' ? [] : [{ kind: 'script', text, ...(args === undefined ? {} : { args }) }]

/** What follows the options. */
export function rest(args: readonly string[], valued = ''): readonly string[] {
  const withValue = new Set(valued.split(' '))
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    if (arg === '--') return args.slice(at + 1)
    if (!arg.startsWith('-') || arg === '-') return args.slice(at)
    if (withValue.has(arg)) at += 1
  }
  return []
}

/** Options, so many operands of its own, then the command. */
export const wrapper =
  (valued = '', own = 0): Unwrap =>
  (args) => {
    const words = rest(args, valued).slice(own)
    return command(words[0] === '--' ? words.slice(1) : words)
  }

/** Options, so many operands, then words that a shell takes for a script. */
export const scripted =
  (valued = '', own = 0): Unwrap =>
  (args) =>
    script(rest(args, valued).slice(own).join(' '))

/** Each operand is a script. */
export const scriptEach =
  (valued = ''): Unwrap =>
  (args) =>
    given(args, valued).operands.flatMap((text) => script(text))

/** Scripts are the values of these options; `others` have values of another kind. */
export const inOption =
  (names: string, others = ''): Unwrap =>
  (args) =>
    given(args, `${names} ${others}`)
      .values(...names.split(' '))
      .flatMap((text) => script(text))

export const assignment = /^([A-Za-z_]\w*)=(.*)$/s

/** `A=1 B=2 PROGRAM …`. */
export function assigned(words: readonly string[]): Inner[] {
  const first = words.findIndex((word) => !assignment.test(word))
  const pairs = (first < 0 ? words : words.slice(0, first)).map((word): [string, string] => {
    const [, name = '', value = ''] = assignment.exec(word) ?? []
    return [name, value]
  })
  return command(first < 0 ? [] : words.slice(first), new Map(pairs))
}
