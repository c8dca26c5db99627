// `git plan attempts`: the saved changes of failed attempts.

import { PlanError } from '../../errors.ts'
import { isId, type Oid } from '../../plan/model/ids.ts'
import { patchBetween } from '../../store/changes.ts'
import type { Attempt } from '../../store/attempts-and-rollbacks.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { withPlan } from '../with-repository.ts'

export interface AttemptsRequest {
  readonly plan?: string
  readonly number?: string
  readonly show?: string
  readonly against?: string
}

export interface AttemptsData {
  readonly id: string
  readonly attempts: readonly Attempt[]
}

export interface AttemptData extends Attempt {
  readonly id: string
  /** The number of the attempt that it is compared with; null: with the commit on which it began. */
  readonly against: number | null
  readonly diff: string
}

export async function attempts(
  request: AttemptsRequest,
  context: CommandContext,
): Promise<CommandResult<AttemptsData | AttemptData | object>> {
  // `attempts --show wire 2`: the plan is omitted, and the number is in its position.
  const isNumberFirst = request.show !== undefined && request.number === undefined && /^\d+$/.test(request.plan ?? '')
  const { plan, number } = isNumberFirst ? { plan: undefined, number: request.plan } : request
  if (number !== undefined && (request.show === undefined || !isNumber(number))) {
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
  const against = request.against === undefined ? null : againstNumber(request)
  return withPlan<AttemptsData | AttemptData>(
    plan,
    context,
    async ({ summary, file }, { repo }) => {
      const { id } = summary
      if (request.show === undefined) return { kind: 'attempts', exitCode: 0, data: { id, attempts: summary.attempts } }
      const step = request.show
      const ofStep = summary.attempts.filter((attempt) => attempt.step === step)
      const wanted = number === undefined ? ofStep.at(-1) : ofStep.find((attempt) => attempt.number === Number(number))
      if (wanted === undefined) throw nothingSaved(id, step, number)
      if (against === null) {
        const diff = await patchBetween(repo, wanted.parent ?? undefined, wanted.commit)
        return { kind: 'attempt', exitCode: 0, data: { ...wanted, id, against, diff } }
      }
      // The attempt that was committed is not saved once more.
      const done = summary.steps.find((each) => each.id === step && each.status === 'done' && each.attempt === against)
      const other = ofStep.find((attempt) => attempt.number === against)?.commit ?? done?.commit
      if (other === undefined || other === null) throw nothingSaved(id, step, String(against))
      const diff = await patchBetween(repo, wanted.commit, other as Oid, { except: file })
      return { kind: 'attempt', exitCode: 0, data: { ...wanted, id, against, diff } }
    },
    request.show === undefined ? undefined : 'attempts',
  )
}

function againstNumber({ show, against = '' }: AttemptsRequest): number {
  if (show !== undefined && isNumber(against)) return Number(against)
  const message =
    show === undefined
      ? '--against needs --show STEP'
      : `invalid attempt number ${JSON.stringify(against.slice(0, 20))}`
  throw new PlanError('usage', message, { hint: 'git plan attempts -h' })
}

const isNumber = (text: string): boolean => /^[1-9]\d{0,8}$/.test(text)

function nothingSaved(id: string, step: string, number: string | undefined): PlanError {
  const what = isId(step)
    ? `attempt ${number ?? ''} of ${step}`.replace('  ', ' ')
    : `step ${JSON.stringify(step.slice(0, 80))}`
  return new PlanError('unknown-step', `plan ${id} has nothing saved for ${what}`, { hint: `git plan attempts ${id}` })
}
