// Validates answers of a forge: strict about the fields that are read, indifferent to all others. An answer that does
// not match is an error, never a missing value.

import * as z from 'zod/mini'
import { clean, wrongAnswer, type Question } from './failures.ts'

export function parseJson(question: Question, text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw wrongAnswer(
      question,
      text.trim() === '' ? 'nothing' : `not JSON: "${clean(text, question.token).slice(0, 60)}"`,
    )
  }
}

export function validate<T>(question: Question, value: unknown, schema: z.ZodMiniType<T>): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const begins = typeof value === 'string' ? ` in "${clean(value, question.token).slice(0, 60)}"` : ''
  throw wrongAnswer(
    question,
    `${issue?.path.join('.') || 'the answer'}: ${issue === undefined ? 'not as expected' : problemOf(issue)}${begins}`,
  )
}

const problemOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_type'
    ? `expected ${issue.expected}`
    : issue.code === 'invalid_value'
      ? `expected ${issue.values.join(' or ')}`
      : issue.message

/** Schemas that the three forges share. */
export const commitId = z.string().check(z.regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'not a commit'))
/** Normalized to ISO in UTC, so that times can be compared as strings. */
export const time = z.pipe(
  z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)), 'not a time')),
  z.transform((text) => new Date(text).toISOString()),
)
export const login = z.string().check(z.regex(/^[^\p{C}\s]{1,255}$/u, 'not a user name'))
export const webUrl = z.string().check(z.regex(/^https?:\/\/[^\s\p{C}]+$/u, 'not a URL'))
/** Ids beyond the safe integer range are read as bigint. */
export const id = z.pipe(z.union([z.int(), z.bigint()]), z.transform(String))
export const text = z.pipe(
  z.nullish(z.string()),
  z.transform((value) => value ?? ''),
)
