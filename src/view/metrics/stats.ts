// Rates and averages of plans, in groups: by the month in which they were proposed, by template and by agent.

import { byCode } from '../../plan/model/order.ts'
import type { PlanEvents } from '../../store/all-plans.ts'
import { countsOf, type PlanCounts } from './executions.ts'

export interface StatsRow {
  /** `2026-01`, the name of a template or agent, or `none`. */
  readonly name: string
  readonly plans: number
  readonly completed: number
  /** Failed, or cancelled after a run. */
  readonly failed: number
  /** Everything else: proposed, waiting, under way, rejected. */
  readonly other: number
  /** Completed ÷ (completed + failed); null: there are none. */
  readonly success: number | null
  /** Approvals ÷ (approvals + rejections). */
  readonly approval: number | null
  /** Plans with a rollback ÷ plans that have run. */
  readonly rollback: number | null
  /** Averages: the time of all runs of a plan, the wait for the first decision, retries and cost per plan. */
  readonly runMs: number | null
  readonly waitMs: number | null
  readonly retries: number
  readonly costUsd: number
}

export interface StatsData {
  /** Plans proposed since then; null: all. */
  readonly since: string | null
  readonly total: StatsRow
  readonly months: readonly StatsRow[]
  readonly templates: readonly StatsRow[]
  readonly agents: readonly StatsRow[]
}

interface Counted extends PlanCounts {
  readonly month: string
  readonly template: string
}

export function statsOf(all: readonly PlanEvents[], since?: string): StatsData {
  const from = since === undefined ? 0 : Date.parse(since)
  const plans = all.flatMap((plan): Counted[] => {
    const [first] = plan.events
    if (first === undefined || first.at < from) return []
    const template = plan.events.findLast((event) => event.template !== undefined)?.template ?? 'none'
    return [{ ...countsOf(plan), month: new Date(first.at).toISOString().slice(0, 7), template }]
  })
  return {
    since: since ?? null,
    total: rowOf('all', plans),
    months: grouped(plans, ({ month }) => [month]),
    templates: grouped(plans, ({ template }) => [template]),
    agents: grouped(plans, ({ agents }) => orNone([...new Set(agents.map(({ agent }) => agent))])),
  }
}

const orNone = (names: readonly string[]): readonly string[] => (names.length === 0 ? ['none'] : names)

/** A plan may be in several groups. */
function grouped(plans: readonly Counted[], namesOf: (plan: Counted) => readonly string[]): StatsRow[] {
  const groups = new Map<string, Counted[]>()
  for (const plan of plans) for (const name of namesOf(plan)) groups.set(name, [...(groups.get(name) ?? []), plan])
  return [...groups].toSorted(([a], [b]) => byCode(a, b)).map(([name, own]) => rowOf(name, own))
}

function rowOf(name: string, plans: readonly Counted[]): StatsRow {
  const outcomes = plans.map(outcomeOf)
  const count = (outcome: string): number => outcomes.filter((each) => each === outcome).length
  const [completed, failed] = [count('completed'), count('failed')]
  const decisions = plans.flatMap((plan) => plan.decisions)
  const approved = decisions.filter(({ decision }) => decision === 'approved').length
  const started = plans.filter(({ executions }) => executions.length > 0)
  const rolledBack = started.filter(({ rollbacks }) => rollbacks.some(({ kind }) => kind === 'rollback')).length
  return {
    name,
    plans: plans.length,
    completed,
    failed,
    other: plans.length - completed - failed,
    success: ratio(completed, completed + failed),
    approval: ratio(approved, decisions.length),
    rollback: ratio(rolledBack, started.length),
    runMs: average(started.map(({ executions }) => sum(executions.map(({ durationMs }) => durationMs)))),
    waitMs: average(decisions.flatMap(({ waitedMs }) => waitedMs ?? [])),
    retries: average(plans.map((plan) => sum(plan.retries.map((each) => each.count)))) ?? 0,
    costUsd: average(plans.map(({ agents }) => sum(agents.map(({ costUsd }) => costUsd)))) ?? 0,
  }
}

function outcomeOf({ status, executions }: Counted): 'completed' | 'failed' | 'other' {
  if (status === 'completed' || status === 'failed') return status
  return status === 'cancelled' && executions.length > 0 ? 'failed' : 'other'
}

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0)
const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)
const average = (values: readonly number[]): number | null => ratio(sum(values), values.length)
