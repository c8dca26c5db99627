// Reads a source as `git plan import` does, and the plan that it becomes.

import { expect } from 'vitest'
import { readPlan } from '../../../../src/plan/file/read-plan.ts'
import type { Plan } from '../../../../src/plan/model/plan.ts'
import type { ImportFormat } from '../../../../src/plan/sources/import/format.ts'
import { formatsOf, importFormats } from '../../../../src/plan/sources/import/index.ts'
import { planText, type PlanText } from '../../../../src/plan/sources/import/plan-text.ts'

export interface Imported extends PlanText {
  readonly plan: Plan
  /** `id state` of each step. */
  readonly states: readonly string[]
  readonly messages: readonly string[]
}

/** Files by path; the first is the given one. */
export function imported(
  files: Readonly<Record<string, string>>,
  { location = `/repo/${Object.keys(files)[0]}`, as }: { location?: string; as?: string } = {},
): Imported {
  const input = { location, files: Object.entries(files).map(([path, text]) => ({ path, text })) }
  const formats: readonly ImportFormat[] =
    as === undefined ? formatsOf(input) : importFormats.filter(({ name }) => name === as)
  expect(formats.map(({ name }) => name)).toHaveLength(1)
  const made = planText(formats[0]!.read(input), formats[0]!, Object.keys(files)[0]!)
  const read = readPlan(Buffer.from(made.text), { file: 'plan.md' })
  expect(read.ok ? [] : read.findings).toEqual([])
  if (!read.ok) throw new Error('not a plan')
  return {
    ...made,
    plan: read.plan,
    states: made.steps.map(({ id, state }) => `${id} ${state}`),
    messages: made.notes.map(({ kind, line, message }) => `${line ?? '-'} ${kind}: ${message}`),
  }
}

export const namesOf = (
  files: Readonly<Record<string, string>>,
  location = `/repo/${Object.keys(files)[0]}`,
): string[] =>
  formatsOf({ location, files: Object.entries(files).map(([path, text]) => ({ path, text })) }).map(({ name }) => name)

export const needsOf = ({ plan }: Imported): Record<string, readonly string[]> =>
  Object.fromEntries(plan.steps.map(({ id, needs }) => [id, needs]))
