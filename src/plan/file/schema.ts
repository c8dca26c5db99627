// Strict schema of the file: the top level, and one for each verb joined with the common keys.

import * as z from 'zod/mini'
import {
  branch,
  checks,
  command,
  id,
  listOf,
  made,
  meta,
  namesIn,
  optional,
  repoGlob,
  repoPath,
  required,
  stepShape,
  title,
  toolName,
  words,
  type Made,
} from '../model/schema-types.ts'
import { maxSteps, planStatuses, stepStatuses } from '../model/plan.ts'
import type { Verb } from '../model/verb.ts'
import { verbs } from '../verbs/index.ts'

const commands = z.union([command, z.array(command)])

/** `steps` is judged one by one, each by its verb's schema. */
export const planShape = {
  version: () => optional(z.literal(1), 'Version of the format'),
  plan: () => optional(id, 'The id; the branch is plan/<id>'),
  title: () => optional(title, 'One line'),
  base: () => optional(branch, 'The branch that the plan starts from and is merged into'),
  request: () => optional(words, 'The request that the plan was generated from'),
  meta: () => optional(meta, 'Anything; not read by git plan'),
  context: () => optional(z.array(repoPath), 'Files that agents and reviewers should read'),
  requires: () => optional(z.array(toolName), 'Tools that must be on PATH'),
  setup: () => optional(command, 'Prepares a work tree'),
  setup_inputs: () => optional(z.array(repoGlob), 'A change of these runs setup again'),
  preflight: () => optional(commands, 'Must pass before the first step'),
  test: () => optional(command, 'What `test: true` on a step runs'),
  on_failure: () => optional(z.enum(['stop', 'rollback-all']), 'Stop, or roll back to the approved commit'),
  steps: () => required(listOf(z.unknown(), { least: 1, most: maxSteps }), 'The steps, in order'),
  verify: () => optional(checks, 'Must pass before the plan is completed'),
  status: () => optional(z.enum(planStatuses), 'Written by git plan'),
  state: () => optional(z.record(z.string(), z.enum(stepStatuses)), 'Written by git plan'),
}

export type PlanEntry = z.infer<z.ZodMiniObject<Made<typeof planShape>>>
export type StepEntry = z.infer<z.ZodMiniObject<Made<typeof stepShape>>>

/**
 * By the names of their keys: a schema takes longer to make than to use, and most plans and steps have the same few.
 */
const known = new Map<string, z.ZodMiniType>()

function once<T extends z.ZodMiniType>(names: readonly string[], make: () => T): T {
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
export function stepSchema(verb: Verb, entry: object): z.ZodMiniType {
  const names = namesIn(stepShape, entry)
  return once([verb.name, ...names], () => z.strictObject({ ...made(stepShape, names), ...made(verb.shape) }))
}

export const planKeys: readonly string[] = Object.keys(planShape)
export const commonStepKeys: readonly string[] = Object.keys(stepShape)
export const stepKeys = (verb: Verb): readonly string[] => [...Object.keys(verb.shape), ...commonStepKeys]
export const verbNames: readonly string[] = Object.keys(verbs)
