// What a command is given besides its request, and what it gives back. No command prints, reads the environment or asks
// the clock by itself.

import type { Environment } from '../process/environment.ts'
import type { Emit } from '../engine/run/events.ts'

export interface CommandContext {
  readonly cwd: string
  readonly env: Environment
  /** The clock. */
  now(): Date
  /** True where a person can be asked: stdin and stderr are terminals and neither --json nor --no-input was given. */
  readonly isInteractive: boolean
  /** Only where isInteractive. Shows `text`, then asks the question; false unless the answer is yes. */
  confirm(text: string, question: string): Promise<boolean>
  /** Only where isInteractive. The value that was chosen, undefined where none was. */
  choose(question: string, choices: readonly Choice[]): Promise<string | undefined>
  /** Standard input, for `--from -`, as far as it is going to be read. */
  readInput(atMost: number): Promise<Uint8Array>
  /** Opens the user's editor on a file and waits, for `edit`. Rejects when the editor fails. */
  editFile(path: string): Promise<void>
  readonly emit: Emit
  /** Aborted by the first Ctrl-C or TERM. */
  readonly signal: AbortSignal
}

export interface Choice {
  readonly value: string
  readonly label: string
  readonly hint?: string
}

/** What a command found or did. `kind` and `data` are what `--json` prints, beside schemaVersion. */
export interface CommandResult<Data extends object = object> {
  readonly kind: string
  readonly exitCode: number
  readonly data: Data
  /** With `--json` these are printed instead of `data`, a line each. */
  readonly each?: readonly object[]
  /** The commands to type next, most likely first. */
  readonly next?: readonly string[]
}
