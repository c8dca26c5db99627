// Bytes → Plan and the text that it was written in, for those who write the state of it: without the parser where the file is plain.

import type { Finding } from './finding.ts'
import { parseOnce } from './parse-once.ts'
import type { PlanOrigin, PlanOutline } from './parse.ts'
import { readPlainly } from './plain-plan.ts'
import type { Plan } from './plan.ts'

export type ReadText = { readonly ok: true; readonly plan: Plan; readonly source: PlanOutline } | { readonly ok: false; readonly findings: readonly Finding[] }

export function readOnce(bytes: Uint8Array, origin: PlanOrigin): ReadText {
  const plain = readPlainly(bytes, origin)
  return plain === undefined ? parseOnce(bytes, origin) : { ok: true, ...plain }
}
