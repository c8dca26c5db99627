// What there is to count in the events of a plan: its runs, steps, decisions and agents.

import { claimFromText } from '../../plan/model/claim.ts'
import type { PlanEventName } from '../../plan/model/lifecycle.ts'
import type { CountedEvent, PlanEvents } from '../../store/all-plans.ts'

export type RunStatus = 'completed' | 'failed' | 'waiting' | 'interrupted'

/** One command that ran steps of a plan. */
export interface Execution {
  readonly status: RunStatus
  readonly risk: string
  readonly durationMs: number
}

const executing: ReadonlySet<PlanEventName> = new Set([
  'baseline',
  'step',
  'failed',
  'skipped',
  'declared',
  'fixed',
  'waiting',
  'completed',
])

/** The newest run is left out while its end is not known. */
function executionsOf({ events, newest }: Pick<PlanEvents, 'events' | 'newest'>): Execution[] {
  const runs = new Map<string, CountedEvent[]>()
  for (const event of events) {
    if (!executing.has(event.event)) continue
    const own = runs.get(event.run ?? '')
    if (own === undefined) runs.set(event.run ?? '', [event])
    else own.push(event)
  }
  const done: Execution[] = []
  for (const own of runs.values()) {
    const status = statusOf(own)
    if (status === 'interrupted' && own.some((event) => event === newest)) continue
    let [from, to] = [Number.POSITIVE_INFINITY, 0]
    for (const event of own) {
      from = Math.min(from, startOf(event))
      to = Math.max(to, event.endedAt === undefined ? event.at : Date.parse(event.endedAt))
    }
    done.push({ status, risk: riskOf(own, events), durationMs: Math.max(0, to - from) })
  }
  return done
}

/** Earlier versions recorded only the duration. */
const startOf = ({ startedAt, at, durationMs = 0 }: CountedEvent): number =>
  startedAt === undefined ? at - durationMs : Date.parse(startedAt)

function statusOf(own: readonly CountedEvent[]): RunStatus {
  const last = own.at(-1)?.event
  return last === 'completed' || last === 'failed' || last === 'waiting' ? last : 'interrupted'
}

const riskOf = (own: readonly CountedEvent[], all: readonly CountedEvent[]): string =>
  own.findLast(({ risk }) => risk !== undefined)?.risk ??
  all.findLast(({ risk }) => risk !== undefined)?.risk ??
  unknown

/** Of commits of versions that did not record it. */
const unknown = 'unknown'

export interface StepEnd {
  readonly verb: string
  readonly outcome: 'done' | 'replayed' | 'declared' | 'skipped' | 'failed'
  readonly durationMs: number | undefined
}

const stepEndsOf = ({ events }: Pick<PlanEvents, 'events'>): StepEnd[] =>
  events.flatMap(({ event, step, verb = unknown, replayed, durationMs }) =>
    step === undefined || !(event === 'step' || event === 'declared' || event === 'skipped' || event === 'failed')
      ? []
      : [{ verb, durationMs, outcome: event === 'step' ? (replayed === undefined ? 'done' : 'replayed') : event }],
  )

/** For each step that was tried more than once: its verb, and how often. */
function retriesOf({ events, attempts }: Pick<PlanEvents, 'events' | 'attempts'>): { verb: string; count: number }[] {
  const steps = new Map<string, { verb: string; count: number }>()
  const count = (step: string, number: number, verb?: string): void => {
    const known = steps.get(step) ?? { verb: unknown, count: 0 }
    steps.set(step, { verb: verb ?? known.verb, count: Math.max(known.count, number - 1) })
  }
  for (const { step, attempt, verb } of events) if (step !== undefined) count(step, attempt ?? 1, verb)
  for (const { step, number } of attempts) count(step, number)
  return [...steps.values()].filter((each) => each.count > 0)
}

export interface Decision {
  readonly decision: 'approved' | 'rejected'
  readonly source: string
  /** Since the text was proposed; null for every decision but the first about it. */
  readonly waitedMs: number | null
}

function decisionsOf({ events }: Pick<PlanEvents, 'events'>): Decision[] {
  let proposedAt: number | undefined
  return events.flatMap(({ event, at, approval }) => {
    if (event === 'proposed' || event === 'replanned' || event === 'rebased') proposedAt = at
    if (event !== 'approved' && event !== 'rejected') return []
    const waitedMs = proposedAt === undefined ? null : Math.max(0, at - proposedAt)
    proposedAt = undefined
    return [{ decision: event, source: approval ?? 'local', waitedMs }]
  })
}

/** An agent (or driver) that wrote a text, or did a step. */
export interface AgentWork {
  readonly agent: string
  readonly work: 'generation' | 'step'
  readonly turns: number
  readonly costUsd: number
  readonly durationMs: number | undefined
}

function agentWorkOf({ events, attempts }: Pick<PlanEvents, 'events' | 'attempts'>): AgentWork[] {
  const seen = new Set<string>()
  const done: AgentWork[] = events.flatMap(({ step, attempt, claim: text, durationMs }) => {
    const claim = claimFromText(text)
    if (claim === undefined) return []
    if (step !== undefined) seen.add(`${step} ${attempt}`)
    const { by: agent, turns = 0, costUsd = 0 } = claim
    return [
      { agent, work: step === undefined ? ('generation' as const) : ('step' as const), turns, costUsd, durationMs },
    ]
  })
  // The last attempt is an event too.
  const failed: AgentWork[] = attempts.flatMap(({ step, number, claim }) =>
    claim === undefined || seen.has(`${step} ${number}`)
      ? []
      : [
          {
            agent: claim.by,
            work: 'step',
            turns: claim.turns ?? 0,
            costUsd: claim.costUsd ?? 0,
            durationMs: undefined,
          },
        ],
  )
  return [...done, ...failed]
}

/** What the programs of a plan have used; null: nothing was measured. */
function usageOf({ events }: Pick<PlanEvents, 'events'>): { cpuMs: number | null; peakBytes: number | null } {
  const cpu = events.flatMap(({ cpuMs }) => cpuMs ?? [])
  const peaks = events.flatMap(({ peakBytes }) => peakBytes ?? [])
  return {
    cpuMs: cpu.length === 0 ? null : cpu.reduce((sum, each) => sum + each, 0),
    peakBytes: peaks.length === 0 ? null : Math.max(...peaks),
  }
}

/** From the newest event alone: what the plan file says. */
function planStatusOf({ newest }: Pick<PlanEvents, 'newest'>): string {
  if (newest === undefined) return unknown
  const { event } = newest
  if (event === 'replanned' || event === 'rebased') return 'proposed'
  return ['proposed', 'approved', 'rejected', 'failed', 'waiting', 'completed', 'cancelled'].includes(event)
    ? event
    : 'active'
}

/** Everything that is counted of a plan, each once. */
export interface PlanCounts {
  readonly id: string
  readonly status: string
  readonly executions: readonly Execution[]
  readonly steps: readonly StepEnd[]
  readonly retries: ReturnType<typeof retriesOf>
  readonly decisions: readonly Decision[]
  readonly agents: readonly AgentWork[]
  readonly rollbacks: PlanEvents['rollbacks']
  readonly usage: ReturnType<typeof usageOf>
}

export const countsOf = (plan: PlanEvents): PlanCounts => ({
  id: plan.id,
  status: planStatusOf(plan),
  executions: executionsOf(plan),
  steps: stepEndsOf(plan),
  retries: retriesOf(plan),
  decisions: decisionsOf(plan),
  agents: agentWorkOf(plan),
  rollbacks: plan.rollbacks,
  usage: usageOf(plan),
})
