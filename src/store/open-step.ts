// A step that was handed to a driver: a local ref with the holder and the time until which it waits. No process holds
// it. Anybody with access to the repository can write one, so nothing in it is trusted.

import { noneIfTooLarge } from '../errors.ts'
import type { Ref, Repository } from '../git/repository.ts'
import { isId, isOid, openStepRefs, type Oid, type PlanId, type StepId } from '../plan/model/ids.ts'
import { singleLine } from '../plan/text/display.ts'

export interface OpenStep {
  readonly step: StepId
  readonly holder: string
  readonly attempt: number
  readonly since: string
  readonly until: string
  /** The tip of the plan's branch when it was handed out. */
  readonly tip: Oid
  /** The fingerprint of what Git executed then. */
  readonly gitState: string
  /** The value of the ref. */
  readonly oid: Oid
}

export const isExpired = ({ until }: Pick<OpenStep, 'until'>, now: Date): boolean => Date.parse(until) <= now.getTime()

/** `refs`: those of the plan's open steps, if the caller has them. */
export async function readOpenStep(repo: Repository, id: PlanId, refs?: readonly Ref[]): Promise<OpenStep | undefined> {
  const prefix = openStepRefs(id)
  for (const { name, oid } of refs ?? (await repo.refs(prefix))) {
    const step = name.startsWith(prefix) ? name.slice(prefix.length) : ''
    if (!isId(step)) continue
    const text = (await repo.readBlob(oid).catch(noneIfTooLarge))?.toString('utf8')
    const open = text === undefined ? undefined : openStepIn(text.slice(0, 4000))
    if (open !== undefined) return { ...open, step: step as StepId, oid }
  }
  return undefined
}

export const openStepText = ({
  holder,
  attempt,
  since,
  until,
  tip,
  gitState,
}: Omit<OpenStep, 'oid' | 'step'>): string => `${JSON.stringify({ holder, attempt, since, until, tip, gitState })}\n`

function openStepIn(text: string): Omit<OpenStep, 'oid' | 'step'> | undefined {
  try {
    const { holder, attempt, since, until, tip, gitState } = JSON.parse(text) as Record<string, unknown>
    const isTime = (value: unknown): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value))
    if (typeof holder !== 'string' || typeof gitState !== 'string' || !Number.isSafeInteger(attempt)) return undefined
    if (!isTime(since) || !isTime(until) || typeof tip !== 'string' || !isOid(tip)) return undefined
    return {
      holder: singleLine(holder).slice(0, 200),
      attempt: attempt as number,
      since,
      until,
      tip: tip as Oid,
      gitState,
    }
  } catch {
    return undefined
  }
}
