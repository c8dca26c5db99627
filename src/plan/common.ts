// The words that schemas are made of: strict, without coercion, each with a message that says what to write.

import * as z from 'zod'
import { hasHidden } from './display.ts'
import { riskLevels } from './plan.ts'
import type { Check, Criterion } from './plan.ts'
import { branchProblem, globProblem, pathProblem } from './repo-path.ts'
import { isId, parseDuration } from './values.ts'

/** Text for which `problem` has nothing to say. */
const judged = (problem: (text: string) => string | undefined) =>
  z.string().superRefine((text, context) => {
    const message = problem(text)
    if (message) context.addIssue({ code: 'custom', message })
  })

export const idAdvice = 'an id has 1 to 63 of a-z, 0-9 and `-`, does not begin with `-` and is no device name'
export const durationAdvice = 'write a duration such as 90s, 10m or 1h30m'
export const sizeAdvice = 'write a size such as 512kb, 10mb or 2gb'

export const id = judged((text) => (isId(text) ? undefined : 'not a valid id'))
export const titleProblem = (text: string): string | undefined => {
  if (text.trim() === '') return 'a title cannot be empty'
  if (text.length > 200) return 'a title has at most 200 characters'
  return hasHidden(text) ? 'a title is one line without control, bidirectional or zero-width characters' : undefined
}
export const title = judged(titleProblem)
export const words = judged((text) => (text.trim() === '' ? 'there is no text' : undefined))
export const command = judged((text) => (text.trim() === '' ? 'a command cannot be empty' : undefined))
export const repoPath = judged(pathProblem)
export const repoGlob = judged(globProblem)
export const branch = judged(branchProblem)
export const duration = judged((text) => (parseDuration(text) === undefined ? 'not a duration' : undefined))
export const size = judged((text) => (parseSize(text) === undefined ? 'not a size' : undefined))
const pattern = judged((text) => regexProblem(text, 'mu'))
export const toolName = judged((text) => (/^[A-Za-z0-9._+@][A-Za-z0-9._+@-]*$/.test(text) ? undefined : 'not the name of a tool on PATH'))
const variableName = judged(variableProblem)
export const meta = z.record(z.string(), z.unknown())
export const flag = z.boolean()

function variableProblem(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'not a valid name of an environment variable'
  return /^(GIT_|PLAN_)/i.test(name) ? 'variables that begin with GIT_ or PLAN_ belong to git and to git plan' : undefined
}

export function regexProblem(text: string, flags: string): string | undefined {
  try {
    // oxlint-disable-next-line no-new -- compiling it is the question
    new RegExp(text, flags)
    return undefined
  } catch (error) {
    return `not a regular expression: ${error instanceof Error ? error.message : String(error)}`
  }
}

const sizeUnits = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 } as const

/** `512mb` → bytes; undefined for anything else, nothing included. */
export function parseSize(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,9})(b|kb|mb|gb)$/.exec(text.toLowerCase()) ?? []
  const bytes = Number(amount) * sizeUnits[unit as keyof typeof sizeUnits]
  return bytes > 0 ? bytes : undefined
}

const inFile = z.strictObject({ file: repoPath, pattern })
// One object with optional keys and not a union: a misspelt key then gets one message, not one for each form.
const checkKeys = { run: command, exists: repoPath, absent: repoPath, contains: inFile, lacks: inFile }
const checkObject = z
  .strictObject({
    run: command.optional(),
    exists: repoPath.optional(),
    absent: repoPath.optional(),
    contains: inFile.optional(),
    lacks: inFile.optional(),
  })
  .superRefine((entry, context) => {
    if (Object.keys(entry).length !== 1) context.addIssue({ code: 'custom', message: `a check has exactly one of ${Object.keys(checkKeys).join(', ')}` })
  })
  .meta({ minProperties: 1, maxProperties: 1 })
const check = z.union([command, checkObject])
export const checks = z.union([command, checkObject, z.array(check)])
const criterion = z.union([words, z.strictObject({ text: words, verify: checks.optional() })])

