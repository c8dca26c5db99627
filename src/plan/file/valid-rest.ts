// The valid parts of a plan file that is not valid, so that one round of `check` can report mistakes of every kind.

import { uncompiled } from '../model/schema-types.ts'
import { isId } from '../model/ids.ts'
import type { Plan } from '../model/plan.ts'
import { toPlan, toStep, type NamedStep } from './make-plan.ts'
import type { PlanOrigin } from './read-plan.ts'
import { readSteps } from './read-steps.ts'
import { planSchema, type PlanEntry } from './schema.ts'
import type { Split } from './split.ts'

/** Keeps the number and order of the steps, by which findings are located. Nothing is known about their order. */
export function restOf(
  value: Readonly<Record<string, unknown>>,
  steps: readonly NamedStep[],
  split: Pick<Split, 'prose'>,
  origin: PlanOrigin,
): Plan {
  const entry = validEntry(value)
  const id = isId(entry.plan ?? origin.id ?? '') ? {} : { id: 'plan' }
  return toPlan(
    entry,
    split,
    { ...origin, ...id },
    steps.map((step) => toStep(validStep(step), 0, entry.test)),
    '',
  )
}

function validEntry(value: Readonly<Record<string, unknown>>): PlanEntry {
  const { status: _status, state: _state, ...rest } = value
  const entries = Object.entries(rest).filter(
    ([key, each]) =>
      key !== 'steps' && planSchema({ [key]: each }).safeParse({ [key]: each, steps: [{}] }, uncompiled).success,
  )
  return { ...Object.fromEntries(entries), steps: [] }
}

function validStep(step: NamedStep): NamedStep {
  const id = isId(step.id) ? step.id : `step-${step.index + 1}`
  if (step.entry !== undefined) return { ...step, id, needs: [] }
  const [placeholder] = readSteps([{ manual: 'not valid' }], () => ({ line: 1, column: 1 }), false).steps
  return { ...placeholder!, index: step.index, id, title: id, needs: [] }
}
