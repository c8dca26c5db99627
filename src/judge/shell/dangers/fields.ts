// The value of a word, as far as it can be determined. A word that the classifier knows (../words.ts) is taken from
// there. Otherwise variables with a known value are replaced, and unknown expansions stay as written.

import type { ParameterExpansionPart, Word, WordPart } from '../parse.ts'
import { argumentOf } from '../words.ts'
import { fullName } from './location.ts'
import { top, unknown } from './marks.ts'

/** State that earlier commands have changed. */
export interface State {
  /** A variable may have several values: in a loop, or as an array. */
  readonly variables: Map<string, readonly string[]>
  cwd: string
  /** `set -u`: an unset variable stops the script. */
  isStrict: boolean
}

/** Approximate values, enough to tell where a path leads. */
const wellKnown = new Map([
  ['HOME', '~'],
  ['XDG_CONFIG_HOME', '~/.config'],
  ['XDG_CACHE_HOME', '~/.cache'],
  ['SHELL', 'sh'],
  ...['OLDPWD', 'GITHUB_WORKSPACE', 'CI_PROJECT_DIR'].map((name) => [name, top] as const),
  ...['TMPDIR', 'TMP', 'TEMP'].map((name) => [name, '/tmp'] as const),
])
const neverEmpty = /^(PLAN_\w+|RUNNER_TEMP|USER|LOGNAME|HOSTNAME|RANDOM|SECONDS|UID|PPID)$/

/** Output of some commands, for the same purpose. */
const answers: readonly (readonly [command: RegExp, output: string])[] = [
  [/^mktemp\b.*$/, '/tmp/mktemp'],
  [/^git rev-parse --show-toplevel$/, top],
  [/^git rev-parse --(?:absolute-git-dir|git-dir|git-common-dir)$/, `${top}/.git`],
  [/^git rev-parse --git-path (\S+)$/, `${top}/.git/$1`],
  [/^(?:which|command -v|type -p) ([\w.-]+)$/, '/usr/bin/$1'],
  [/^(?:realpath|readlink -f) (\S+)$/, '$1'],
  [/^dirname ([/~][^"\s]*)\/[^/]*$/, '$1'],
  [/^(?:basename|date|nproc|uname|whoami)\b.*$/s, 'name'],
  [/^echo ([^"'$`|;&<>]*)$/, '$1'],
  [/^find ([^\s"$]+) .*$/s, '$1/name'],
]

/** Limits of the values that are followed. */
export const maxTexts = 32
const maxLength = 4096
/** Separator between fields. */
const end = '\0'

/** The fields of a word. */
export const fieldsOf = (word: Word, state: State): string[] =>
  textsOf(word, false, state).flatMap((text) => (text.includes(end) ? text.split(end).filter(Boolean) : [text]))

/** The values that a word assigns to a variable: assignments do not split fields. */
export const valuesOf = (word: Word, state: State): string[] => textsOf(word, true, state)

function textsOf(word: Word, isQuoted: boolean, state: State): string[] {
  const { literal } = argumentOf(word)
  return literal === undefined && word.parts !== undefined
    ? joinParts(word.parts, isQuoted, state)
    : [literal ?? word.value]
}

const joinParts = (parts: readonly WordPart[], isQuoted: boolean, state: State): string[] =>
  parts.reduce<string[]>(
    (texts, part) => {
      const values = partOf(part, isQuoted, state)
      return texts.flatMap((text) => values.map((value) => (text + value).slice(0, maxLength))).slice(0, maxTexts)
    },
    [''],
  )

function partOf(part: WordPart, isQuoted: boolean, state: State): readonly string[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [part.value]
    case 'DoubleQuoted':
    case 'LocaleString':
      return joinParts(part.parts, true, state)
    case 'SimpleExpansion':
      return split(variableOf(part.text.slice(1), part.text, state), isQuoted)
    case 'ParameterExpansion':
      return split(parameterOf(part, state), isQuoted)
    case 'CommandExpansion':
      return split([answerOf(part.text.replace(/^(\$\(|`)|.$/gs, '').trim(), state)], isQuoted)
    case 'ArithmeticExpansion':
      return ['1']
    case 'BraceExpansion':
      return /^\{[^{}]*,[^{}]*\}$/.test(part.text) ? part.text.slice(1, -1).split(',').slice(0, maxTexts) : [part.text]
    default:
      return [part.text]
  }
}

const split = (values: readonly string[], isQuoted: boolean): readonly string[] =>
  isQuoted ? values : values.map((value) => (value.includes(unknown) ? value : value.replace(/\s+/g, end)))

function answerOf(command: string, { cwd }: State): string {
  if (command === 'pwd') return fullName(cwd)
  const [pattern, output = ''] = answers.find(([each]) => each.test(command)) ?? []
  return pattern === undefined ? `${unknown}(${command})` : command.replace(pattern, output)
}

function variableOf(name: string, text: string, { variables, cwd, isStrict }: State): readonly string[] {
  const known = wellKnown.get(name)
  const isSet = neverEmpty.test(name) || (isStrict && /^[A-Za-z_]/.test(name))
  const otherwise = name === 'PWD' ? fullName(cwd) : isSet ? name : unknown + text.slice(1)
  return variables.get(name) ?? [known ?? otherwise]
}

function parameterOf({ text, parameter, prefix, operation }: ParameterExpansionPart, state: State): readonly string[] {
  const values = variableOf(parameter, text, state)
  const operator = operation?.type === 'Default' ? operation.operator : '?'
  const isKnown = values[0] !== unknown + text.slice(1)
  if (prefix === '#') return ['1']
  if (operation?.type !== 'Default' || operator.endsWith('?') || (isKnown && !operator.endsWith('+'))) return values
  const otherwise = valuesOf(operation.operand, state)
  if (operator.endsWith('=')) state.variables.set(parameter, otherwise)
  return otherwise
}