export function toChecks(value: z.infer<typeof checks> | undefined): Check[] {
  if (value === undefined) return []
  return (Array.isArray(value) ? value : [value]).map((entry): Check => {
    if (typeof entry === 'string') return { kind: 'run', command: entry }
    if (entry.run !== undefined) return { kind: 'run', command: entry.run }
    if (entry.exists !== undefined) return { kind: 'exists', path: entry.exists }
    if (entry.absent !== undefined) return { kind: 'absent', path: entry.absent }
    if (entry.contains !== undefined) return { kind: 'contains', ...entry.contains }
    if (entry.lacks !== undefined) return { kind: 'lacks', ...entry.lacks }
    throw new Error('a check without a kind passed the schema')
  })
}

export const toCriteria = (value: z.infer<Made<typeof stepShape>['criteria']>): Criterion[] =>
  (value ?? []).map((entry) => (typeof entry === 'string' ? { text: entry, verify: [] } : { text: entry.text, verify: toChecks(entry.verify) }))

const env = z.record(z.string(), z.string()).superRefine((entries, context) => {
  for (const name of Object.keys(entries)) {
    const message = variableProblem(name)
    if (message) context.addIssue({ code: 'custom', message, path: [name] })
  }
})

/** The keys of a map, each with a function that makes its schema: a schema takes longer to make than to use, and most plans use few keys. */
export type Shape = Readonly<Record<string, () => z.ZodType>>
export type Made<S extends Shape> = { [Name in keyof S]: ReturnType<S[Name]> }

/** Those keys that `value` has. */
export const namesIn = (shape: Shape, value: object): string[] => Object.keys(shape).filter((name) => Object.hasOwn(value, name))

export const made = <S extends Shape>(shape: S, names = Object.keys(shape)): Made<S> =>
  Object.fromEntries(names.map((name) => [name, shape[name]!()])) as Made<S>

/** For `safeParse`: a program that reads one plan and ends is slower with a parser that zod compiles first. Not `z.config`, which would be for the zod of the library's users, too. */
export const uncompiled = { jitless: true } as const

/** The keys that every step may have, whatever its verb. */
export const stepShape = {
  id: () => id.optional().describe('Name of the step, part of ref names'),
  title: () => title.optional().describe('One line; the subject of the step commit'),
  needs: () => z.array(id).max(1000).optional().describe('Steps that must be done before; default: the step above'),
  files: () => z.array(repoGlob).min(1).optional().describe('Globs; a change outside fails the step'),
  changes: () => z.enum(['any', 'none', 'some']).optional().describe('Whether the step must, may or must not change the tree'),
  verify: () => checks.optional().describe('What must hold after the step'),
  criteria: () => z.array(criterion).optional().describe('When the step counts as well done; with a check the executor verifies it'),
  test: () =>
    z
      .union([z.literal(true), command])
      .optional()
      .describe('true: the test command of the plan; or a command'),
  timeout: () => duration.optional().describe('A duration such as 90s, 10m, 1h30m'),
  retries: () => z.int().min(0).max(10).optional().describe('How often a failed step is tried again'),
  limits: () =>
    z.strictObject({ memory: size.optional(), cpu: duration.optional(), output: size.optional() }).optional().describe('Ends the step when it is exceeded'),
  env: () => env.optional().describe('Environment variables of the step'),
  secrets: () => z.array(variableName).optional().describe('Names of environment variables whose values are masked in every output'),
  effect: () => z.enum(['tree', 'external']).optional().describe('external: the step changes something outside the repository'),
  idempotent: () => flag.optional().describe('An external effect that may be repeated'),
  probe: () => command.optional().describe('Tells whether the external effect happened: 0 it did, 1 it did not'),
  undo: () => command.optional().describe('Takes the external effect back'),
  owner: () => words.optional().describe('Who answers for the step'),
  phase: () => z.enum(['design', 'implementation']).optional().describe('Which phase of the work the step belongs to'),
  pause: () => flag.optional().describe('Stop and ask after the step'),
  allow_failure: () => flag.optional().describe('Go on when the step fails'),
  meta: () => meta.optional().describe('Anything; not read by git plan'),
  risk: () => z.enum(riskLevels).optional().describe('May raise the computed risk, never lower it'),
}
