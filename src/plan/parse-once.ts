// `parsePlan`, which remembers its last answers. A checkpoint writes the plan file, reads it again before it is used, and once more from the commit: the
// same bytes each time, and a plan of a thousand steps takes a while to read.

import { parsePlan, type ParseResult, type PlanOrigin } from './parse.ts'

type Parsed = Extract<ParseResult, { ok: true }>

/** Enough for the plan before an event and after it, as `start` and as the report name its file. */
const kept = 4
const recent: { readonly bytes: Uint8Array; readonly origin: PlanOrigin; readonly parsed: Parsed }[] = []

/** Same bytes and same origin, same answer: a plan is a value, and nobody changes it. What is refused is judged anew each time. */
export function parseOnce(bytes: Uint8Array, origin: PlanOrigin): ParseResult {
  const known = recent.find((each) => isSameOrigin(each.origin, origin) && Buffer.compare(each.bytes, bytes) === 0)
  if (known !== undefined) return known.parsed
  const parsed = parsePlan(bytes, origin)
  if (!parsed.ok) return parsed
  recent.unshift({ bytes: Uint8Array.from(bytes), origin: { ...origin }, parsed })
  recent.length = Math.min(recent.length, kept)
  return parsed
}

const isSameOrigin = (a: PlanOrigin, b: PlanOrigin): boolean => a.file === b.file && a.id === b.id && a.base === b.base
