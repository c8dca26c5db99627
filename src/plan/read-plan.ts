// Bytes → Plan, for those who want nothing else of it. The parser is loaded for a file that needs it.

import type { Finding } from './finding.ts'
import type { PlanOrigin } from './parse.ts'
import { plainPlan } from './plain-plan.ts'
import type { Plan } from './plan.ts'

export type ReadPlan = { readonly ok: true; readonly plan: Plan } | { readonly ok: false; readonly findings: readonly Finding[] }

export async function readPlan(bytes: Uint8Array, origin: PlanOrigin): Promise<ReadPlan> {
  const plan = plainPlan(bytes, origin)
  return plan === undefined ? (await import('./parse-once.ts')).parseOnce(bytes, origin) : { ok: true, plan }
}
