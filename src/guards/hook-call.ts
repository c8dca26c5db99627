// The input that Git gives a hook.

import type { Environment } from '../process/environment.ts'

export interface HookCall {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Environment
  /** Reads all of standard input. */
  readInput(): Promise<string>
}
