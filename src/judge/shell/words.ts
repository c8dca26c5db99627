// Converts a word of the tree to an argument: its value after unquoting, as far as it is known. expansions.ts decides
// whether its expansions are harmless.

import type { Argument } from './argument.ts'
import type { CommandExpansionPart, Word, WordPart } from './parse.ts'

interface Reading {
  value: string
  isKnown: boolean
  fields: Argument['fields']
}

export function argumentOf(word: Word): Argument {
  const reading: Reading = { value: '', isKnown: true, fields: 'one' }
  if (word.parts === undefined) readBare(word.text, word.value, reading)
  else for (const part of word.parts) readPart(part, reading, 'bare')
  // Bash and the parser may disagree about `{a,b}` and `[ab]` with quotes or escapes inside, so anything similar is
  // unknown.
  if (reading.isKnown && mayExpand(unquotedText(word))) open(reading, 'any', '')
  // A tilde becomes an absolute path.
  if (reading.isKnown && word.text.startsWith('~')) open(reading, 'one')
  const { value, isKnown, fields } = reading
  return { text: word.text, literal: isKnown ? value : undefined, prefix: value, fields }
}

/** Searched from both ends: a regular expression would take cubic time. */
function mayExpand(text: string): boolean {
  const [open, set] = [text.indexOf('{'), text.indexOf('[')]
  return (
    (open >= 0 && /,|\.\./.test(text.slice(open, text.lastIndexOf('}') + 1))) ||
    (set >= 0 && text.indexOf(']', set) > 0)
  )
}

const unquotedText = ({ text, parts }: Word): string =>
  parts === undefined
    ? text.replace(/\\./gs, '')
    : parts.map((part) => (part.type === 'Literal' ? part.text.replace(/\\./gs, '') : '')).join('')

/** Marks the word as unknown from here on; the text so far is its prefix. */
function open(reading: Reading, fields: Argument['fields'], prefix = reading.value): void {
  reading.value = reading.isKnown ? prefix : reading.value
  reading.isKnown = false
  if (reading.fields !== 'any' && fields !== 'one') reading.fields = fields
}

function readBare(text: string, value: string, reading: Reading): void {
  // The parser found no expansion here, and should be right. Characters that expand are checked again.
  if (/[*?`]/.test(text.replace(/\\./gs, ''))) open(reading, 'any')
  else add(reading, value)
}

const add = (reading: Reading, value: string): void => {
  if (reading.isKnown) reading.value += value
}

/** Expansions to any number of fields, even in quotes: `"$@"`, `"${a[@]}"`. */
const isMany = (part: WordPart): boolean =>
  (part.type === 'SimpleExpansion' && part.text === '$@') ||
  (part.type === 'ParameterExpansion' && (part.parameter === '@' || part.index?.text === '@' || part.prefix === '!'))

/** The text of `$'…'` up to the first escape other than tab and newline. */
const plainBeginning = (text: string): string =>
  (/^\$'((?:\\[tn]|[^\\'])*)/.exec(text)?.[1] ?? '').replace(/\\[tn]/g, ' ')

/**
 * `$(git merge-base a b)` prints hashes, or a name as given, and so never an option. A zero stands for the beginning.
 * The words are compared as written: none of them may be expanded.
 */
function printsHashes({ script }: CommandExpansionPart): boolean {
  const command = script?.commands.length === 1 ? script.commands[0]?.command : undefined
  if (command?.type !== 'Command' || command.prefix.length > 0) return false
  const words = [command.name, ...command.suffix].map((word) => (word?.type === 'Word' ? word.text : '?')).join(' ')
  return /^git (merge-base|rev-parse( --verify| --short)*)( [A-Za-z0-9_][\w./@^~-]*)+$/.test(words)
}

function readPart(part: WordPart, reading: Reading, quoting: 'bare' | 'quoted'): void {
  if (part.type === 'Literal') {
    if (quoting === 'quoted') add(reading, part.value)
    else readBare(part.text, part.value, reading)
  } else if (part.type === 'SingleQuoted') add(reading, part.value)
  // A shell without `$'…'` reads a dollar sign and a plain quote, with all backslashes. The beginning is not an option
  // in either.
  else if (part.type === 'AnsiCQuoted') open(reading, 'one', reading.value + plainBeginning(part.text))
  else if (part.type === 'DoubleQuoted') for (const child of part.parts) readPart(child, reading, 'quoted')
  else if (part.type === 'Glob') open(reading, 'like')
  else if (part.type === 'BraceExpansion')
    open(reading, part.parts?.every((each) => each.type === 'Literal') === false ? 'any' : 'like')
  // A path below /dev/fd, or a named pipe.
  else if (part.type === 'ProcessSubstitution') open(reading, 'one', `${reading.value}/`)
  else if (part.type === 'CommandExpansion' && printsHashes(part))
    open(reading, quoting === 'quoted' ? 'one' : 'like', `${reading.value}0`)
  else open(reading, quoting === 'quoted' && !isMany(part) ? 'one' : 'any')
}
