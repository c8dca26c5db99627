// Decides whether a new text of a plan only removes steps, so that the approval of the old text covers it.

import { isDeepStrictEqual } from 'node:util'
import type { Plan, Step } from '../../plan/model/plan.ts'
import { askedBy } from '../../plan/verbs/index.ts'

export function isOnlyRemoval(before: Plan, after: Plan): boolean {
  if (after.steps.length === 0 || after.steps.length >= before.steps.length) return false
  if (!isDeepStrictEqual(withoutSteps(before), withoutSteps(after))) return false
  // Removing a step at which a person reviews or decides would let the plan continue without that person.
  const left = new Set<string>(after.steps.map(({ id }) => id))
  if (before.steps.some((step) => !left.has(step.id) && isForPerson(step))) return false
  const old = new Map<string, Step>(before.steps.map((step) => [step.id, step]))
  const order = after.steps.map(({ id }) => before.steps.findIndex((step) => step.id === id))
  if (order.some((at, index) => at < 0 || (index > 0 && at < (order[index - 1] ?? 0)))) return false
  return after.steps.every((step) => {
    const then = old.get(step.id)
    if (then === undefined || !isDeepStrictEqual(withoutNeeds(then), withoutNeeds(step))) return false
    // It may depend only on former ancestors, and must still come after those that are left.
    const above = ancestorsOf(then, old)
    const nearest = [...above].filter((id) => left.has(id))
    return (
      step.needs.every((id) => above.has(id)) &&
      nearest.every((id) => step.needs.some((each) => each === id) || isAncestor(id, step, after))
    )
  })
}

const isForPerson = (step: Step): boolean => askedBy(step) !== undefined || step.pause

const withoutSteps = ({
  steps: _steps,
  status: _status,
  state: _state,
  prose: _prose,
  digest: _digest,
  ...rest
}: Plan): object => rest
const withoutNeeds = ({ needs: _needs, wave: _wave, ...rest }: Step): object => rest

function ancestorsOf(step: Step, all: ReadonlyMap<string, Step>, found = new Set<string>()): Set<string> {
  for (const id of step.needs) {
    if (found.has(id)) continue
    found.add(id)
    const above = all.get(id)
    if (above !== undefined) ancestorsOf(above, all, found)
  }
  return found
}

const isAncestor = (id: string, step: Step, plan: Plan): boolean =>
  ancestorsOf(step, new Map(plan.steps.map((each) => [each.id, each]))).has(id)
