// The dependency graph of the steps.

import { hasFailed } from '../model/step-status.ts'
import { statusOf } from '../model/plan.ts'
import type { Plan, Step } from '../model/plan.ts'
import type { StepId } from '../model/ids.ts'

interface GraphStep {
  readonly id: string
  readonly needs: readonly string[]
}

/** The length of the longest path above each step, or the steps of one cycle, each followed by a step that it needs. */
export function wavesOf(
  steps: readonly GraphStep[],
):
  | { readonly ok: true; readonly waves: ReadonlyMap<string, number> }
  | { readonly ok: false; readonly cycle: readonly string[] } {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const needsOf = (step: GraphStep): GraphStep[] => [...new Set(step.needs)].flatMap((need) => byId.get(need) ?? [])
  const open = new Map(steps.map((step) => [step.id, needsOf(step).length]))
  const users = new Map<string, string[]>(steps.map((step) => [step.id, []]))
  for (const step of steps) for (const need of needsOf(step)) users.get(need.id)!.push(step.id)

  const waves = new Map<string, number>()
  let wave = steps.filter((step) => open.get(step.id) === 0).map((step) => step.id)
  for (let number = 0; wave.length > 0; number++) {
    const next: string[] = []
    for (const id of wave) {
      waves.set(id, number)
      for (const user of users.get(id)!) {
        open.set(user, open.get(user)! - 1)
        if (open.get(user) === 0) next.push(user)
      }
    }
    wave = next
  }
  if (waves.size === byId.size) return { ok: true, waves }

  // Every remaining step needs another remaining one, so following the needs must reach a step twice.
  const walked: string[] = []
  let at = steps.find((step) => !waves.has(step.id))
  while (at && !walked.includes(at.id)) {
    walked.push(at.id)
    at = needsOf(at).find((need) => !waves.has(need.id))
  }
  return { ok: false, cycle: walked.slice(walked.indexOf(at?.id ?? '')) }
}

/** The steps of each wave, in plan order. */
export function waves(plan: Plan): readonly (readonly Step[])[] {
  const result: Step[][] = []
  for (const step of plan.steps) (result[step.wave] ??= []).push(step)
  return Array.from(result, (steps) => steps ?? [])
}

/** Dependants may run: the step is done, skipped, or failed with `allow_failure`. */
function isSettled(plan: Plan, step: Step): boolean {
  const status = statusOf(plan, step.id)
  if (status === 'done' || status === 'skipped') return true
  return step.allowFailure && hasFailed(plan, step.id)
}

/** The needs that a step still waits for. */
export function openNeeds(plan: Plan, step: Step): StepId[] {
  const settled = new Set<StepId>(plan.steps.filter((each) => isSettled(plan, each)).map((each) => each.id))
  return step.needs.filter((need) => !settled.has(need))
}

/**
 * The steps that can run now, ordered by wave, then by plan order. `done`: steps to treat as done in addition to the
 * state.
 */
export function readySteps(plan: Plan, options: { done?: Iterable<StepId> } = {}): Step[] {
  const settled = new Set<StepId>(options.done)
  for (const step of plan.steps) if (isSettled(plan, step)) settled.add(step.id)
  return inOrder(plan.steps.filter((step) => !settled.has(step.id) && step.needs.every((need) => settled.has(need))))
}

/** The step at which `resume` continues: the one that stopped the plan, or else the first that can run. */
export function nextStep(plan: Plan): Step | undefined {
  const ready = readySteps(plan)
  return ready.find((step) => statusOf(plan, step.id) !== 'pending') ?? ready[0]
}

/** The steps that cannot run because a step above them failed without `allow_failure`. */
export function blockedSteps(plan: Plan): Step[] {
  const stuck = new Set<StepId>()
  const blocked: Step[] = []
  for (const step of inOrder(plan.steps)) {
    if (isSettled(plan, step)) continue
    const isBlocked = step.needs.some((need) => stuck.has(need))
    if (isBlocked) blocked.push(step)
    if (isBlocked || hasFailed(plan, step.id)) stuck.add(step.id)
  }
  return blocked
}

/** The steps that need this one, directly or indirectly, in plan order. */
export function dependants(plan: Plan, id: StepId): Step[] {
  const found = new Set<StepId>([id])
  for (const step of inOrder(plan.steps)) if (step.needs.some((need) => found.has(need))) found.add(step.id)
  return plan.steps.filter((step) => step.id !== id && found.has(step.id))
}

const inOrder = (steps: readonly Step[]): Step[] => steps.toSorted((a, b) => a.wave - b.wave)
