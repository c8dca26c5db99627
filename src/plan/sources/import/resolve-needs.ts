// Maps the ids of another tool to ids of steps, and its dependencies to `needs`.

import { isId } from '../../model/ids.ts'
import { slug, uniqueId } from '../../model/names.ts'
import type { ImportedStep } from './format.ts'
import type { Notes } from './notes.ts'

export interface ResolvedStep extends ImportedStep {
  readonly stepId: string
  /** undefined: the step before, as in any plan. */
  readonly stepNeeds: readonly string[] | undefined
}

/** Steps that must not be done are left out. */
export function resolveSteps(all: readonly ImportedStep[], notes: Notes): ResolvedStep[] {
  const byId = firstOfEach(all, notes)
  const steps = all.filter(({ state }) => state !== 'dropped')
  for (const { id, title, why, line, file } of all.filter(({ state }) => state === 'dropped'))
    notes.lost(`${id} (${title}) is left out: ${why ?? 'it must not be done'}`, { line, file })
  const ids = idsOf(steps)
  const needs = new Map(steps.map((step, index) => [step, needsOf(step, index, { all, steps, byId }, notes)]))
  breakCycles(steps, needs, notes)
  return steps.map((step, index) => {
    const own = needs.get(step) ?? []
    const before = steps[index - 1]
    const isDefault = before === undefined ? own.length === 0 : own.length === 1 && own[0] === before
    return {
      ...step,
      stepId: ids.get(step)!,
      stepNeeds: isDefault ? undefined : own.map((need) => ids.get(need)!),
    }
  })
}

const firstText = ({ file, line }: ImportedStep): string =>
  file === undefined && line === undefined
    ? ''
    : ` (first in ${[file, line === undefined ? undefined : `line ${line}`].filter((part) => part !== undefined).join(', ')})`

function firstOfEach(steps: readonly ImportedStep[], notes: Notes): ReadonlyMap<string, ImportedStep> {
  const byId = new Map<string, ImportedStep>()
  for (const step of steps) {
    const first = byId.get(step.id)
    if (first === undefined) byId.set(step.id, step)
    else notes.contradiction(`the id ${step.id} is used twice${firstText(first)}; needs refer to the first`, step)
  }
  return byId
}

function idsOf(steps: readonly ImportedStep[]): ReadonlyMap<ImportedStep, string> {
  // An id that is valid as it is stays, whatever comes before it.
  const taken = new Set<string>(steps.flatMap(({ id }) => (isId(id) ? [id] : [])))
  const given = new Set<string>()
  return new Map(
    steps.map((step) => {
      const isFree = isId(step.id) && !given.has(step.id)
      const id = isFree ? step.id : uniqueId(slug(step.id, 'step'), new Set([...taken, ...given]))
      given.add(id)
      return [step, id]
    }),
  )
}

interface Listed {
  readonly all: readonly ImportedStep[]
  /** Those that are not dropped. */
  readonly steps: readonly ImportedStep[]
  readonly byId: ReadonlyMap<string, ImportedStep>
}

/** What a dropped step needed. */
function idsBefore(step: ImportedStep, all: readonly ImportedStep[]): readonly string[] {
  if (step.needs !== undefined || step.order !== undefined) return [...(step.needs ?? []), ...(step.order ?? [])]
  const before = all[all.indexOf(step) - 1]
  return before === undefined ? [] : [before.id]
}

/** A done step must not wait for an open one before it, and an open one must not overtake it. */
function stepBefore(step: ImportedStep, above: readonly ImportedStep[]): ImportedStep[] {
  const same = above.findLast(({ state }) => (state === 'done') === (step.state === 'done'))
  const last = step.state === 'done' ? same : (same ?? above.at(-1))
  return last === undefined ? [] : [last]
}

function needsOf(step: ImportedStep, index: number, { all, steps, byId }: Listed, notes: Notes): ImportedStep[] {
  if (step.needs === undefined && step.order === undefined) return stepBefore(step, steps.slice(0, index))
  const found = new Set<ImportedStep>()
  const seen = new Set<ImportedStep>()
  let isLost = false
  const problem = (message: string, by: ImportedStep): void => {
    isLost = true
    notes.contradiction(message, by)
  }
  const add = (id: string, by: ImportedStep): void => {
    const need = byId.get(id)
    if (need === undefined) return problem(`${by.id} needs ${id}, which is not in the plan`, by)
    if (need === step) return problem(`${step.id} needs itself`, step)
    if (seen.has(need)) return
    seen.add(need)
    if (need.state !== 'dropped') found.add(need)
    else for (const further of idsBefore(need, all)) add(further, need)
  }
  for (const id of step.needs ?? []) add(id, step)
  if (isLost && found.size === 0 && step.order === undefined) {
    const before = stepBefore(step, steps.slice(0, index))
    if (before.length > 0)
      notes.contradiction(
        `no dependency of ${step.id} is in the plan; it needs ${before[0]!.id}, the step before`,
        step,
      )
    return before
  }
  const stated = [...found]
  // A step that is done already does not let a later one overtake the open steps before it.
  const above = new Set(step.order)
  for (const id of above) {
    add(id, step)
    const need = byId.get(id)
    if (need?.state === 'done' && step.state !== 'done') for (const further of need.order ?? []) above.add(further)
  }
  if (step.state !== 'done') return [...found]
  const open = stated.filter(({ state }) => state !== 'done')
  if (open.length > 0)
    notes.contradiction(
      `${step.id} is done, but needs ${open.map(({ id, state }) => `${id} (${state})`).join(', ')}`,
      step,
    )
  return [...found].filter(({ state }) => state === 'done')
}

/** A dependency that closes a cycle is removed and named. */
function breakCycles(steps: readonly ImportedStep[], needs: Map<ImportedStep, ImportedStep[]>, notes: Notes): void {
  const finished = new Set<ImportedStep>()
  for (const root of steps) {
    // Without recursion: a chain may have a thousand steps.
    const path: { step: ImportedStep; at: number }[] = finished.has(root) ? [] : [{ step: root, at: 0 }]
    const open = new Set<ImportedStep>(path.map(({ step }) => step))
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { step } = top
      const need = needs.get(step)?.[top.at]
      if (need === undefined) {
        finished.add(step)
        open.delete(step)
        path.pop()
      } else if (open.has(need)) {
        notes.contradiction(`${step.id} needs ${need.id}, which needs it in turn; this dependency is left out`, step)
        needs.set(step, needs.get(step)!.toSpliced(top.at, 1))
      } else {
        top.at++
        if (finished.has(need)) continue
        open.add(need)
        path.push({ step: need, at: 0 })
      }
    }
  }
}
