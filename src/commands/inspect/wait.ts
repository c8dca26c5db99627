// `git plan wait`: returns when a plan has reached a status.

import { PlanError } from '../../errors.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { parseDuration } from '../../plan/model/ids.ts'
import { planStatuses } from '../../plan/model/plan.ts'
import { displayStatuses } from '../../store/display-status.ts'
import { pauseBetweenLooks } from './look-again.ts'
import { tellIfStalled } from './tell-if-stalled.ts'
import { status, type StatusData } from './status.ts'

export interface WaitRequest {
  readonly plan?: string
  readonly for?: string
  readonly timeout?: string
}

export interface WaitData extends StatusData {
  readonly message: string
}

const statuses: readonly string[] = [...planStatuses, ...displayStatuses]
/** A plan with such a status stays as it is until somebody types a command. */
const exitCodeOf: Readonly<Record<string, number>> = {
  completed: 1,
  merged: 1,
  failed: 1,
  cancelled: 1,
  rejected: 1,
  paused: 1,
  'rolled-back': 1,
  stalled: 4,
  waiting: 5,
}

export async function wait(request: WaitRequest, context: CommandContext): Promise<CommandResult<WaitData | object>> {
  const wanted = request.for ?? 'completed'
  if (!statuses.includes(wanted))
    throw new PlanError('usage', `unknown status ${JSON.stringify(wanted)}: one of ${statuses.join(', ')}`, {
      hint: 'git plan wait -h',
    })
  const limit = request.timeout === undefined ? undefined : parseDuration(request.timeout)
  if (request.timeout !== undefined && limit === undefined)
    throw new PlanError('usage', `--timeout takes a duration such as 10m, not ${JSON.stringify(request.timeout)}`, {
      hint: 'git plan wait -h',
    })
  let left = limit ?? Infinity
  let before: string | undefined
  for (;;) {
    const found = await status({ plan: request.plan }, context)
    if (found.kind !== 'status') return found
    const data = found.data as StatusData
    const answer = (exitCode: number, message: string): CommandResult<WaitData> => ({
      kind: 'wait',
      exitCode,
      data: { ...data, message },
      ...(found.next === undefined ? {} : { next: found.next }),
    })
    const { id, seen } = data
    await tellIfStalled(before, data, context)
    before = seen
    if (isReached(wanted, data)) return answer(0, `${id} is ${seen}`)
    const code = exitCodeOf[seen]
    if (code !== undefined) return answer(code, `${id} is ${seen}, and was to be ${wanted}`)
    if (left <= 0) return answer(4, `${id} is still ${seen} after ${request.timeout}`)
    const pause = Math.min(1000, left)
    left -= pause
    const isGoingOn = await pauseBetweenLooks(context.signal, pause)
    if (!isGoingOn) return answer(4, `${id} is still ${seen}`)
  }
}

/** What was approved stays so while it runs; what is merged was completed. */
const isReached = (wanted: string, { seen, status, approval }: StatusData): boolean =>
  seen === wanted ||
  status === wanted ||
  (wanted === 'completed' && seen === 'merged') ||
  (wanted === 'approved' && approval.state === 'approved')
