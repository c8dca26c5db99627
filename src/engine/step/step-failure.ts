// Why a step failed.

import type { FailReason } from '../../plan/model/fail-reason.ts'
import type { Performed } from '../../plan/model/verb.ts'

/** `check`: the check that failed. */
export type Failure = Extract<Performed, { kind: 'failed' }> & { readonly check?: string }

export const stepFailure = ({
  reason,
  message,
  exit,
  check,
}: {
  reason: FailReason
  message: string
  exit?: number
  check?: string
}): Failure => ({
  kind: 'failed',
  reason,
  message,
  ...(exit === undefined ? {} : { exit }),
  ...(check === undefined ? {} : { check }),
})
