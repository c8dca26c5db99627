// Reads the tables of commands in test/data/commands.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const characters: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\' }
const unescaped = (text: string): string =>
  text.replace(/\\(?:u([0-9a-f]{4})|([nrt\\]))/g, (_, code: string | undefined, letter: string) =>
    code === undefined ? (characters[letter] ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  )

/** Skips the first line, which describes the file. */
const linesOf = (name: string): string[] =>
  readFileSync(fileURLToPath(new URL(`../data/commands/${name}`, import.meta.url)), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)

const commandsIn = (name: string): string[] => linesOf(name).map(unescaped)

/** Commands that only read. */
export const readers = commandsIn('readers.txt')
/** Commands that write, or that nobody can judge; not to be run. */
export const writers = commandsIn('writers.txt')
/** Commands that make a file `pwned` in the scratch directory. */
export const canaries = commandsIn('canaries.txt')

export const sample = linesOf('sample.tsv').map((line) => {
  const [command = '', expected = '', trick = ''] = line.split('\t')
  return { command: unescaped(command), expected, trick }
})

/** What people type, half of it next to what it could be mistaken for: judged, and not run by every test. */
export const judged = linesOf('judged.tsv').map((line) => {
  const [expected = '', command = ''] = line.split('\t')
  return { expected, command: unescaped(command) }
})

/** Commands of an everyday plan. */
export const harmless = commandsIn('harmless.txt')

export const dangers = linesOf('dangers.tsv').map((line) => {
  const [rule = '', command = ''] = line.split('\t')
  return { rule, command: unescaped(command) }
})
