// Makes the plan value from validated entries: derived names, defaults, units.

import { areNameable, headingOf, idFromFile, slugOf, titleOf, uniqueId } from '../model/names.ts'
import type { PlanOrigin } from './read-plan.ts'
import type { Check, CountedTest, Criterion, Limits, Plan, PlanState, Step } from '../model/plan.ts'
import type { ReadStep } from './read-steps.ts'
import type { PlanEntry, StepEntry } from './schema.ts'
import type { Split } from './split.ts'
import { parseSize } from './text-problems.ts'
import { isId, parseDuration, planId, stepId } from '../model/ids.ts'
import type { RepoPath } from '../model/ids.ts'

export interface NamedStep extends ReadStep {
  readonly id: string
  readonly title: string
  readonly needs: readonly string[]
}

/** Explicit ids have priority; derived ids get a suffix where they collide. */
export function nameSteps(steps: readonly ReadStep[]): NamedStep[] {
  const taken = new Set(steps.flatMap((step) => (typeof step.raw.id === 'string' ? [step.raw.id] : [])))
  const unnamed = steps.filter(({ raw }) => typeof raw.id !== 'string' || typeof raw.title !== 'string')
  const namesIn = (some: readonly ReadStep[]): string[] =>
    some.flatMap(({ derived }) => (derived === undefined ? [] : [derived.id, derived.title]))
  // One check for all names: most plans have no suspicious name.
  const isClean = areNameable(namesIn(unnamed))
  let above: string | undefined
  return steps.map((step) => {
    let id = typeof step.raw.id === 'string' ? step.raw.id : undefined
    const derived = isClean || areNameable(namesIn([step])) ? step.derived : undefined
    if (id === undefined) {
      id = uniqueId(slugOf(derived?.id ?? '', step.verb?.name ?? 'step'), taken)
      taken.add(id)
    }
    const needs = Array.isArray(step.raw.needs)
      ? [...new Set(step.raw.needs.filter((need) => typeof need === 'string'))]
      : above === undefined
        ? []
        : [above]
    above = id
    const title = typeof step.raw.title === 'string' ? step.raw.title : (titleOf(derived?.title ?? '') ?? id)
    return { ...step, id, title, needs }
  })
}

export function toStep(step: NamedStep, wave: number, planTest: PlanEntry['test']): Step {
  const entry = step.entry
  if (!entry || !step.verb) throw new Error('a step without an entry passed the schema')
  const limits: Limits = {
    ...(entry.limits?.memory === undefined ? {} : { memory: parseSize(entry.limits.memory) ?? 0 }),
    ...cpuLimit(entry.limits?.cpu),
    ...(entry.limits?.output === undefined ? {} : { output: parseSize(entry.limits.output) ?? 0 }),
  }
  return {
    id: stepId(step.id),
    title: step.title,
    verb: step.verb.name,
    spec: step.spec,
    needs: step.needs.map(stepId),
    wave,
    files: entry.files ?? step.verb.scope?.(step.spec),
    changes: entry.changes ?? step.verb.changes ?? 'any',
    verify: toChecks(entry.verify),
    criteria: toCriteria(entry.criteria),
    ...toTest(entry.test, planTest),
    timeout: entry.timeout === undefined ? undefined : parseDuration(entry.timeout),
    retries: entry.retries ?? 0,
    limits,
    env: entry.env ?? {},
    params: entry.params ?? {},
    secrets: entry.secrets ?? [],
    effect: entry.effect ?? 'tree',
    idempotent: entry.idempotent ?? false,
    probe: entry.probe,
    undo: entry.undo,
    goal: entry.goal,
    deliverables: entry.deliverables ?? [],
    context: entry.context ?? [],
    notes: entry.notes,
    owner: entry.owner,
    phase: entry.phase,
    pause: entry.pause ?? false,
    uses: entry.uses ?? [],
    alone: entry.alone ?? false,
    cache: toCache(entry.cache),
    allowFailure: entry.allow_failure ?? false,
    allow: entry.allow ?? [],
    meta: entry.meta ?? {},
    risk: entry.risk,
  }
}

