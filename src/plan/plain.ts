// Values as a plan has them, judged without a schema: each says yes only where the schema of the same name does, and no costs no more than asking it.
// What is text is asked of the same functions that the schemas are made of.

import { pathProblem } from './repo-path.ts'
import { commandProblem, wordsProblem } from './text-problems.ts'

export type Judge = (value: unknown) => boolean

export const isText = (value: unknown): value is string => typeof value === 'string'
export const isSomeText = (value: unknown): value is string => isText(value) && value !== ''
export const isFlag = (value: unknown): value is boolean => typeof value === 'boolean'
export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !Array.isArray(value)
export const isOptional = (value: unknown, judge: Judge): boolean => value === undefined || judge(value)
export const isWithout =
  (problem: (text: string) => string | undefined): Judge =>
  (value) =>
    isText(value) && problem(value) === undefined
export const isCommand = isWithout(commandProblem)
export const isWords = isWithout(wordsProblem)
export const isPath = isWithout(pathProblem)
/** Of a finding, such as `shell-privilege`. */
export const isRuleName = (value: unknown): value is string => isText(value) && /^[a-z][a-z0-9-]{0,63}$/.test(value)
export const isOneOf =
  (known: readonly string[]): Judge =>
  (value) =>
    isText(value) && known.includes(value)
export const isListOf = (value: unknown, judge: Judge, { min = 0, max = Number.POSITIVE_INFINITY } = {}): boolean =>
  Array.isArray(value) && value.length >= min && value.length <= max && value.every(judge)

export type Table = Readonly<Record<string, Judge>>

/** No key that is not in the table, and no value that its judge does not accept. */
export const keepsTable = (value: Readonly<Record<string, unknown>>, table: Table): boolean =>
  Object.keys(value).every((key) => Object.hasOwn(table, key) && table[key]!(value[key]))
