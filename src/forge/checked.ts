// What a forge sent, held against what is read of it: strict about that, and silent about all else. What does not fit is an error, never "not there".

import * as z from 'zod'
import { clean, wrongAnswer, type Question } from './failures.ts'

export function parsed(question: Question, text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw wrongAnswer(question, text.trim() === '' ? 'nothing' : `no JSON, but "${clean(text, question.token).slice(0, 60)}"`)
  }
}

export function checked<T>(question: Question, value: unknown, schema: z.ZodType<T>): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const begins = typeof value === 'string' ? ` in "${clean(value, question.token).slice(0, 60)}"` : ''
  throw wrongAnswer(question, `${issue?.path.join('.') || 'the answer'}: ${issue?.message ?? 'not as expected'}${begins}`)
}

/** Parts that the three forges have in common. */
export const commitId = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'no commit')
/** As an ISO time in UTC, so that they can be compared as texts. */
export const time = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), 'no time')
  .transform((text) => new Date(text).toISOString())
export const login = z.string().regex(/^[^\p{C}\s]{1,255}$/u, 'no name of a user')
export const webUrl = z.string().regex(/^https?:\/\/[^\s\p{C}]+$/u, 'no address')
/** Ids beyond what a number can hold are read as such. */
export const id = z.union([z.number().int(), z.bigint()]).transform(String)
export const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
