// Each step with its status in the plan file, and its displayed status from the commits, the refs and the running
// process.

import { PlanError } from '../errors.ts'
import { blockedSteps } from '../plan/graph/graph.ts'
import { suggest } from '../plan/text/nearest.ts'
import { statusOf, type Plan, type Step, type StepStatus } from '../plan/model/plan.ts'
import { agentOf, askedBy } from '../plan/verbs/index.ts'
import type { WaitsFor } from '../plan/model/waits-for.ts'
import type { Holder } from '../store/holder.ts'
import { endOf, startOf, type RecordedEvent } from '../store/history.ts'
import { claimFromText, type Claim } from '../plan/model/claim.ts'
import { testsIn } from '../plan/record/trailers.ts'
import type { TestRecord } from '../plan/model/test-counts.ts'
import { usageIn, type Usage } from './step-results.ts'
import { whyNotDone } from './why-not-done.ts'
import type { Effect, PlanRecords } from '../store/attempts-and-rollbacks.ts'

export type SeenStepStatus = StepStatus | 'running' | 'blocked' | 'unknown'

export interface StepView extends Usage {
  readonly id: string
  readonly title: string
  readonly verb: string
  /** The agent that does the work. */
  readonly agent: string | null
  /** Whom the step waits for, if the executor does not perform it. */
  readonly asks: WaitsFor | null
  /** What a person has to do or to decide. */
  readonly question: string | null
  /** A failure of the step does not stop the plan. */
  readonly allowFailure: boolean
  /** The status in the plan file. */
  readonly status: StepStatus
  readonly seen: SeenStepStatus
  /** Number of the last known attempt; 0: none yet. */
  readonly attempt: number
  readonly commit: string | null
  readonly needs: readonly string[]
  readonly wave: number
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly durationMs: number | null
  readonly error: string | null
  /** Why the step is not done, if it is neither done nor running. */
  readonly why: string | null
  readonly verified: string | null
  /** The commit whose changes were applied again, instead of running the step. */
  readonly replayed: string | null
  /** The tests of its last attempt, if they were counted. */
  readonly tests: TestRecord | null
  /** What its agent or driver says about its last attempt. */
  readonly claim: Claim | null
  readonly goal: string | null
  readonly deliverables: readonly string[]
  readonly context: readonly string[]
  readonly notes: string | null
  readonly owner: string | null
  readonly phase: string | null
  readonly meta: Readonly<Record<string, unknown>>
}

const settling: Readonly<Record<StepStatus, readonly string[]>> = {
  pending: [],
  done: ['step', 'declared', 'fixed'],
  failed: ['failed'],
  timeout: ['failed'],
  conflict: ['failed'],
  skipped: ['skipped'],
  waiting: ['waiting'],
}

export function viewSteps(
  plan: Plan,
  facts: {
    events: readonly RecordedEvent[]
    kept: PlanRecords
    holder: Holder | undefined
    /** Steps that have run and wait to be committed. */
    results?: ReadonlySet<string> | undefined
  },
): StepView[] {
  const blocked = new Set(blockedSteps(plan).map((step) => step.id))
  const held = facts.holder?.state === 'running' ? facts.holder.running : []
  const running = new Map(held.map((each) => [each.step, each]))
  const eventsOf = groupByStep(facts.events)
  const attempts = new Map(facts.kept.attempts.map((attempt) => [attempt.step, attempt.number]))
  const effects = new Map(facts.kept.effects.map((effect) => [effect.step, effect]))
  return plan.steps.map((step) => {
    const status = statusOf(plan, step.id)
    const event = eventsOf.get(step.id)?.find((each) => settling[status].includes(each.event))
    const now = status === 'done' || status === 'skipped' ? undefined : running.get(step.id)
    const seen =
      now !== undefined
        ? 'running'
        : isUnknown(status, effects.get(step.id))
          ? 'unknown'
          : blocked.has(step.id)
            ? 'blocked'
            : status
    const isOver = event !== undefined && status !== 'waiting'
    const durationMs = event?.durationMs ?? null
    return {
      id: step.id,
      title: step.title,
      verb: step.verb,
      agent: agentOf(step)?.agent ?? null,
      asks: askedBy(step) ?? null,
      question: questionOf(step),
      allowFailure: step.allowFailure,
      status,
      seen,
      attempt:
        now === undefined
          ? (event?.attempt ?? attempts.get(step.id) ?? (event === undefined ? 0 : 1))
          : (now.attempt ?? 1),
      commit: event?.commit ?? null,
      needs: step.needs,
      wave: step.wave,
      startedAt: now?.since ?? (isOver && durationMs !== null ? startOf(event) : null),
      endedAt: isOver ? endOf(event) : null,
      durationMs,
      error: event?.event === 'failed' ? errorOf(event) : null,
      why: now === undefined ? whyNotDone(plan, step, facts.results ?? new Set()) : null,
      verified: event?.verified ?? null,
      replayed: event?.replayed ?? null,
      tests: (event === undefined ? undefined : testsIn(event)) ?? null,
      claim: claimFromText(event?.claim) ?? null,
      ...usageIn(event ?? {}),
      goal: step.goal ?? null,
      deliverables: step.deliverables,
      context: step.context,
      notes: step.notes ?? null,
      owner: step.owner ?? null,
      phase: step.phase ?? null,
      meta: step.meta,
    }
  })
}

/** The text of a `gate` or `manual` step, or of one that a driver has to do. */
function questionOf(step: Step): string | null {
  const asks = askedBy(step)
  const text = (step.spec as Readonly<Record<string, unknown>>)[asks === 'driver' ? 'prompt' : step.verb]
  return asks !== undefined && typeof text === 'string' ? text : null
}

const errorOf = ({ reason, subject, conflictsWith }: RecordedEvent): string =>
  `${reason ?? subject}${conflictsWith === undefined ? '' : `; in conflict with ${conflictsWith}`}`

/** An effect or its undo was started, and no outcome is recorded. */
function isUnknown(status: StepStatus, newest: Effect | undefined): boolean {
  if (status === 'done' || status === 'skipped') return false
  return newest?.state === 'intended' || newest?.state === 'undoing'
}

function groupByStep(events: readonly RecordedEvent[]): ReadonlyMap<string, readonly RecordedEvent[]> {
  const groups = new Map<string, RecordedEvent[]>()
  for (const event of events) {
    const group = groups.get(event.step ?? '')
    if (group === undefined) groups.set(event.step ?? '', [event])
    else group.push(event)
  }
  return groups
}

/** Finds the step that a user named. */
export function stepNamed(plan: { readonly id: string; readonly steps: readonly StepView[] }, name: string): StepView {
  const found = plan.steps.find((step) => step.id === name)
  if (found !== undefined) return found
  const given = name.slice(0, 80)
  const known = plan.steps.map((step) => step.id)
  throw new PlanError(
    'unknown-step',
    `plan ${plan.id} has no step ${JSON.stringify(given)}; ${suggest(given, known)}`,
    { hint: `git plan show ${plan.id}` },
  )
}
