// Determines the target commit of a rollback from the events of the branch.

import { isMember, selfOf } from '../approval/rules/identity.ts'
import { PlanError } from '../errors.ts'
import type { Oid, StepId } from '../plan/model/ids.ts'
import { isStepEvent, type RecordedEvent } from '../store/history.ts'
import { moveBack, type CrossedStep } from '../engine/rollback/rollback.ts'
import { rollbackPermits } from '../approval/flow/gate.ts'
import { historyOf, type WriteContext } from '../operation/with-run.ts'

export interface Target {
  readonly to: Oid
  readonly step: StepId | undefined
  /** The step commits that the rollback undoes, newest first. */
  readonly crossed: readonly CrossedStep[]
}

/**
 * Returns the commit of the given step, which is kept; without a step, the one before the last step's; with `all`, the
 * commit before the first step. `events` are newest first.
 */
export function rollbackTarget(
  events: readonly RecordedEvent[],
  wanted: { step?: StepId | undefined; all?: boolean | undefined },
  plan: string,
): Target {
  const steps = events.filter(isStepEvent)
  const at =
    wanted.all === true ? -1 : wanted.step === undefined ? 1 : steps.findIndex((event) => event.step === wanted.step)
  if (wanted.step !== undefined && at < 0)
    throw new PlanError('wrong-state', `step ${wanted.step} is not done`, {
      hint: `git plan log ${plan}`,
    })
  if (wanted.step === undefined && wanted.all !== true && steps.length === 0)
    throw new PlanError('wrong-state', `plan ${plan} has no step to roll back`, { hint: `git plan status ${plan}` })
  const kept = wanted.all === true ? undefined : steps[at]
  const to = kept ?? commitBeforeSteps(events)
  if (to === undefined)
    throw new PlanError('wrong-state', `the commit that plan/${plan} started from is unknown`, {
      hint: `git plan log ${plan}`,
    })
  const left = events.slice(0, events.indexOf(to))
  return {
    to: to.commit,
    step: kept?.step,
    crossed: left
      .filter(isStepEvent)
      .flatMap((event) => (event.step === undefined ? [] : [{ step: event.step, commit: event.commit }])),
  }
}

/** Returns the newest approval below the first step, or else the proposal. */
function commitBeforeSteps(events: readonly RecordedEvent[]): RecordedEvent | undefined {
  const first = events.findLastIndex(isStepEvent)
  const below = events.slice(first + 1)
  return (
    below.find((event) => event.event === 'approved') ??
    below.find((event) => ['proposed', 'rebased', 'replanned'].includes(event.event))
  )
}

export const crossesEffect = ({ at }: WriteContext['run'], crossed: readonly CrossedStep[]): boolean =>
  crossed.some(({ step }) => at.plan.steps.some(({ id, effect }) => id === step && effect === 'external'))

/** Only the people whom the policy names may roll back an external effect. */
export async function refuseEffectRollback(
  { run, settings }: WriteContext,
  crossed: readonly CrossedStep[],
): Promise<void> {
  const { effectRollback } = settings.config.approval
  if (!crossesEffect(run, crossed) || effectRollback.length === 0) return
  const self = selfOf(await run.objects.committer())
  if (isMember(effectRollback, self)) return
  throw new PlanError(
    'not-allowed',
    `this would roll back an external effect, which the policy allows only to ${effectRollback.join(', ')}`,
    {
      hint: `git plan log ${run.id}`,
    },
  )
}

export async function rollbackAll(writing: WriteContext, reason: string): Promise<void> {
  const { run } = writing
  const { events } = await historyOf(run)
  const target = rollbackTarget(events, { all: true }, run.id)
  if (target.to === run.at.tip) return
  await refuseEffectRollback(writing, target.crossed)
  await moveBack(run, { to: target.to, step: undefined, kind: 'rollback', reason }, target.crossed, {
    keepEffects: false,
    again: `git plan rollback ${run.id} --all`,
    permits: rollbackPermits(writing),
  })
  run.world.emit({ kind: 'rolled-back', plan: run.id, to: target.to })
}
