// Parses an unfinished command line, for completion: the words so far, and the kind of the word under the cursor.
// Unlike command-line.ts it refuses nothing.

import { commandNamed, type CommandSpec, type OptionSpec } from '../../commands/table/index.ts'
import { globalOptions } from './global-options.ts'

export type Slot =
  | { readonly kind: 'command'; readonly typed: string }
  | { readonly kind: 'option'; readonly typed: string }
  | { readonly kind: 'value'; readonly typed: string; readonly option: OptionSpec }
  | { readonly kind: 'positional'; readonly typed: string; readonly index: number }
  | { readonly kind: 'nothing'; readonly typed: string }

export interface PartialCommandLine {
  /** The values of `-C`, git's own first. */
  readonly directories: readonly string[]
  /** The command as typed, known or not. */
  readonly name: string | undefined
  readonly command: CommandSpec | undefined
  /** Options by name, with their values; not the one under the cursor. */
  readonly given: ReadonlyMap<string, readonly string[]>
  /** By position; undefined for the one under the cursor. */
  readonly positionals: readonly (string | undefined)[]
  readonly slot: Slot
}

export function readPartialCommandLine(words: readonly string[], cursor: number): PartialCommandLine {
  const { start, directories } = skipGit(words)
  const given = new Map<string, string[]>()
  const positionals: (string | undefined)[] = []
  let name: string | undefined
  let command: CommandSpec | undefined
  let waiting: OptionSpec | undefined
  let isAfterDashes = false
  let slot: Slot = { kind: 'nothing', typed: '' }
  const give = (option: OptionSpec, value?: string): void => {
    given.set(option.name, [...(given.get(option.name) ?? []), ...(value === undefined ? [] : [value])])
  }
  for (let at = start; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const isHere = at === cursor
    if (waiting !== undefined) {
      if (isHere) slot = { kind: 'value', option: waiting, typed: word }
      else give(waiting, word)
      waiting = undefined
    } else if (!isAfterDashes && word.startsWith('-') && (word !== '-' || isHere)) {
      const { option, value } = readOption(word, command)
      if (isHere) {
        if (value === undefined || !word.startsWith('--')) slot = { kind: 'option', typed: word }
        else if (option?.type === 'string') slot = { kind: 'value', option, typed: value }
      } else if (word === '--') isAfterDashes = true
      else if (option?.type === 'string' && value === undefined) waiting = option
      else if (option !== undefined) give(option, value)
    } else if (name === undefined) {
      if (isHere) slot = { kind: 'command', typed: word }
      name = word
      command = commandNamed(word)
    } else {
      if (isHere) slot = { kind: 'positional', index: positionals.length, typed: word }
      positionals.push(isHere ? undefined : word)
    }
  }
  const own = given.get('directory')?.at(-1)
  return {
    directories: own === undefined ? directories : [...directories, own],
    name,
    command,
    given,
    positionals,
    slot,
  }
}

/** `--name`, `--name=value`, `-n`, `-nvalue`. */
function readOption(
  word: string,
  command: CommandSpec | undefined,
): { option: OptionSpec | undefined; value: string | undefined } {
  const known = [...(command?.options ?? []), ...globalOptions]
  if (!word.startsWith('--')) {
    return { option: known.find(({ short }) => short === word[1]), value: word.length > 2 ? word.slice(2) : undefined }
  }
  const equals = word.indexOf('=')
  const name = word.slice(2, equals < 0 ? undefined : equals)
  return { option: known.find((each) => each.name === name), value: equals < 0 ? undefined : word.slice(equals + 1) }
}

const gitTakesValue = new Set([
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--super-prefix',
  '--config-env',
  '--attr-source',
])

/** Skips git's own options: `git -C dir -c x=y plan …`. The command is `plan` or an alias of it. */
function skipGit(words: readonly string[]): { start: number; directories: string[] } {
  const directories: string[] = []
  if (!/(^|[\\/])git(\.exe)?$/.test(words[0] ?? '')) return { start: 1, directories }
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (word === '-C') directories.push(words[(at += 1)] ?? '.')
    else if (gitTakesValue.has(word)) at += 1
    else if (!word.startsWith('-')) return { start: at + 1, directories }
  }
  return { start: words.length, directories }
}
