// Where a rollback can go, read from the events of the branch.

import { isMember, selfOf } from '../approval/rules/identity.ts'
import { PlanError } from '../errors.ts'
import type { Oid, StepId } from '../plan/model/ids.ts'
import { isStepEvent, type RecordedEvent } from '../store/history.ts'
import { moveBack, type Crossed } from '../engine/rollback/rollback.ts'
import { rollbackPermits } from '../approval/flow/gate.ts'
import { historyOf, type WriteContext } from '../operation/with-run.ts'

export interface Target {
  readonly to: Oid
  readonly step: StepId | undefined
  /** Step commits that are left behind, newest first. */
  readonly crossed: readonly Crossed[]
}

/**
 * The commit of a step, keeping it; without a step the last one goes; `all`: the commit before the first. `events`
 * newest first.
 */
export function targetOf(
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
  const to = kept ?? beforeSteps(events)
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

/** The approved commit: the newest approval, or else the proposal, below the first step. */
function beforeSteps(events: readonly RecordedEvent[]): RecordedEvent | undefined {
  const first = events.findLastIndex(isStepEvent)
  const below = events.slice(first + 1)
  return (
    below.find((event) => event.event === 'approved') ??
    below.find((event) => ['proposed', 'rebased', 'replanned'].includes(event.event))
  )
}

export const crossesEffect = ({ at }: WriteContext['run'], crossed: readonly Crossed[]): boolean =>
  crossed.some(({ step }) => at.plan.steps.some(({ id, effect }) => id === step && effect === 'external'))

/** What has happened outside is taken back by those whom the policy names. */
export async function refuseEffectRollback(
  { run, settings }: WriteContext,
  crossed: readonly Crossed[],
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
  const target = targetOf(events, { all: true }, run.id)
  if (target.to === run.at.tip) return
  await refuseEffectRollback(writing, target.crossed)
  await moveBack(run, { to: target.to, step: undefined, kind: 'rollback', reason }, target.crossed, {
    keepEffects: false,
    again: `git plan rollback ${run.id} --all`,
    permits: rollbackPermits(writing),
  })
  run.world.emit({ kind: 'rolled-back', plan: run.id, to: target.to })
}
