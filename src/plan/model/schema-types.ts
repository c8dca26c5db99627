// Building blocks of the schemas: strict, without coercion, with messages that say what to write.

import * as z from 'zod/mini'
import { packageProblem } from '../packages/package-names.ts'
import { isManifest, manifestNames } from '../packages/manifest-names.ts'
import { riskLevels } from './plan.ts'
import { branchProblem, globProblem, pathProblem } from '../text/repo-path.ts'
import {
  commandProblem,
  parseSize,
  regexProblem,
  titleProblem,
  toolProblem,
  variableProblem,
  wordsProblem,
} from '../file/text-problems.ts'
import { isId, parseDuration } from './ids.ts'
import { testFormats } from './test-counts.ts'
import { isParamValue, paramNameAdvice, paramNamePattern, type Params } from './params.ts'

/** Text in which `problem` finds nothing. */
export const textWithout = (problem: (text: string) => string | undefined) =>
  z.string().check(
    z.superRefine((text, context) => {
      const message = problem(text)
      if (message) context.addIssue({ code: 'custom', message })
    }),
  )

/** An integer between two bounds, both included. */
export const between = (least: number, most: number) => z.int().check(z.minimum(least), z.maximum(most))

export const listOf = <T extends z.ZodMiniType>(
  schema: T,
  { least, most }: { readonly least?: number; readonly most?: number },
) =>
  z
    .array(schema)
    .check(...(least === undefined ? [] : [z.minLength(least)]), ...(most === undefined ? [] : [z.maxLength(most)]))

/** A required key of a map, with a description for the JSON Schema. */
export const required = <T extends z.ZodMiniType>(schema: T, description: string): T =>
  withDescription(z.clone(schema), description)
export const optional = <T extends z.ZodMiniType>(schema: T, description: string) =>
  withDescription(z.optional(schema), description)

function withDescription<T extends z.ZodMiniType>(schema: T, description: string): T {
  z.globalRegistry.add<z.ZodMiniType>(schema, { description })
  return schema
}

export const id = textWithout((text) => (isId(text) ? undefined : 'not a valid id'))
export const title = textWithout(titleProblem)
export const words = textWithout(wordsProblem)
export const command = textWithout(commandProblem)
export const repoPath = textWithout(pathProblem)
export const repoGlob = textWithout(globProblem)
export const branch = textWithout(branchProblem)
export const duration = textWithout((text) => (parseDuration(text) === undefined ? 'not a duration' : undefined))
export const size = textWithout((text) => (parseSize(text) === undefined ? 'not a size' : undefined))
const pattern = textWithout((text) => regexProblem(text, 'mu'))
export const packageName = textWithout(packageProblem)
export const toolName = textWithout(toolProblem)
const variableName = textWithout(variableProblem)
const ruleName = textWithout((text) =>
  /^[a-z][a-z0-9-]{0,63}$/.test(text) ? undefined : 'not the name of a rule, such as shell-privilege',
)
export const meta = z.record(z.string(), z.unknown())
export const flag = z.boolean()

const inFile = z.strictObject({ file: repoPath, pattern })
// One object with optional keys instead of a union: a misspelt key then gets one message, not one per form.
const manifest = textWithout(
  (text) =>
    pathProblem(text) ?? (isManifest(text) ? undefined : `not a manifest, which is one of ${manifestNames.join(', ')}`),
)
const number = between(0, 1_000_000_000)
const hasOne = (entry: object, ...keys: readonly string[]): boolean => keys.some((key) => Object.hasOwn(entry, key))
const checkKeys = {
  run: command,
  exists: repoPath,
  absent: repoPath,
  not_empty: repoPath,
  contains: inFile,
  lacks: inFile,
  parses: repoPath,
  dependency: z.union([words, z.strictObject({ name: words, in: manifest })]),
  size: z
    .strictObject({ file: repoPath, min: z.optional(size), max: z.optional(size) })
    .check(z.refine((entry) => hasOne(entry, 'min', 'max'), 'a size has `min` or `max`, or both')),
  count: z
    .strictObject({
      files: z.optional(repoGlob),
      file: z.optional(repoPath),
      pattern: z.optional(pattern),
      exactly: z.optional(number),
      min: z.optional(number),
      max: z.optional(number),
    })
    .check(
      z.refine((entry) => hasOne(entry, 'exactly', 'min', 'max'), 'a count has `exactly`, or `min`, or `max`'),
      z.refine(
        (entry) =>
          hasOne(entry, 'files') !== hasOne(entry, 'file') && hasOne(entry, 'file') === hasOne(entry, 'pattern'),
        'a count is of `files` that match a glob, or of lines: `file` and `pattern`',
      ),
    ),
}
const checkObject = z
  .partial(z.strictObject(checkKeys))
  .check(
    z.superRefine((entry, context) => {
      if (Object.keys(entry).length !== 1)
        context.addIssue({ code: 'custom', message: `a check has exactly one of ${Object.keys(checkKeys).join(', ')}` })
    }),
  )
  .register(z.globalRegistry, { minProperties: 1, maxProperties: 1 })
const check = z.union([command, checkObject])
export const checks = z.union([command, checkObject, z.array(check)])
const criterion = z.union([words, z.strictObject({ text: words, verify: z.optional(checks) })])

