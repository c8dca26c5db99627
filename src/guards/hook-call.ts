// What git gives a hook.

import type { Environment } from '../process/environment.ts'

export interface HookCall {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Environment
  /** Standard input, all of it. */
  readInput(): Promise<string>
}
