// Strict schemas of the file: one for the top level, and one per verb joined with the common keys.

import * as z from 'zod/mini'
import {
  branch,
  checks,
  command,
  id,
  listOf,
  makeSchemas,
  meta,
  namesIn,
  optional,
  planTest,
  params,
  repoGlob,
  repoPath,
  required,
  stepShape,
  textWithout,
  title,
  toolName,
  words,
  type SchemasOf,
} from '../model/schema-types.ts'
import { toolNameProblem } from '../agents/names.ts'
import { maxSteps, planStatuses, stepStatuses } from '../model/plan.ts'
import type { Verb } from '../model/verb.ts'
import { verbs } from '../verbs/index.ts'

const commands = z.union([command, z.array(command)])

const sourceEntry = z.strictObject({
  step: z.optional(words),
  file: z.optional(words),
  template: z.optional(words),
  from: z.optional(words),
  plan: z.optional(words),
  at: z.optional(words),
  digest: words,
})

/** `steps` is validated separately, each step by its verb's schema. */
export const planShape = {
  version: () => optional(z.literal(1), 'Version of the format'),
  plan: () => optional(id, 'The id; the branch is plan/<id>'),
  title: () => optional(title, 'One line'),
  base: () => optional(branch, 'The branch that the plan starts from and is merged into'),
  request: () => optional(words, 'The request that the plan was generated from'),
  goal: () => optional(words, 'What the plan is for'),
  owner: () => optional(words, 'Who is responsible for the plan'),
  deliverables: () =>
    optional(listOf(repoGlob, { least: 1 }), 'Globs of files that the plan has to leave: they exist and are not empty'),
  notes: () => optional(words, 'Anything that readers should know'),
  meta: () => optional(meta, 'Anything; not read by git plan'),
  context: () => optional(z.array(repoPath), 'Files that agents and reviewers should read'),
  params: () => optional(params, 'Parameters: values, or in a template their declarations'),
  sources: () => optional(z.array(sourceEntry), 'Written by git plan: what the plan was made from'),
  requires: () => optional(z.array(toolName), 'Tools that must be on PATH'),
  tools: () => optional(listOf(textWithout(toolNameProblem), { most: 100 }), 'The only tools that its agents may use'),
  setup: () => optional(command, 'Prepares a work tree'),
  setup_inputs: () => optional(z.array(repoGlob), 'A change of these runs setup again'),
  preflight: () => optional(commands, 'Must pass before the first step'),
  test: () => optional(planTest, 'What `test: true` on a step runs; a map: its tests are counted'),
  on_failure: () => optional(z.enum(['stop', 'rollback-all']), 'Stop, or roll back to the approved commit'),
  steps: () => required(listOf(z.unknown(), { least: 1, most: maxSteps }), 'The steps, in order'),
  verify: () => optional(checks, 'Must pass before the plan is completed'),
  status: () => optional(z.enum(planStatuses), 'Written by git plan'),
  state: () => optional(z.record(z.string(), z.enum(stepStatuses)), 'Written by git plan'),
}

export type PlanEntry = z.infer<z.ZodMiniObject<SchemasOf<typeof planShape>>>
export type StepEntry = z.infer<z.ZodMiniObject<SchemasOf<typeof stepShape>>>

/**
 * Schemas by the names of their keys: making one takes longer than using it, and most plans and steps have the same
 * keys.
 */
const schemaCache = new Map<string, z.ZodMiniType>()

function cachedSchema<T extends z.ZodMiniType>(names: readonly string[], make: () => T): T {
  const key = names.join()
  const schema = (schemaCache.get(key) as T | undefined) ?? make()
  schemaCache.set(key, schema)
  return schema
}

/** Schema for the keys that a plan has, and for `steps`, which it must have. */
export function planSchema(entry: object) {
  const names = namesIn(planShape, entry)
  return cachedSchema(['', ...names], () =>
    z.strictObject({ ...makeSchemas(planShape, names), steps: planShape.steps() }),
  )
}

/** Schema for a step whose verb is unknown. */
export const commonStepSchema = (entry: object) => z.looseObject(makeSchemas(stepShape, namesIn(stepShape, entry)))

/** Schema for the common keys that a step has, and for all keys of its verb. */
export function stepSchema(verb: Verb, entry: object): z.ZodMiniType {
  const names = namesIn(stepShape, entry)
  return cachedSchema([verb.name, ...names], () =>
    z.strictObject({ ...makeSchemas(stepShape, names), ...makeSchemas(verb.shape) }),
  )
}

export const planKeys: readonly string[] = Object.keys(planShape)
export const commonStepKeys: readonly string[] = Object.keys(stepShape)
export const stepKeys = (verb: Verb): readonly string[] => [...Object.keys(verb.shape), ...commonStepKeys]
export const verbNames: readonly string[] = Object.keys(verbs)
