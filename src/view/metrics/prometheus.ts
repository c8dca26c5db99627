// The metrics of all plans in the format of Prometheus. A table: one row per metric, with how to fill it. Load it by
// import(): nothing else needs the client.

import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { readAllPlans } from '../../store/all-plans.ts'
import type { Repository } from '../../git/repository.ts'
import { countsOf, type PlanCounts } from './executions.ts'

type Labels = Readonly<Record<string, string>>
type Sample = readonly [labels: Labels, value: number]

interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  readonly buckets?: readonly number[]
  /** To be added up; a histogram counts each. */
  readonly samples: (plan: PlanCounts) => readonly Sample[]
}

const seconds = (ms: number): number => ms / 1000
const upToADay = [1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400]

export const metrics: readonly Metric[] = [
  {
    name: 'plan_plans',
    type: 'gauge',
    help: 'Plans by the status that their newest event gives them.',
    labels: ['status'],
    samples: ({ status }) => [[{ status }, 1]],
  },
  {
    name: 'plan_executions_total',
    type: 'counter',
    help: 'Runs of plans that have ended, by how they ended and by the risk of the plan.',
    labels: ['status', 'risk'],
    samples: ({ executions }) => executions.map(({ status, risk }) => [{ status, risk }, 1]),
  },
  {
    name: 'plan_execution_duration_seconds',
    type: 'histogram',
    help: 'Time from the start of the first step of a run to its end.',
    labels: ['status'],
    buckets: upToADay,
    samples: ({ executions }) => executions.map(({ status, durationMs }) => [{ status }, seconds(durationMs)]),
  },
  {
    name: 'plan_rollbacks_total',
    type: 'counter',
    help: 'Rollbacks, rollbacks that were undone, and rebases.',
    labels: ['kind'],
    samples: ({ rollbacks }) => rollbacks.map(({ kind }) => [{ kind }, 1]),
  },
  {
    name: 'plan_steps_completed_total',
    type: 'counter',
    help: 'Steps that have ended, by verb and outcome.',
    labels: ['verb', 'outcome'],
    samples: ({ steps }) => steps.map(({ verb, outcome }) => [{ verb, outcome }, 1]),
  },
  {
    name: 'plan_step_duration_seconds',
    type: 'histogram',
    help: 'Time from the start to the end of a step.',
    labels: ['verb'],
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600],
    samples: ({ steps }) =>
      steps.flatMap(({ verb, durationMs }): Sample[] =>
        durationMs === undefined ? [] : [[{ verb }, seconds(durationMs)]],
      ),
  },
  {
    name: 'plan_step_retries_total',
    type: 'counter',
    help: 'Attempts of steps after the first.',
    labels: ['verb'],
    samples: ({ retries }) => retries.map(({ verb, count }) => [{ verb }, count]),
  },
  {
    name: 'plan_approvals_total',
    type: 'counter',
    help: 'Decisions about plans, by decision and by where it was made.',
    labels: ['decision', 'source'],
    samples: ({ decisions }) => decisions.map(({ decision, source }) => [{ decision, source }, 1]),
  },
  {
    name: 'plan_approval_wait_seconds',
    type: 'histogram',
    help: 'Time from a proposal to the first decision about it.',
    labels: ['decision'],
    buckets: [...upToADay, 259_200, 604_800],
    samples: ({ decisions }) =>
      decisions.flatMap(({ decision, waitedMs }): Sample[] =>
        waitedMs === null ? [] : [[{ decision }, seconds(waitedMs)]],
      ),
  },
  {
    name: 'plan_generation_duration_seconds',
    type: 'histogram',
    help: 'Time that an agent took to write a plan.',
    labels: ['agent'],
    buckets: [5, 15, 30, 60, 120, 300, 600, 1800],
    samples: ({ agents }) =>
      agents.flatMap(({ agent, work, durationMs }): Sample[] =>
        work !== 'generation' || durationMs === undefined ? [] : [[{ agent }, seconds(durationMs)]],
      ),
  },
  {
    name: 'plan_agent_turns_total',
    type: 'counter',
    help: 'Turns that agents say they took, for steps and to write plans.',
    labels: ['agent', 'work'],
    samples: ({ agents }) => agents.map(({ agent, work, turns }) => [{ agent, work }, turns]),
  },
  {
    name: 'plan_agent_cost_usd_total',
    type: 'counter',
    help: 'US dollars that agents say they cost, for steps and to write plans.',
    labels: ['agent', 'work'],
    samples: ({ agents }) => agents.map(({ agent, work, costUsd }) => [{ agent, work }, costUsd]),
  },
  {
    name: 'plan_cpu_seconds_total',
    type: 'counter',
    help: 'Processor time of the programs that the steps of a plan ran.',
    labels: ['plan'],
    samples: ({ id, usage: { cpuMs } }) => (cpuMs === null ? [] : [[{ plan: id }, seconds(cpuMs)]]),
  },
  {
    name: 'plan_memory_peak_bytes',
    type: 'gauge',
    help: 'Most memory that the programs of a step of a plan used at once.',
    labels: ['plan'],
    samples: ({ id, usage: { peakBytes } }) => (peakBytes === null ? [] : [[{ plan: id }, peakBytes]]),
  },
]

/** The metrics of all plans of a repository, from its history and refs alone. */
export async function readMetrics(repo: Repository): Promise<string> {
  const plans = (await readAllPlans(repo)).map(countsOf)
  const registry = new Registry()
  for (const metric of metrics) {
    const put = register(registry, metric)
    for (const plan of plans) for (const [labels, value] of metric.samples(plan)) put(labels, value)
  }
  return registry.metrics()
}

function register(registry: Registry, metric: Metric): (labels: Labels, value: number) => void {
  const { name, help, labels, buckets = [] } = metric
  const shape = { name, help, labelNames: [...labels], registers: [registry] }
  if (metric.type === 'histogram') {
    const histogram = new Histogram({ ...shape, buckets: [...buckets] })
    return (each, value) => histogram.observe(each, value)
  }
  const counted = metric.type === 'counter' ? new Counter(shape) : new Gauge(shape)
  return (each, value) => counted.inc(each, value)
}
