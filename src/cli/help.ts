// Help, generated from the table.

import { globalOptions, groups, type CommandSpec, type OptionSpec } from './program.ts'
import type { Style } from './style.ts'

export function helpText(command: CommandSpec | undefined, style: Style): string {
  return command === undefined ? shortHelp(style) : commandHelp(command, style)
}

const nameWidth = Math.max(...groups.flatMap(({ commands }) => commands.map(({ name }) => name.length))) + 2

function shortHelp(style: Style): string {
  const lines = ['git plan carries out changes in steps: a plan is a branch, a step is a commit.', '', 'Usage: git plan COMMAND [ARGUMENTS]', '']
  for (const { title, commands } of groups) {
    lines.push(style.bold(title))
    for (const command of commands) lines.push(`  ${command.name.padEnd(nameWidth)}${command.summary}`)
    lines.push('')
  }
  lines.push('Begin with:', "  git plan new 'What is to be done'", '  git plan start FILE --approve', '')
  lines.push('`git plan COMMAND -h` tells more about one command; the manual is `man git-plan`.')
  return `${lines.join('\n')}\n`
}

function commandHelp(command: CommandSpec, style: Style): string {
  const lines = [`git plan ${command.name}: ${command.summary}`, '', ...usageLines(command, 'Usage: '), '']
  const leftOut = command.positionals.filter((positional) => positional.leftOut !== undefined)
  if (leftOut.length > 0) lines.push(...leftOut.map((positional) => `${positional.label} left out: ${positional.leftOut}.`), '')
  if (command.options.length > 0) lines.push(style.bold('Options'), ...optionLines(command.options), '')
  lines.push(style.bold('Everywhere'), ...optionLines(globalOptions), '')
  lines.push(style.bold(command.examples.length === 1 ? 'Example' : 'Examples'), ...command.examples.map((example) => `  ${example}`), '')
  lines.push(`All of it: man git-plan-${command.name}`)
  return `${lines.join('\n')}\n`
}

const width = 100

/** The usage in lines of at most 100 columns, broken between the arguments. */
export function usageLines(command: CommandSpec, start = ''): string[] {
  const head = `${start}git plan ${command.name}`
  const lines: string[] = []
  let line = head
  for (const part of usageParts(command)) {
    if (line.length + 1 + part.length > width) {
      lines.push(line)
      line = ' '.repeat(head.length)
    }
    line += ` ${part}`
  }
  return [...lines, line]
}

/** Each argument as it stands in a usage line; an option by its short name, if it has one. */
export const usageParts = (command: CommandSpec): string[] => [
  ...command.positionals.map(({ label, isRequired }) => (isRequired ? label : `[${label}]`)),
  ...command.options.map((option) => `[${invocationOf(option)}]${option.multiple ? '…' : ''}`),
]

const invocationOf = (option: OptionSpec): string =>
  `${option.short === undefined ? `--${option.name}` : `-${option.short}`}${option.value === undefined ? '' : ` ${option.value}`}`

function optionLines(options: readonly OptionSpec[]): string[] {
  const left = options.map(
    (option) => `  ${option.short === undefined ? '    ' : `-${option.short}, `}--${option.name}${option.value === undefined ? '' : ` ${option.value}`}`,
  )
  const column = Math.max(...left.map((text) => text.length)) + 2
  return options.map((option, index) => `${(left[index] ?? '').padEnd(column)}${option.description}`)
}
