// ONE table of all commands: help, parsing, completion, manual pages and docs/commands.md are read from it, and nothing about the
// command line stands elsewhere.

import { around } from './program/around.ts'
import { carryingOut } from './program/carry-out.ts'
import { ending } from './program/end.ts'
import { looking } from './program/look.ts'
import { flag, text } from './program/parts.ts'
import { proposing } from './program/propose.ts'
import type { CommandSpec, OptionSpec } from './program/spec.ts'

export type { CommandSpec, OptionSpec, PositionalSpec } from './program/spec.ts'

export const globalOptions: readonly OptionSpec[] = [
  flag('json', 'print one JSON object (start, resume and classify --stdin: one a line)'),
  flag('no-input', 'never ask'),
  flag('no-color', 'no colours'),
  flag('plain', 'plain lines with all output, on a terminal too'),
  text('directory', 'DIR', 'as if started in DIR', 'C'),
  flag('debug', 'show the stack of an error'),
  flag('help', 'show help', 'h'),
  flag('version', 'show the version'),
]

export const groups: readonly { readonly title: string; readonly commands: readonly CommandSpec[] }[] = [
  { title: 'Propose and decide', commands: proposing },
  { title: 'Carry out', commands: carryingOut },
  { title: 'End', commands: ending },
  { title: 'Look', commands: looking },
  { title: 'Around it', commands: around },
]

export const commands: readonly CommandSpec[] = groups.flatMap((group) => group.commands)

export const commandNamed = (name: string): CommandSpec | undefined => commands.find((command) => command.name === name)
