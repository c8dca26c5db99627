// The number of matches or files that a step expects: `3`, `1..5` or `{min: 1, max: 5}`. At least one in any case.

import * as z from 'zod/mini'

const count = () => z.int().check(z.minimum(1), z.maximum(1_000_000))

export const expectedSchema = () =>
  z.union([
    count(),
    z.string().check(z.regex(/^[1-9]\d{0,5}\.\.[1-9]\d{0,5}$/, 'a range is written 1..5')),
    z.partial(z.strictObject({ min: count(), max: count() })),
  ])
export type Expected = z.infer<ReturnType<typeof expectedSchema>>

interface Range {
  readonly min: number
  readonly max: number
}

function rangeOf(expected: Expected | undefined): Range {
  if (expected === undefined) return { min: 1, max: Number.POSITIVE_INFINITY }
  if (typeof expected === 'number') return { min: expected, max: expected }
  if (typeof expected === 'object') return { min: expected.min ?? 1, max: expected.max ?? Number.POSITIVE_INFINITY }
  const [min = 1, max = min] = expected.split('..').map(Number)
  return { min, max }
}

export const isEmptyRange = (expected: Expected | undefined): boolean => {
  const { min, max } = rangeOf(expected)
  return min > max
}

/** The expected number, if `found` is another; undefined if it is right. */
export function unexpected(expected: Expected | undefined, found: number): string | undefined {
  const { min, max } = rangeOf(expected)
  if (found >= min && found <= max) return undefined
  if (min === max) return String(min)
  return max === Number.POSITIVE_INFINITY ? `at least ${min}` : `${min} to ${max}`
}
