// An error of a command as data, for the client of a server.

import { PlanError, toMachineError } from '../../errors.ts'

export interface Refusal {
  readonly schemaVersion: 1
  readonly kind: 'error'
  readonly code: string
  readonly message: string
  readonly exitCode: number
  readonly hint?: string
  readonly findings?: unknown
}

/** Not masked. */
export function refusalOf(error: unknown): Refusal {
  const refusal = toMachineError(error)
  const known = refusal instanceof PlanError ? refusal : undefined
  const { code = 'bug', hint, exitCode = 70, facts = {} } = known ?? {}
  const { findings } = facts
  return {
    schemaVersion: 1,
    kind: 'error',
    code,
    message: error instanceof Error ? error.message : String(error),
    exitCode,
    ...(hint === undefined ? {} : { hint }),
    ...(findings === undefined ? {} : { findings }),
  }
}
