// The one table of commands, from which the command line, the library, help, completion, the manual pages and
// docs/commands.md are generated. A command is loaded when it is called.

import { agentCommands } from './agents.ts'
import { finishCommands } from './finish.ts'
import { fleetCommands } from './fleet.ts'
import { inspectCommands } from './inspect.ts'
import { proposeCommands } from './propose.ts'
import { runCommands } from './run.ts'
import type { CommandSpec } from './spec.ts'
import { utilityCommands } from './utilities.ts'

export type { CommandSpec, OptionSpec, PositionalSpec } from './spec.ts'

export const groups: readonly { readonly title: string; readonly commands: readonly CommandSpec[] }[] = [
  { title: 'Propose', commands: proposeCommands },
  { title: 'Run', commands: runCommands },
  { title: 'Finish', commands: finishCommands },
  { title: 'Inspect', commands: inspectCommands },
  { title: 'Agents', commands: agentCommands },
  { title: 'Fleet', commands: fleetCommands },
  { title: 'Utilities', commands: utilityCommands },
]

export const commands: readonly CommandSpec[] = groups.flatMap((group) => group.commands)

export const commandNamed = (name: string): CommandSpec | undefined => commands.find((command) => command.name === name)
