// Why a step failed.

import type { FailReason } from '../../plan/model/fail-reason.ts'
import type { TestRecord } from '../../plan/model/test-counts.ts'
import type { Performed } from '../../plan/model/verb.ts'

/** `check`: the check that failed. */
export type Failure = Extract<Performed, { kind: 'failed' }> & {
  readonly check?: string
  readonly tests?: TestRecord | undefined
}

export const stepFailure = ({
  reason,
  message,
  exit,
  check,
  tests,
}: {
  reason: FailReason
  message: string
  exit?: number
  check?: string
  tests?: TestRecord | undefined
}): Failure => ({
  kind: 'failed',
  reason,
  message,
  ...(exit === undefined ? {} : { exit }),
  ...(check === undefined ? {} : { check }),
  ...(tests === undefined ? {} : { tests }),
})
