// A word of the tree → what programs get of it, with marks for what is not known. It may stand for several fields, and where a variable may have several values there
// are several readings of it.

import type { ParameterExpansionPart, ParameterOperation, Word, WordPart } from '../parse.ts'
import { marks } from './marks.ts'
import type { Variables } from './variables.ts'

export interface Surroundings {
  readonly variables: Variables
  /** What a substitution puts out; asked for once for each place. */
  outputOf(part: Extract<WordPart, { type: 'CommandExpansion' | 'ProcessSubstitution' }>): readonly string[]
}

/** Readings, each of the texts that braces make of the word. */
type Readings = readonly (readonly string[])[]

const maxReadings = 8
const maxTexts = 32

/** A value that doubles again and again ends here. */
const maxLength = 4096
const added = (text: string, value: string): string =>
  text.length + value.length > maxLength ? (text + value).slice(0, maxLength) + marks.variable : text + value

const times = (readings: Readings, values: readonly string[]): Readings =>
  readings.flatMap((texts) => values.map((value) => texts.map((text) => added(text, value)))).slice(0, maxReadings)

/** The fields of a word, in each of its readings. */
export function readingsOf(word: Word, around: Surroundings): string[][] {
  return rawReadings(word, around).map((texts) =>
    texts.flatMap((text) =>
      text.includes(marks.end) ? text.split(marks.end).filter((field) => field !== '') : [text],
    ),
  )
}

/** What an assignment gives to a variable: nothing is split there. */
export const valuesOf = (word: Word, around: Surroundings): string[] =>
  rawReadings(word, around).map((texts) => texts.join(' ').replaceAll(marks.end, ' '))

/** The fields of all readings. */
export const fieldsOf = (word: Word, around: Surroundings): string[] => [...new Set(readingsOf(word, around).flat())]

const tilde = (text: string): string =>
  /^~([+]|[A-Za-z0-9_-]*)(?=\/|$)/.test(text) ? text.replace(/^~[^/]*/, text.startsWith('~+') ? '.' : marks.home) : text

function rawReadings(word: Word, around: Surroundings): Readings {
  if (word.parts === undefined) return [[tilde(word.text) === word.text ? word.value : tilde(word.value)]]
  let readings: Readings = [['']]
  for (const [at, part] of word.parts.entries()) {
    if (part.type === 'BraceExpansion')
      readings = readings.map((texts) =>
        texts.flatMap((text) => bracesOf(part.text).map((each) => text + each)).slice(0, maxTexts),
      )
    else
      readings = times(
        readings,
        at === 0 && part.type === 'Literal'
          ? [tilde(part.text) === part.text ? part.value : tilde(part.value)]
          : partOf(part, 'bare', around),
      )
  }
  return readings
}

/** `{a,b}`; what is nested or counts is one unknown thing. */
function bracesOf(text: string): string[] {
  const inner = text.slice(1, -1)
  return /[{}$`'"\\]/.test(inner) ? inner.split(/[{},]+/) : inner.includes(',') ? inner.split(',') : [marks.some]
}

/** Without quotes a value is split into fields, and its stars are patterns. */
const split = (values: readonly string[], { variables }: Surroundings): string[] => {
  const separators = variables.isSet('IFS')
    ? variables
        .of('IFS')
        .join('')
        .replace(/[^,:;|/+.-]/g, '')
        .replace(/[-.]/g, '\\$&')
    : ''
  return values.map((value) =>
    value.replace(new RegExp(`[\\s${separators}]+`, 'g'), marks.end).replace(/[*?]/g, marks.glob),
  )
}

function partOf(part: WordPart, quoting: 'bare' | 'quoted', around: Surroundings): readonly string[] {
  const expanded = (values: readonly string[]): readonly string[] =>
    quoting === 'bare' ? split(values, around) : values
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [part.value]
    case 'DoubleQuoted':
    case 'LocaleString':
      return textsOf(part.parts, 'quoted', around)
    case 'SimpleExpansion':
      return expanded(around.variables.of(part.text.slice(1)))
    case 'ParameterExpansion':
      return expanded(parameterOf(part, around))
    case 'CommandExpansion':
      return expanded(around.outputOf(part))
    case 'ProcessSubstitution':
      return around.outputOf(part)
    case 'Glob':
    case 'ExtendedGlob':
      return [marks.glob]
    case 'ArithmeticExpansion':
      return [marks.some]
    case 'BraceExpansion':
      return bracesOf(part.text)
    default:
      return [marks.variable]
  }
}

const textsOf = (parts: readonly WordPart[], quoting: 'bare' | 'quoted', around: Surroundings): readonly string[] =>
  parts.reduce<readonly string[]>(
    (texts, part) =>
      texts.flatMap((text) => partOf(part, quoting, around).map((value) => added(text, value))).slice(0, maxReadings),
    [''],
  )

/** `$PATH`, `$HOME` and the like begin with a slash: `${PATH:0:1}` is a way to write one. */
const beginsWithSlash = new Set(['PATH', 'HOME', 'PWD', 'OLDPWD', 'SHELL'])

function parameterOf(
  { parameter, prefix, index, operation }: ParameterExpansionPart,
  around: Surroundings,
): readonly string[] {
  if (prefix === '#') return [marks.some]
  if (prefix === '!') return [marks.variable]
  // Any of an array counts as all of them.
  const values = around.variables.of(parameter).flatMap((value) => (index === undefined ? [value] : value.split(' ')))
  return operation === undefined ? values : operated(operation, values, parameter, around)
}

function operated(
  operation: ParameterOperation,
  values: readonly string[],
  name: string,
  around: Surroundings,
): readonly string[] {
  const isUnknown = values.every((value) => value === marks.variable)
  switch (operation.type) {
    case 'Default': {
      const { operator } = operation
      if (operator.endsWith('?'))
        return isUnknown ? [marks.some] : values.map((value) => value.replaceAll(marks.variable, marks.some))
      const otherwise = valuesOf(operation.operand, around)
      if (operator.endsWith('+')) return ['', ...otherwise]
      const all = isUnknown
        ? [...otherwise, marks.some]
        : values.flatMap((value) => (value === '' && operator.startsWith(':') ? otherwise : [value]))
      if (operator.endsWith('=')) around.variables.set(name, all, false)
      return all
    }
    case 'Slice': {
      const [from, length] = [operation.offset.text.trim(), operation.length?.text.trim()].map((text) =>
        text === undefined ? undefined : Number(text),
      )
      if (from === 0 && length === 1 && beginsWithSlash.has(name)) return ['/']
      return values.map((value) =>
        Number.isInteger(from) && !/[\u{E000}-\u{E007}]/u.test(value)
          ? value.slice(from, length === undefined ? undefined : (from ?? 0) + length)
          : marks.variable,
      )
    }
    // What is left may be anything but much like what it was; `${dir%/}` most of all.
    case 'Remove':
    case 'CaseModification':
      return values
    default:
      return [marks.variable]
  }
}