/** One line, or empty. */
const scope = textWithout((text) => (text === '' ? undefined : titleProblem(text)?.replace('a title', 'a scope')))
const testKeys = { scope: z.optional(scope), format: z.optional(z.enum(testFormats)), report: z.optional(repoPath) }
const stepTest = z
  .strictObject({ run: z.optional(command), ...testKeys })
  .check(z.refine((entry) => Object.keys(entry).length > 0, 'a test has at least one of run, scope, format, report'))
/** The test of the plan. */
export const planTest = z.union([command, z.strictObject({ run: command, ...testKeys })])

const env = z.record(z.string(), z.string()).check(
  z.superRefine((entries, context) => {
    for (const name of Object.keys(entries)) {
      const message = variableProblem(name)
      if (message) context.addIssue({ code: 'custom', message, path: [name] })
    }
  }),
)

/** Only values: declarations of parameters are resolved before the plan is read. */
export const params = (z.record(z.string(), z.unknown()) as unknown as z.ZodMiniType<Params>).check(
  z.superRefine((entries, context) => {
    for (const [name, value] of Object.entries(entries)) {
      const message = !paramNamePattern.test(name)
        ? `not the name of a parameter: ${paramNameAdvice}`
        : isParamValue(value)
          ? undefined
          : 'the value of a parameter is a text, a number, true, false or a list of texts'
      if (message !== undefined) context.addIssue({ code: 'custom', message, path: [name] })
    }
  }),
)

/**
 * The keys of a map, each with a function that makes its schema: making one takes longer than using it, and most plans
 * use few keys.
 */
export type Shape = Readonly<Record<string, () => z.ZodMiniType>>
export type SchemasOf<S extends Record<string, (...words: never[]) => z.ZodMiniType>> = {
  [Name in keyof S]: ReturnType<S[Name]>
}

/** The keys of the shape that `value` has. */
export const namesIn = (shape: Shape, value: object): string[] =>
  Object.keys(shape).filter((name) => Object.hasOwn(value, name))

export const makeSchemas = <S extends Shape>(shape: S, names = Object.keys(shape)): SchemasOf<S> =>
  Object.fromEntries(names.map((name) => [name, shape[name]!()])) as SchemasOf<S>

/**
 * For `safeParse`: compiling a parser first is slower in a program that reads one plan and exits. Not set with
 * `z.config`, which would also affect the zod of the library's users.
 */
export const uncompiled = { jitless: true } as const

/** The keys that every step may have, whatever its verb. */
export const stepShape = {
  id: () => optional(id, 'Name of the step; part of ref names'),
  title: () => optional(title, 'One line; the subject of the step commit'),
  needs: () => optional(listOf(id, { most: 1000 }), 'Steps that must be done before; default: the step above'),
  files: () => optional(listOf(repoGlob, { least: 1 }), 'Globs; a change outside fails the step'),
  changes: () => optional(z.enum(['any', 'none', 'some']), 'Whether the step must, may or must not change the tree'),
  verify: () => optional(checks, 'What must hold after the step'),
  criteria: () => optional(z.array(criterion), 'When the step is well done; verified if it has a check'),
  test: () =>
    optional(
      z.union([z.literal(true), command, stepTest]),
      'true: the test of the plan; a command; or a map, whose tests are counted',
    ),
  timeout: () => optional(duration, 'A duration such as 90s, 10m, 1h30m'),
  retries: () => optional(between(0, 10), 'How often a failed step is tried again'),
  limits: () =>
    optional(
      z.partial(z.strictObject({ memory: size, cpu: duration, output: size })),
      'Ends the step when it is exceeded',
    ),
  env: () => optional(env, 'Environment variables of the step'),
  params: () => optional(params, 'Values of parameters for the commands of the step; written for included steps'),
  secrets: () =>
    optional(z.array(variableName), 'Names of environment variables whose values are masked in every output'),
  effect: () => optional(z.enum(['tree', 'external']), 'external: the step changes something outside the repository'),
  idempotent: () => optional(flag, 'An external effect that may be repeated'),
  probe: () => optional(command, 'Tells whether the external effect happened: 0 it did, 1 it did not'),
  undo: () => optional(command, 'Undoes the external effect'),
  goal: () => optional(words, 'What the step is for'),
  deliverables: () =>
    optional(listOf(repoGlob, { least: 1 }), 'Globs of files that the step has to leave: they exist and are not empty'),
  context: () => optional(z.array(repoPath), 'Files to read before the step'),
  notes: () => optional(words, 'Anything that readers should know'),
  owner: () => optional(words, 'Who is responsible for the step'),
  phase: () => optional(z.enum(['design', 'implementation']), 'Which phase of the work the step belongs to'),
  uses: () =>
    optional(listOf(id, { least: 1, most: 50 }), 'Things that only one step may use at a time, such as a port'),
  alone: () => optional(flag, 'Do not run other steps at the same time'),
  cache: () =>
    optional(
      z.union([
        flag,
        z.partial(
          z.strictObject({
            inputs: listOf(repoGlob, { least: 1 }),
            versions: listOf(toolName, { least: 1, most: 20 }),
          }),
        ),
      ]),
      'Use the result of an earlier success with the same inputs: all files, or those that match `inputs`',
    ),
  pause: () => optional(flag, 'Stop and ask after the step'),
  allow: () =>
    optional(
      listOf(ruleName, { least: 1, most: 50 }),
      'Rules whose findings are intended: shown to the reviewer, they do not stop the plan',
    ),
  allow_failure: () => optional(flag, 'Continue if the step fails'),
  meta: () => optional(meta, 'Anything; not read by git plan'),
  risk: () => optional(z.enum(riskLevels), 'May raise the computed risk, never lower it'),
}
