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
  lines.push('Begin with:', "  git plan new 'What is to be done'", '  git plan start FILE --approve', '', '`git plan COMMAND -h` tells more about one command.')
  return `${lines.join('\n')}\n`
}

function commandHelp(command: CommandSpec, style: Style): string {
  const lines = [`git plan ${command.name}: ${command.summary}`, '', `Usage: ${usageOf(command)}`, '']
  if (command.positionals.some((positional) => positional.name === 'plan' && !positional.isRequired)) {
    lines.push('PLAN left out: the plan that is checked out, else the only open one.', '')
  }
  if (command.options.length > 0) lines.push(style.bold('Options'), ...optionLines(command.options), '')
  lines.push(style.bold('Everywhere'), ...optionLines(globalOptions), '')
  lines.push(style.bold(command.examples.length === 1 ? 'Example' : 'Examples'), ...command.examples.map((example) => `  ${example}`))
  return `${lines.join('\n')}\n`
}

function usageOf(command: CommandSpec): string {
  const positionals = command.positionals.map(({ label, isRequired }) => (isRequired ? label : `[${label}]`))
  return ['git plan', command.name, ...positionals, ...command.options.map((option) => `[${invocationOf(option)}]${option.multiple ? '…' : ''}`)].join(' ')
}

const invocationOf = (option: OptionSpec): string =>
  `${option.short === undefined ? `--${option.name}` : `-${option.short}`}${option.value === undefined ? '' : ` ${option.value}`}`

function optionLines(options: readonly OptionSpec[]): string[] {
  const left = options.map(
    (option) => `  ${option.short === undefined ? '    ' : `-${option.short}, `}--${option.name}${option.value === undefined ? '' : ` ${option.value}`}`,
  )
  const width = Math.max(...left.map((text) => text.length)) + 2
  return options.map((option, index) => `${(left[index] ?? '').padEnd(width)}${option.description}`)
}
