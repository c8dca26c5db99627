// Markdown building blocks of docs/commands.md and the manual pages.

import type { CommandSpec, OptionSpec, PositionalSpec } from '../../../commands/table/index.ts'

export type Row = readonly [term: string, ...meaning: string[]]

/** A bar would end the cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|')

export const table = (head: Row, rows: readonly Row[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map((text) => cell(text)).join(' | ')} |`).join('\n')

/** For rows that are too wide for a table. */
export const list = (rows: readonly Row[]): string =>
  rows.map(([term, ...meaning]) => wrap(`- ${term}: ${meaning.join('; ')}`)).join('\n')

/** A list item in lines of at most 120 columns; code is not broken. */
function wrap(item: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of item.match(/(?:`[^`]*`|\S)+/g) ?? []) {
    if (line.length + 1 + word.length > 120) {
      lines.push(line)
      line = ` `
    }
    line += line === '' ? word : ` ${word}`
  }
  return [...lines, line].join('\n')
}

export const codeBlock = (lines: readonly string[], language = ''): string =>
  ['```' + language, ...lines, '```'].join('\n')

/** `-m`, `--message` *WHY* */
const invocation = ({ short, name, value }: OptionSpec): string =>
  `${short === undefined ? '' : `\`-${short}\`, `}\`--${name}\`${value === undefined ? '' : ` *${value}*`}`

export const optionRow = (option: OptionSpec): Row => [invocation(option), option.description]

const positionalRow = ({ label, description, defaultsTo }: PositionalSpec): Row => [
  `*${label}*`,
  defaultsTo === undefined ? description : `${description}; default: ${defaultsTo}`,
]

/** The arguments of a command, then its options. */
export const argumentRows = (command: CommandSpec): Row[] => [
  ...command.positionals.map(positionalRow),
  ...command.options.map(optionRow),
]
