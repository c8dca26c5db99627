// The answer of the process that looked at a repository, as `--json` prints it, and the verdict that it stands for.

import { planStatuses, type PlanStatus } from '../plan/model/plan.ts'
import { PlanError } from '../errors.ts'
import type { Verdict } from './dispatch/port.ts'

/** As printed: everything may be missing in the answer of a process that failed. */
export interface VerdictData {
  readonly kind?: string
  readonly verdict?: string
  readonly tip?: string | null
  readonly status?: string
  readonly step?: string | null
  readonly line?: string | null
  readonly until?: string
  readonly by?: string
  readonly why?: string
  readonly isMerged?: boolean
  /** It cannot be merged: the base has changed the same lines. */
  readonly isConflict?: boolean
  /** The plan on the remote was continued by another machine. */
  readonly isOvertaken?: boolean
}

const statusIn = (text: string | undefined): PlanStatus | undefined => planStatuses.find((name) => name === text)

/** undefined: it did not end as it should. */
export function verdictFrom(data: VerdictData): Verdict | undefined {
  const status = statusIn(data.status)
  const until = new Date(data.until ?? '')
  const why = data.why ?? ''
  switch (data.kind === 'looked' ? data.verdict : undefined) {
    case 'settled':
      return status === undefined
        ? undefined
        : {
            kind: 'settled',
            tip: data.tip ?? null,
            status,
            ...(typeof data.step === 'string' ? { step: data.step } : {}),
            ...(typeof data.line === 'string' ? { line: data.line } : {}),
            ...(data.isMerged === true ? { isMerged: true } : {}),
          }
    case 'held':
      return Number.isNaN(until.getTime()) ? undefined : { kind: 'held', until, by: data.by ?? '' }
    case 'limited':
      return Number.isNaN(until.getTime()) ? undefined : { kind: 'limited', until }
    case 'again':
      return { kind: 'again', why }
    case 'refused':
      return { kind: 'refused', why }
    default:
      return undefined
  }
}

/** What a refused command in the clone means for the fleet. */
export function dataOfError(error: PlanError, now: Date): VerdictData {
  const { code, message: why, facts } = error
  // A forge that does not say how long wants to be left alone for a minute.
  const usualMs = code === 'rate-limited' ? 60_000 : 15_000
  const until = typeof facts['until'] === 'string' ? facts['until'] : new Date(now.getTime() + usualMs).toISOString()
  const holder = facts['holder']
  switch (code) {
    case 'held':
      return { verdict: 'held', until, by: typeof holder === 'string' ? holder : 'another run' }
    case 'rate-limited':
      return { verdict: 'limited', until }
    case 'branch-moved':
    case 'foreign-lock':
      return { verdict: 'again', why, isOvertaken: code === 'branch-moved' }
    case 'forge':
    case 'git-failed':
    case 'system':
    case 'interrupted':
    case 'terminated':
      return { verdict: 'again', why }
    default:
      return { verdict: 'refused', why, isConflict: code === 'merge-conflict' }
  }
}
