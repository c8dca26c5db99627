// The shape of a row in the table of commands.

import type { CommandContext, CommandResult } from '../../operation/context.ts'

export interface OptionSpec {
  /** Without the dashes. In the request it is camelCased: `dry-run` → `dryRun`. */
  readonly name: string
  readonly short?: string
  readonly type: 'string' | 'boolean'
  readonly multiple?: true
  /** A flag that may be given with one of these, as `--push=ends`. */
  readonly values?: readonly string[]
  /** It and the option before it exclude each other. */
  readonly isAlternative?: true
  /** The placeholder in the help; it also selects the completion: PLAN, STEP, FILE. */
  readonly value?: string
  readonly description: string
}

export interface PositionalSpec {
  /** The key in the request. */
  readonly name: string
  /** The placeholder, as `value` of an option. */
  readonly label: string
  /** The words to choose from, where the label would be too long with them. */
  readonly words?: readonly string[]
  /** What each of the words does, for the help. */
  readonly about?: Readonly<Record<string, string>>
  readonly description: string
  /** The meaning when it is omitted, in words. */
  readonly defaultsTo?: string
  readonly isRequired?: true
  /** Takes all remaining words, as a list. Only the last positional may have it. */
  readonly isRest?: true
}

export interface CommandSpec {
  readonly name: string
  /** Words of other programs for it, in lower case: a mistyped command line suggests it. */
  readonly synonyms?: readonly string[]
  /** Removes or undoes something: never suggested because of a similar spelling. */
  readonly removes?: true
  /** The function of the command, imported when it is called. Its request has the positionals and options as keys. */
  readonly load: () => Promise<(request: never, context: CommandContext) => Promise<CommandResult>>
  /** One line, for the overview. */
  readonly summary: string
  /** Paragraphs of Markdown, for the manual page and docs/commands.md. */
  readonly description: string
  /** May change refs or files: Ctrl-C asks it to stop instead of killing it. */
  readonly writes: boolean
  /** With --json it prints one event per line, and the report on the last line. */
  readonly streams?: true
  readonly positionals: readonly PositionalSpec[]
  readonly options: readonly OptionSpec[]
  readonly examples: readonly string[]
}
