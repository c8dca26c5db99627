// The critical path: the chain of steps that decides how long a plan takes, whatever runs beside it; and the time that
// parallel steps have saved.

import type { StepView } from './steps.ts'

export interface CriticalPath {
  readonly steps: readonly string[]
  /** The sum of their durations; null before the plan has run. */
  readonly durationMs: number | null
}

/** By duration; before the plan has run, by the number of steps. */
export function criticalPath(steps: readonly StepView[]): CriticalPath {
  const isTimed = steps.some(({ durationMs }) => durationMs !== null)
  const costOf = ({ durationMs }: StepView): number => (isTimed ? (durationMs ?? 0) : 1)
  const longest = new Map<string, { readonly cost: number; readonly path: readonly string[] }>()
  for (const step of steps.toSorted((a, b) => a.wave - b.wave)) {
    const before = step.needs
      .flatMap((need) => longest.get(need) ?? [])
      .reduce((best, each) => (each.cost >= best.cost ? each : best), { cost: 0, path: [] as readonly string[] })
    longest.set(step.id, { cost: before.cost + costOf(step), path: [...before.path, step.id] })
  }
  const best = [...longest.values()].reduce((most, each) => (each.cost > most.cost ? each : most), {
    cost: -1,
    path: [] as readonly string[],
  })
  return { steps: best.path, durationMs: isTimed ? best.cost : null }
}

/** The time during which steps ran, less the time during which at least one did. */
export function timeSaved(steps: readonly StepView[]): number {
  const spans = steps
    .flatMap(({ startedAt, endedAt, durationMs }) =>
      startedAt === null || endedAt === null || durationMs === null
        ? []
        : [{ from: Date.parse(startedAt), to: Date.parse(endedAt) }],
    )
    .toSorted((a, b) => a.from - b.from)
  let saved = 0
  let end = Number.NEGATIVE_INFINITY
  for (const { from, to } of spans) {
    saved += Math.max(0, Math.min(end, to) - from)
    end = Math.max(end, to)
  }
  return saved
}
