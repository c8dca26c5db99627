// What the program gets from its process.

import type { Readable } from 'node:stream'
import type { Environment } from '../../process/environment.ts'
import type { Sink } from './output.ts'

export interface Surroundings {
  readonly cwd: string
  readonly env: Environment
  /** A getter in a real process: reading the property opens a stream. */
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Sink
  readonly stderr: Sink
  now(): Date
  /** The age of the process. */
  elapsedMs?(): number
  /** Called when text was shown in the pager. */
  onPaged?(): void
  /** Replaces the process signals. */
  readonly signal?: AbortSignal | undefined
}
