// What a command is on the command line.

import type { OperationName } from '../../commands/operations.ts'

export interface OptionSpec {
  /** Without the dashes. In the request it is camelCased: `dry-run` → `dryRun`. */
  readonly name: string
  readonly short?: string
  readonly type: 'string' | 'boolean'
  readonly multiple?: true
  /** How the value is called in the help; completion offers what the name stands for: PLAN, STEP, FILE. */
  readonly value?: string
  readonly description: string
}

export interface PositionalSpec {
  /** The key in the request. */
  readonly name: string
  /** As for the value of an option. */
  readonly label: string
  readonly description: string
  /** What is meant where it is not given. */
  readonly leftOut?: string
  readonly isRequired?: true
  /** Takes all words that are left, as a list. The last one. */
  readonly isRest?: true
}

export interface CommandSpec {
  readonly name: OperationName
  /** One line, for the overview. */
  readonly summary: string
  /** Paragraphs of Markdown, for the manual page and docs/commands.md. */
  readonly description: string
  /** May change refs or files: Ctrl-C asks it to stop instead of ending it. */
  readonly writes: boolean
  /** With --json: one event a line, the last line the report. */
  readonly streams?: true
  readonly positionals: readonly PositionalSpec[]
  readonly options: readonly OptionSpec[]
  readonly examples: readonly string[]
}
