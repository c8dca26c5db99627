// Strict schema of the file: the top level, and one for each verb joined with the common keys.

import * as z from 'zod'
import { branch, checks, command, id, made, meta, namesIn, repoGlob, repoPath, stepShape, title, toolName, words, type Made } from './common.ts'
import { maxSteps, planStatuses, stepStatuses } from './plan.ts'
import type { Verb } from './verb.ts'
import { verbs } from './verbs/index.ts'

const commands = z.union([command, z.array(command)])

/** `steps` is judged one by one, each by its verb's schema. */
export const planShape = {
  version: () => z.literal(1).optional().describe('Version of the format'),
  plan: () => id.optional().describe('The id; the branch is plan/<id>'),
  title: () => title.optional().describe('One line'),
  base: () => branch.optional().describe('The branch that the plan starts from and is merged into'),
  request: () => words.optional().describe('What was asked for, where the plan was generated'),
  meta: () => meta.optional().describe('Anything; not read by git plan'),
  context: () => z.array(repoPath).optional().describe('Files that agents and reviewers should read'),
  requires: () => z.array(toolName).optional().describe('Tools that must be on PATH'),
  setup: () => command.optional().describe('Prepares a work tree'),
  setup_inputs: () => z.array(repoGlob).optional().describe('A change of these runs setup again'),
  preflight: () => commands.optional().describe('Must pass before the first step'),
  test: () => command.optional().describe('What `test: true` on a step runs'),
  on_failure: () => z.enum(['stop', 'rollback-all']).optional().describe('stop, or go back to the approved commit'),
  steps: () => z.array(z.unknown()).min(1).max(maxSteps).describe('What is done, in order'),
  verify: () => checks.optional().describe('Must pass before the plan is completed'),
  status: () => z.enum(planStatuses).optional().describe('Written by git plan'),
  state: () => z.record(z.string(), z.enum(stepStatuses)).optional().describe('Written by git plan'),
}

export type PlanEntry = z.infer<z.ZodObject<Made<typeof planShape>>>
export type StepEntry = z.infer<z.ZodObject<Made<typeof stepShape>>>

/** By the names of their keys: a schema takes longer to make than to use, and most plans and steps have the same few. */
const known = new Map<string, z.ZodType>()

function once<T extends z.ZodType>(names: readonly string[], make: () => T): T {
  const key = names.join()
  const schema = (known.get(key) as T | undefined) ?? make()
  known.set(key, schema)
  return schema
}

/** The schema for the keys that a plan has, and for the one that it must have. */
export function planSchema(entry: object) {
  const names = namesIn(planShape, entry)
  return once(['', ...names], () => z.strictObject({ ...made(planShape, names), steps: planShape.steps() }))
}

/** For a step whose verb is not known. */
export const commonStepSchema = (entry: object) => z.looseObject(made(stepShape, namesIn(stepShape, entry)))

/** For the keys that a step has, and all those of its verb. */
export function stepSchema(verb: Verb, entry: object): z.ZodType {
  const names = namesIn(stepShape, entry)
  return once([verb.name, ...names], () => z.strictObject({ ...made(stepShape, names), ...made(verb.shape) }))
}

export const planKeys: readonly string[] = Object.keys(planShape)
export const commonStepKeys: readonly string[] = Object.keys(stepShape)
export const stepKeys = (verb: Verb): readonly string[] => [...Object.keys(verb.shape), ...commonStepKeys]
export const verbNames: readonly string[] = Object.keys(verbs)
