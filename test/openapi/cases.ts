// A call of a client with what the published example makes of it.

import type { Forge } from '../../src/remote/forge/forge.ts'
import type { Wishes } from './front.ts'

/** Every question that can be put to a forge. */
export type Operation = {
  [Key in keyof Forge]: Forge[Key] extends (...given: never[]) => unknown ? Key : never
}[keyof Forge]

export interface Case extends Wishes {
  readonly name: string
  readonly ask: (forge: Forge) => Promise<unknown>
  /** Of what the client answers, these. A refusal is an object with `code` and `facts`. */
  readonly gives: unknown
}

/** The compiler asks for all of them. */
export type Cases = Readonly<Record<Operation, readonly Case[]>>
