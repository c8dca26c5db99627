// Options of a program, written as in a usage line:
//
//   -abc     letters without a value, alone or combined
//   -k=      a letter with a value, joined or as the next word
//   -M[=]    a letter with an optional value, joined: a number, or a word such as `no`
//   -#       a number, such as -5
//   --name   --name=  (joined or as the next word)   --name[=]  (optional, joined only)
//
// Names are full names. Most programs accept any unambiguous prefix, but which prefixes are unambiguous differs between
// versions, so an abbreviated option is unknown.

import { isOperand, type Argument } from './argument.ts'
import { excerpt, type Problem } from './verdict.ts'

type Value = 'none' | 'value' | 'maybe'

interface Values {
  get(name: string): Value | undefined
}

export interface Options {
  readonly letters: Values
  readonly names: Values
  readonly hasNumbers: boolean
}

const read = (item: string): { name: string; value: Value } =>
  item.endsWith('[=]')
    ? { name: item.slice(0, -3), value: 'maybe' }
    : item.endsWith('=')
      ? { name: item.slice(0, -1), value: 'value' }
      : { name: item, value: 'none' }

export function options(...usage: readonly string[]): Options {
  const letters = new Map<string, Value>()
  const names = new Map<string, Value>()
  let hasNumbers = false
  for (const item of usage.join(' ').split(/\s+/)) {
    const { name, value } = read(item)
    if (item === '-#') hasNumbers = true
    else if (name.startsWith('--')) names.set(name, value)
    else for (const letter of name.slice(1)) letters.set(letter, value)
  }
  return { letters, names, hasNumbers }
}

/** For advice only, never for a verdict: every other option counts as a flag. */
export const withAnyFlag = ({ letters, names, hasNumbers }: Options): Options => ({
  letters: { get: (letter) => letters.get(letter) ?? 'none' },
  names: { get: (name) => names.get(name) ?? 'maybe' },
  hasNumbers,
})

export interface Given {
  readonly problem: Problem
  /** In order, with dashes: `-n`, `--name`. */
  readonly options: readonly { readonly name: string; readonly value: Argument | undefined }[]
  readonly operands: readonly Argument[]
  /** The number of operands after `--`. */
  readonly afterDashes: number
  /** True if an option follows an operand: some programs read it as another operand. */
  readonly isMixed: boolean
}

interface Reader {
  readonly known: Options
  readonly args: readonly Argument[]
  readonly options: { name: string; value: Argument | undefined }[]
  at: number
}

/** `first`: options end at the first operand, as in programs that run another one. */
export function readOptions(known: Options, args: readonly Argument[], until: 'end' | 'first' = 'end'): Given {
  const operands: Argument[] = []
  let isMixed = false
  const reader: Reader = { known, args, options: [], at: 0 }
  const given = (problem: Problem, afterDashes = 0): Given => ({
    problem,
    options: reader.options,
    operands,
    afterDashes,
    isMixed,
  })
  while (reader.at < args.length) {
    const arg = args[reader.at] as Argument
    reader.at += 1
    if (arg.literal === '--') {
      const rest = args.slice(reader.at)
      operands.push(...rest)
      return given(undefined, rest.length)
    }
    if (isOperand(arg)) {
      operands.push(arg)
      if (until === 'end') continue
      operands.push(...args.slice(reader.at))
      return given(undefined)
    }
    isMixed ||= operands.length > 0
    const problem = readOne(arg, reader)
    if (problem !== undefined) return given(problem)
  }
  return given(undefined)
}

const unknown = (word: string): string => `${excerpt(word)} may write`

function readOne({ text, literal, prefix, fields }: Argument, reader: Reader): Problem {
  if (literal !== undefined) return literal.startsWith('--') ? readName(literal, reader) : readLetters(literal, reader)
  // `--key="$x"`: the name is known, and it is a single field.
  if (fields === 'one' && /^--[a-z][a-z-]*=/.test(prefix))
    return readName(prefix, reader, { text, literal: undefined, prefix: '', fields })
  return `${excerpt(text)} may become an option`
}

/**
 * The next word, as a value. It must not look like an option: a version of the program in which this option has no
 * value would read it as one.
 */
function nextValue(word: string, name: string, reader: Reader): Problem {
  const value = reader.args[reader.at]
  if (value === undefined) return `${excerpt(word)} needs a value`
  if (!isOperand(value)) return `${excerpt(value.text)} may be an option and not the value of ${excerpt(word)}`
  reader.at += 1
  reader.options.push({ name, value })
  return undefined
}

const joinedValue = (word: string, text: string): Argument => ({
  text: word,
  literal: text,
  prefix: text,
  fields: 'one',
})

function readName(word: string, reader: Reader, open?: Argument): Problem {
  const equals = word.indexOf('=')
  const name = equals < 0 ? word : word.slice(0, equals)
  const kind = reader.known.names.get(name)
  if (kind === undefined || (kind === 'none' && equals >= 0)) return unknown(word)
  if (kind === 'value' && equals < 0) return nextValue(word, name, reader)
  reader.options.push({ name, value: open ?? (equals < 0 ? undefined : joinedValue(word, word.slice(equals + 1))) })
  return undefined
}

function readLetters(word: string, reader: Reader): Problem {
  if (reader.known.hasNumbers && /^-\d+$/.test(word)) return undefined
  for (let at = 1; at < word.length; at += 1) {
    const name = `-${word[at]}`
    const rest = word.slice(at + 1)
    const kind = reader.known.letters.get(name.slice(1))
    if (kind === undefined) return unknown(word)
    if (kind === 'value' && rest === '') return nextValue(word, name, reader)
    const ends = kind === 'value' || (kind === 'maybe' && /^([\d.%]+|no|normal|all)$/.test(rest))
    reader.options.push({ name, value: ends ? joinedValue(word, rest) : undefined })
    if (ends) return undefined
  }
  return undefined
}
