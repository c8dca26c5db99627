// The environment of a command and its result. A command never prints, reads environment variables or asks for the time
// by itself.

import type { Environment } from '../process/environment.ts'
import type { PlanId } from '../plan/model/ids.ts'
import type { Emit } from '../engine/run/events.ts'
import type { TraceOf } from '../engine/run/run.ts'

export interface CommandContext {
  readonly cwd: string
  readonly env: Environment
  now(): Date
  /** True if a person can be asked: stdin and stderr are terminals and neither --json nor --no-input was given. */
  readonly isInteractive: boolean
  /** Only if isInteractive. Shows `text`, then asks the question; false unless the answer is yes. */
  confirm(text: string, question: string): Promise<boolean>
  /** Only if isInteractive. Returns the chosen value, undefined if there is none. */
  choose(question: string, choices: readonly Choice[]): Promise<string | undefined>
  /** Only if isInteractive. Returns a line of text; undefined if the question was dismissed. */
  ask(question: string): Promise<string | undefined>
  /** Reads standard input for `--from -`, up to `atMost` bytes. */
  readInput(atMost: number): Promise<Uint8Array>
  /** Opens the user's editor on a file and waits, for `edit`. Rejects when the editor fails. */
  editFile(path: string): Promise<void>
  /** Serves an agent on standard input and output until it has gone, for `mcp`. */
  serveMcp(): Promise<void>
  /** Serves the page until the program is asked to stop, for `ui`. */
  serveUi(options: UiOptions): Promise<void>
  /** Shows the plans on the whole terminal until the person quits, for `browse`: the list, or the steps of a plan. */
  browse(plan: PlanId | undefined): Promise<void>
  readonly emit: Emit
  /** Only if the run is traced. */
  readonly traceOf?: TraceOf | undefined
  /**
   * Only in a look of a fleet: the lane that limits its requests to the forge. What is refused is not asked again at once,
   * and in the lane for Git nothing is written to the forge.
   */
  readonly fleetLane?: 'git' | 'requests'
  /** Aborted by the first Ctrl-C or TERM. */
  readonly signal: AbortSignal
}

export interface UiOptions {
  /** An address or a name of this machine. */
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Open it in the browser. */
  readonly isOpened: boolean
  /** `/metrics` is for everybody who reaches the address. */
  readonly hasOpenMetrics: boolean
}

export interface Choice {
  readonly value: string
  readonly label: string
  readonly hint?: string
}

/** The result of a command. `--json` prints `kind` and `data` beside schemaVersion. */
export interface CommandResult<Data extends object = object> {
  readonly kind: string
  readonly exitCode: number
  readonly data: Data
  /** With `--json` these are printed instead of `data`, one per line. */
  readonly each?: readonly object[]
  /** The commands to type next, most likely first. */
  readonly next?: readonly string[]
  /** Later results, printed as they come. */
  readonly updates?: AsyncIterable<CommandResult<Data>>
}
