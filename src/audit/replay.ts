// Replays the executor's changes to the plan file. Pure: takes the file before and the event, and returns the problem
// with the file after it.

import { isBegun, isSettled } from '../plan/model/step-status.ts'
import { isOnlyRemoval } from '../approval/rules/removal.ts'
import { PlanError } from '../errors.ts'
import { openNeeds, readySteps } from '../plan/graph/graph.ts'
import { nextStatus, type PlanEventName } from '../plan/model/lifecycle.ts'
import { statusOf, type Plan, type PlanState, type StepStatus } from '../plan/model/plan.ts'
import { isSameStep, keepsStatus } from '../plan/model/same-step.ts'
import type { PlanEvent } from '../plan/record/trailers.ts'
import { withState } from '../plan/file/write.ts'
import type { PlanFile } from './plan-files.ts'

const newTexts: ReadonlySet<PlanEventName> = new Set(['proposed', 'replanned', 'rebased'])
const failures: ReadonlySet<StepStatus> = new Set(['failed', 'timeout', 'conflict'])

/** The problem with the plan file after `event`; `before` is undefined for the first event. */
export function fileProblem(event: PlanEvent, before: PlanFile | undefined, after: PlanFile): string | undefined {
  if (event.digest !== after.plan.digest)
    return `it names the digest ${short(event.digest)}, but its plan file has ${short(after.plan.digest)}`
  const status = statusProblem(event, before?.plan, after.plan)
  if (status !== undefined) return status
  const isNewText = newTexts.has(event.event)
  if (!isNewText && before?.plan.digest !== after.plan.digest)
    return 'it changes the text of the plan, which it may not'
  if (isNewText && before !== undefined) {
    const lost = textProblem(event, before.plan, after.plan)
    if (lost !== undefined) return lost
  }
  const state = stateAfter(event, before?.plan, after.plan)
  if (typeof state === 'string') return state
  const expected = withState(isNewText || before === undefined ? after : before, after.plan.status, state)
  return Buffer.from(expected.bytes).equals(after.bytes)
    ? undefined
    : `the plan file should say "${stateText(expected.plan)}", not "${stateText(after.plan)}"`
}

function statusProblem(event: PlanEvent, before: Plan | undefined, after: Plan): string | undefined {
  // A plan that was rebased, or whose text somebody committed, starts again.
  const from =
    event.event === 'rebased'
      ? (before?.status ?? 'proposed')
      : event.adopts === undefined
        ? before?.status
        : 'proposed'
  const isUnderWay = before !== undefined && isBegun(before.status)
  if (event.event === 'approved' && isUnderWay && after.status !== before.status)
    return `an approval leaves a plan ${before.status}, not ${after.status}`
  try {
    nextStatus(event.event, from, { wanted: after.status })
    return undefined
  } catch (error) {
    if (error instanceof PlanError) return error.message
    throw error
  }
}

/** Done and skipped steps must stay the same, and a text that claims only to remove steps must do so. */
function textProblem(event: PlanEvent, before: Plan, after: Plan): string | undefined {
  if (event.event === 'rebased') return undefined
  for (const step of before.steps.filter(({ id }) => isSettled(before, id))) {
    const same = after.steps.find(({ id }) => id === step.id)
    if (same === undefined || !isSameStep(same, step))
      return `step ${step.id} is ${statusOf(before, step.id)}, but ${same === undefined ? 'missing from' : 'different in'} the new text`
  }
  const isFalse = event.replaces !== undefined && (event.replaces !== before.digest || !isOnlyRemoval(before, after))
  return isFalse ? 'it claims only to remove steps from the plan, but does not' : undefined
}

/** The state after the event, or the reason why it is invalid. */
function stateAfter(event: PlanEvent, before: Plan | undefined, after: Plan): PlanState | string {
  if (before === undefined || event.event === 'rebased' || event.adopts !== undefined) return new Map()
  const rule = states[event.event]
  return rule === undefined ? before.state : rule(event, before, after)
}

type StateRule = (event: PlanEvent, before: Plan, after: Plan) => PlanState | string

const states: Partial<Record<PlanEventName, StateRule>> = {
  proposed: (_, before, after) => keptState(before, after),
  replanned: (_, before, after) => keptState(before, after),
  step: (event, before) => setTo(event, before, 'done'),
  declared: (event, before) => setTo(event, before, 'done'),
  skipped: (event, before) => setTo(event, before, 'skipped'),
  failed: (event, before, after) => {
    if (event.step === undefined) return before.state
    const found = statusOf(after, event.step)
    return failures.has(found)
      ? setTo(event, before, found)
      : `it says that ${event.step} failed, but the plan file says that it is ${found}`
  },
  // A pause does not change the step's status.
  waiting: (event, before, after) =>
    event.step !== undefined && statusOf(after, event.step) === 'waiting'
      ? setTo(event, before, 'waiting')
      : before.state,
  fixed: (_, before) =>
    new Map(
      [...before.state].filter(
        ([id, status]) =>
          !(failures.has(status) || status === 'waiting') ||
          before.steps.some((step) => step.id === id && step.allowFailure),
      ),
    ),
}

/** A step that was allowed to fail need not keep its status: earlier versions ran it again. */
const keptState = (before: Plan, after: Plan): PlanState =>
  new Map(
    [...before.state].filter(
      ([id, status]) => isSettled(before, id) || (keepsStatus(before, after, id) && statusOf(after, id) === status),
    ),
  )

function setTo(event: PlanEvent, before: Plan, status: StepStatus): PlanState | string {
  const { step } = event
  if (step === undefined || !before.steps.some(({ id }) => id === step))
    return `it names ${step === undefined ? 'no step' : `the step ${step}, which is not in the plan`}`
  return new Map(before.state).set(step, status)
}

/**
 * The reason why the event is out of order: a step runs once, after its needs, and the plan completes after all steps.
 */
export function orderProblem(event: PlanEvent, before: Plan | undefined): string | undefined {
  const step = before?.steps.find(({ id }) => id === event.step)
  if (before === undefined)
    return event.step === undefined ? undefined : `it belongs to the step ${event.step}, but there is no plan yet`
  if (event.event === 'completed') {
    const [open] = readySteps(before)
    const broken = before.steps.find((each) => !each.allowFailure && failures.has(statusOf(before, each.id)))
    return open === undefined && broken === undefined
      ? undefined
      : `the plan is completed, but ${(open ?? broken)?.id} is ${statusOf(before, (open ?? broken)!.id)}`
  }
  if (step === undefined || !['step', 'declared', 'skipped', 'failed'].includes(event.event)) return undefined
  const now = statusOf(before, step.id)
  if (now === 'done' || now === 'skipped') return `step ${step.id} is already ${now}`
  if (event.event === 'skipped') return undefined
  const open = openNeeds(before, step)
  return open.length === 0 ? undefined : `step ${step.id} needs ${open.join(', ')}, not done yet`
}

const short = (digest: string | undefined): string => digest?.slice(0, 12) ?? 'none'
const stateText = ({ status, state }: Plan): string =>
  [status, ...Array.from(state, ([id, value]) => `${id} ${value}`)].join(', ')
