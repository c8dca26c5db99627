// Help texts, generated from the table of commands.

import { groups, type CommandSpec, type OptionSpec } from '../../commands/table/index.ts'
import { globalOptions } from './global-options.ts'
import type { Style } from './style.ts'

export function helpText(command: CommandSpec | undefined, style: Style): string {
  return command === undefined ? shortHelp(style) : commandHelp(command, style)
}

const nameWidth = Math.max(...groups.flatMap(({ commands }) => commands.map(({ name }) => name.length))) + 2

function shortHelp(style: Style): string {
  const lines = [
    'git plan runs multi-step changes as one commit per step: a plan is a branch, a step is a commit.',
    '',
    'Usage: git plan COMMAND [ARGUMENTS]',
    '',
  ]
  for (const { title, commands } of groups) {
    lines.push(style.bold(title))
    for (const command of commands) lines.push(`  ${command.name.padEnd(nameWidth)}${command.summary}`)
    lines.push('')
  }
  lines.push(
    'To begin:',
    '  git plan check FILE              validate a plan file',
    '  git plan start FILE --approve    run it',
    '',
  )
  lines.push(style.bold('Global options'), ...optionLines(globalOptions), '')
  lines.push('Help on a command: git plan COMMAND -h', 'Full manual: man git-plan')
  return `${lines.join('\n')}\n`
}

function commandHelp(command: CommandSpec, style: Style): string {
  const lines = [`git plan ${command.name}: ${command.summary}`, '', ...usageLines(command, 'Usage: '), '']
  const defaults = command.positionals.filter(({ defaultsTo }) => defaultsTo !== undefined)
  if (defaults.length > 0)
    lines.push(...defaults.map(({ label, defaultsTo }) => `${label} defaults to ${defaultsTo}.`), '')
  for (const { about } of command.positionals)
    if (about !== undefined) lines.push(style.bold('Actions'), ...aboutLines(about), '')
  if (command.options.length > 0) lines.push(style.bold('Options'), ...optionLines(command.options), '')
  lines.push(
    style.bold(command.examples.length === 1 ? 'Example' : 'Examples'),
    ...command.examples.map((example) => `  ${example}`),
    '',
  )
  lines.push('Global options: git plan -h', `Full manual: man git-plan-${command.name}`)
  return `${lines.join('\n')}\n`
}

function aboutLines(about: Readonly<Record<string, string>>): string[] {
  const column = Math.max(...Object.keys(about).map((word) => word.length)) + 2
  return Object.entries(about).map(([word, text]) => `  ${word.padEnd(column)}${text}`)
}

const width = 100

/** The usage, wrapped between arguments at 100 columns. */
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

/** The arguments of a usage line. An option is shown by its short name if it has one. */
export function usageParts(command: CommandSpec): string[] {
  const parts = command.positionals.map(({ label, isRequired }) => (isRequired ? label : `[${label}]`))
  for (const option of command.options) {
    const before = option.isAlternative ? `${parts.pop()?.slice(1, -1)} | ` : ''
    parts.push(`[${before}${invocationOf(option)}]${option.multiple ? '…' : ''}`)
  }
  return parts
}

const invocationOf = (option: OptionSpec): string =>
  `${option.short === undefined ? `--${option.name}` : `-${option.short}`}${option.value === undefined ? '' : ` ${option.value}`}`

function optionLines(options: readonly OptionSpec[]): string[] {
  const left = options.map(
    (option) =>
      `  ${option.short === undefined ? '    ' : `-${option.short}, `}--${option.name}${option.value === undefined ? '' : ` ${option.value}`}`,
  )
  const column = Math.max(...left.map((text) => text.length)) + 2
  return options.map((option, index) => `${(left[index] ?? '').padEnd(column)}${option.description}`)
}
