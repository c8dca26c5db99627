// Parses plans for tests: text to a plan, or to findings.

import type { Finding } from '../../src/plan/model/finding.ts'
import { readPlan } from '../../src/plan/file/read-plan.ts'
import type { PlanOrigin, PlanSource } from '../../src/plan/file/read-plan.ts'
import type { Plan } from '../../src/plan/model/plan.ts'

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
export const textOf = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

/** Front matter between fences. */
export const fenced = (matter: string, prose = ''): string => `---\n${matter}\n---\n${prose}`

export function parsed(
  text: string,
  origin: PlanOrigin = { file: '.plans/sample.md' },
): { plan: Plan; source: PlanSource } {
  const result = readPlan(bytesOf(text), origin)
  if (!result.ok)
    throw new Error(
      result.findings
        .map((finding) => `${finding.line}:${finding.column} ${finding.rule} ${finding.message}`)
        .join('\n'),
    )
  return result
}

export function findingsOf(text: string | Uint8Array, origin: PlanOrigin = { file: '.plans/sample.md' }): Finding[] {
  const result = readPlan(typeof text === 'string' ? bytesOf(text) : text, origin)
  return result.ok ? [] : result.findings
}

export const rulesOf = (text: string | Uint8Array, origin?: PlanOrigin): string[] =>
  findingsOf(text, origin).map((finding) => finding.rule)
