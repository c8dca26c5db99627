// Pieces of Markdown that both the page and the manual are made of.

import type { CommandSpec, OptionSpec, PositionalSpec } from '../program.ts'

export type Row = readonly [term: string, ...meaning: string[]]

/** A bar would end the cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|')

export const table = (head: Row, rows: readonly Row[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map((text) => cell(text)).join(' | ')} |`).join('\n')

export const codeBlock = (lines: readonly string[], language = ''): string => ['```' + language, ...lines, '```'].join('\n')

/** `-m`, `--message` *WHY* */
const invocation = ({ short, name, value }: OptionSpec): string =>
  `${short === undefined ? '' : `\`-${short}\`, `}\`--${name}\`${value === undefined ? '' : ` *${value}*`}`

export const optionRow = (option: OptionSpec): Row => [invocation(option), option.description]

const positionalRow = ({ label, description, leftOut }: PositionalSpec): Row => [
  `*${label}*`,
  leftOut === undefined ? description : `${description}; left out: ${leftOut}`,
]

/** What can be given to a command, arguments first. */
export const argumentRows = (command: CommandSpec): Row[] => [...command.positionals.map(positionalRow), ...command.options.map(optionRow)]
