// The one table of commands. Parsing, help, completion, the manual pages and docs/commands.md are generated from it.

import { finishCommands } from './program/finish.ts'
import { inspectCommands } from './program/inspect.ts'
import { flag, text } from './program/options.ts'
import { proposeCommands } from './program/propose.ts'
import { runCommands } from './program/run.ts'
import type { CommandSpec, OptionSpec } from './program/spec.ts'
import { utilityCommands } from './program/utilities.ts'

export type { CommandSpec, OptionSpec, PositionalSpec } from './program/spec.ts'

export const globalOptions: readonly OptionSpec[] = [
  flag('json', 'print one JSON object (start, resume and classify --stdin: one per line)'),
  flag('no-input', 'never prompt'),
  flag('no-color', 'disable colors'),
  flag('plain', 'print plain lines with all output, even on a terminal'),
  text('directory', 'DIR', 'run as if started in DIR', 'C'),
  flag('debug', 'print the stack trace of an error'),
  flag('help', 'show help', 'h'),
  flag('version', 'show the version'),
]

export const groups: readonly { readonly title: string; readonly commands: readonly CommandSpec[] }[] = [
  { title: 'Propose', commands: proposeCommands },
  { title: 'Run', commands: runCommands },
  { title: 'Finish', commands: finishCommands },
  { title: 'Inspect', commands: inspectCommands },
  { title: 'Utilities', commands: utilityCommands },
]

export const commands: readonly CommandSpec[] = groups.flatMap((group) => group.commands)

export const commandNamed = (name: string): CommandSpec | undefined => commands.find((command) => command.name === name)
