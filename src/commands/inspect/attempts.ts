// `git plan attempts`: the saved changes of failed attempts.

import { PlanError } from '../../errors.ts'
import { isId } from '../../plan/model/ids.ts'
import { patchBetween } from '../../store/changes.ts'
import type { Attempt } from '../../store/attempts-and-rollbacks.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { withPlan } from '../with-repository.ts'

export interface AttemptsRequest {
  readonly plan?: string
  readonly number?: string
  readonly show?: string
}

export interface AttemptsData {
  readonly id: string
  readonly attempts: readonly Attempt[]
}

export interface AttemptData extends Attempt {
  readonly id: string
  readonly diff: string
}

export async function attempts(
  request: AttemptsRequest,
  context: CommandContext,
): Promise<CommandResult<AttemptsData | AttemptData | object>> {
  // `attempts --show wire 2`: the plan is omitted, and the number is in its position.
  const isNumberFirst = request.show !== undefined && request.number === undefined && /^\d+$/.test(request.plan ?? '')
  const { plan, number } = isNumberFirst ? { plan: undefined, number: request.plan } : request
  if (number !== undefined && (request.show === undefined || !/^[1-9]\d{0,8}$/.test(number))) {
    throw new PlanError(
      'usage',
      request.show === undefined
        ? 'an attempt number needs --show STEP'
        : `invalid attempt number ${JSON.stringify(number)}`,
      {
        hint: 'git plan attempts',
      },
    )
  }
  return withPlan<AttemptsData | AttemptData>(
    plan,
    context,
    async ({ summary }, { repo }) => {
      const { id } = summary
      if (request.show === undefined) return { kind: 'attempts', exitCode: 0, data: { id, attempts: summary.attempts } }
      const step = request.show
      const ofStep = summary.attempts.filter((attempt) => attempt.step === step)
      const wanted = number === undefined ? ofStep.at(-1) : ofStep.find((attempt) => attempt.number === Number(number))
      if (wanted === undefined) {
        const what = isId(step)
          ? `attempt ${number ?? ''} of ${step}`.replace('  ', ' ')
          : `step ${JSON.stringify(step.slice(0, 80))}`
        throw new PlanError('unknown-step', `plan ${id} has nothing saved for ${what}`, {
          hint: `git plan attempts ${id}`,
        })
      }
      const diff = await patchBetween(repo, wanted.parent ?? undefined, wanted.commit)
      return { kind: 'attempt', exitCode: 0, data: { ...wanted, id, diff } }
    },
    request.show === undefined ? undefined : 'attempts',
  )
}
