// A word of the tree → an argument: what is left of it after unquoting, and what is not known of it. Whether its expansions are harmless
// is for expansions.ts to say.

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
  // `{a,b}` or `[ab]` with quotes or escapes inside: bash and the parser might see them differently, so anything like them counts.
  if (reading.isKnown && mayExpand(unquotedText(word))) open(reading, 'any', '')
  // A tilde becomes an absolute path.
  if (reading.isKnown && word.text.startsWith('~')) open(reading, 'one')
  const { value, isKnown, fields } = reading
  return { text: word.text, literal: isKnown ? value : undefined, prefix: value, fields }
}

/** Looked for from both ends: an expression for it takes time in the third power of the length. */
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

/** From here on nothing more is known; what came before is how the word begins. */
function open(reading: Reading, fields: Argument['fields'], prefix = reading.value): void {
  reading.value = reading.isKnown ? prefix : reading.value
  reading.isKnown = false
  if (reading.fields !== 'any' && fields !== 'one') reading.fields = fields
}

function readBare(text: string, value: string, reading: Reading): void {
  // The parser found nothing here, and should be right. A character that expands where it stands is looked at twice.
  if (/[*?`]/.test(text.replace(/\\./gs, ''))) open(reading, 'any')
  else add(reading, value)
}

const add = (reading: Reading, value: string): void => {
  if (reading.isKnown) reading.value += value
}

/** Every way that says how many values there are, quoted or not: `"$@"`, `"${a[@]}"`. */
const isMany = (part: WordPart): boolean =>
  (part.type === 'SimpleExpansion' && part.text === '$@') ||
  (part.type === 'ParameterExpansion' && (part.parameter === '@' || part.index?.text === '@' || part.prefix === '!'))

/** Of `$'…'`, up to the first escape but tabs and newlines. */
const plainBeginning = (text: string): string =>
  (/^\$'((?:\\[tn]|[^\\'])*)/.exec(text)?.[1] ?? '').replace(/\\[tn]/g, ' ')

/**
 * `$(git merge-base a b)`: hashes, or a name as it was given, and so no option. A zero stands for how they begin.
 * The words are taken as they are written: none of them may have anything to expand.
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
  // A shell that does not know `$'…'` sees a dollar sign and a plain quote, with every backslash as it is. What it begins with is no option to either.
  else if (part.type === 'AnsiCQuoted') open(reading, 'one', reading.value + plainBeginning(part.text))
  else if (part.type === 'DoubleQuoted') for (const child of part.parts) readPart(child, reading, 'quoted')
  else if (part.type === 'Glob') open(reading, 'like')
  else if (part.type === 'BraceExpansion')
    open(reading, part.parts?.every((each) => each.type === 'Literal') === false ? 'any' : 'like')
  // A name below /dev/fd, or that of a pipe.
  else if (part.type === 'ProcessSubstitution') open(reading, 'one', `${reading.value}/`)
  else if (part.type === 'CommandExpansion' && printsHashes(part))
    open(reading, quoting === 'quoted' ? 'one' : 'like', `${reading.value}0`)
  else open(reading, quoting === 'quoted' && !isMany(part) ? 'one' : 'any')
}