/** A map without `run` adds to the test of the plan. */
function toTest(entry: StepEntry['test'], planTest: PlanEntry['test']): Pick<Step, 'test' | 'counted'> {
  if (entry === true) return toTest(planTest, undefined)
  if (entry === undefined || typeof entry === 'string') return { test: entry, counted: undefined }
  const above = typeof planTest === 'string' ? { run: planTest } : planTest
  const { run, scope, format, report } = entry.run === undefined ? { ...above, ...entry } : entry
  const counted: CountedTest = { scope: scope ?? '', format, report }
  return { test: run, counted }
}

const toCache = (entry: StepEntry['cache']): Step['cache'] =>
  entry === undefined || entry === false
    ? undefined
    : { inputs: entry === true ? undefined : entry.inputs, versions: entry === true ? [] : (entry.versions ?? []) }

function cpuLimit(text: string | undefined): Pick<Limits, 'cpu'> {
  const cpu = text === undefined ? undefined : parseDuration(text)
  return cpu === undefined ? {} : { cpu }
}

export function toPlan(
  entry: PlanEntry,
  split: Pick<Split, 'prose'>,
  origin: PlanOrigin,
  steps: readonly Step[],
  digest: string,
): Plan {
  const id =
    entry.plan ?? (origin.id !== undefined && isId(origin.id) ? origin.id : idFromFile(origin.id ?? origin.file))
  const state: PlanState = new Map(
    steps.flatMap((step) => (entry.state?.[step.id] === undefined ? [] : [[step.id, entry.state[step.id]!]])),
  )
  return {
    id: planId(id),
    title: entry.title ?? origin.title ?? headingOf(split.prose) ?? id,
    base: entry.base ?? origin.base,
    request: entry.request,
    goal: entry.goal,
    owner: entry.owner,
    deliverables: entry.deliverables ?? [],
    notes: entry.notes,
    meta: entry.meta ?? {},
    context: (entry.context ?? []) as RepoPath[],
    params: entry.params ?? {},
    sources: entry.sources ?? [],
    requires: entry.requires ?? [],
    tools: entry.tools,
    setup: entry.setup,
    setupInputs: entry.setup_inputs,
    preflight: typeof entry.preflight === 'string' ? [entry.preflight] : (entry.preflight ?? []),
    ...toTest(entry.test, undefined),
    onFailure: entry.on_failure ?? 'stop',
    steps,
    verify: toChecks(entry.verify),
    status: entry.status ?? 'proposed',
    state,
    prose: split.prose,
    digest,
  }
}

const bytes = (text: string | undefined): number | undefined => (text === undefined ? undefined : parseSize(text))

function toChecks(value: PlanEntry['verify']): Check[] {
  if (value === undefined) return []
  return (Array.isArray(value) ? value : [value]).map((entry): Check => {
    if (typeof entry === 'string') return { kind: 'run', command: entry }
    if (entry.run !== undefined) return { kind: 'run', command: entry.run }
    if (entry.exists !== undefined) return { kind: 'exists', path: entry.exists }
    if (entry.absent !== undefined) return { kind: 'absent', path: entry.absent }
    if (entry.contains !== undefined) return { kind: 'contains', ...entry.contains }
    if (entry.lacks !== undefined) return { kind: 'lacks', ...entry.lacks }
    if (entry.not_empty !== undefined) return { kind: 'not_empty', path: entry.not_empty }
    if (entry.parses !== undefined) return { kind: 'parses', path: entry.parses }
    if (typeof entry.dependency === 'string') return { kind: 'dependency', name: entry.dependency, manifest: undefined }
    if (entry.dependency !== undefined)
      return { kind: 'dependency', name: entry.dependency.name, manifest: entry.dependency.in }
    if (entry.size !== undefined) {
      const { file, min, max } = entry.size
      return { kind: 'size', file, min: bytes(min), max: bytes(max) }
    }
    if (entry.count !== undefined) {
      const { exactly, min = exactly, max = exactly, ...of } = entry.count
      return { kind: 'count', ...of, min, max }
    }
    throw new Error('a check without a kind passed the schema')
  })
}

const toCriteria = (value: StepEntry['criteria']): Criterion[] =>
  (value ?? []).map((entry) =>
    typeof entry === 'string' ? { text: entry, verify: [] } : { text: entry.text, verify: toChecks(entry.verify) },
  )
