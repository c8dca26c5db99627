// The words that schemas are made of: strict, without coercion, each with a message that says what to write.

import * as z from 'zod'
import { packageProblem } from './packages/package-names.ts'
import { riskLevels } from './plan.ts'
import { branchProblem, globProblem, pathProblem } from './repo-path.ts'
import { commandProblem, parseSize, regexProblem, titleProblem, toolProblem, variableProblem, wordsProblem } from './text-problems.ts'
import { isId, parseDuration } from './values.ts'

/** Text for which `problem` has nothing to say. */
const judged = (problem: (text: string) => string | undefined) =>
  z.string().superRefine((text, context) => {
    const message = problem(text)
    if (message) context.addIssue({ code: 'custom', message })
  })

export const id = judged((text) => (isId(text) ? undefined : 'not a valid id'))
export const title = judged(titleProblem)
export const words = judged(wordsProblem)
export const command = judged(commandProblem)
export const repoPath = judged(pathProblem)
export const repoGlob = judged(globProblem)
export const branch = judged(branchProblem)
export const duration = judged((text) => (parseDuration(text) === undefined ? 'not a duration' : undefined))
export const size = judged((text) => (parseSize(text) === undefined ? 'not a size' : undefined))
const pattern = judged((text) => regexProblem(text, 'mu'))
export const packageName = judged(packageProblem)
export const toolName = judged(toolProblem)
const variableName = judged(variableProblem)
const ruleName = judged((text) => (/^[a-z][a-z0-9-]{0,63}$/.test(text) ? undefined : 'not the name of a rule, such as shell-privilege'))
export const meta = z.record(z.string(), z.unknown())
export const flag = z.boolean()

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

const env = z.record(z.string(), z.string()).superRefine((entries, context) => {
  for (const name of Object.keys(entries)) {
    const message = variableProblem(name)
    if (message) context.addIssue({ code: 'custom', message, path: [name] })
  }
})

/** The keys of a map, each with a function that makes its schema: a schema takes longer to make than to use, and most plans use few keys. */
export type Shape = Readonly<Record<string, () => z.ZodType>>
export type Made<S extends Record<string, (...words: never[]) => z.ZodType>> = { [Name in keyof S]: ReturnType<S[Name]> }

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
  allow: () => z.array(ruleName).min(1).max(50).optional().describe('Names of findings that are meant: they are shown to the reviewer and stop nothing'),
  allow_failure: () => flag.optional().describe('Go on when the step fails'),
  meta: () => meta.optional().describe('Anything; not read by git plan'),
  risk: () => z.enum(riskLevels).optional().describe('May raise the computed risk, never lower it'),
}
