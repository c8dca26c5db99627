// Formats the progress towards the required approvals in one line.

import type { Risk } from '../../plan/model/plan.ts'
import type { Identity } from './identity.ts'
import type { Verdict } from './judge-decisions.ts'

/** "1 of 2 approvals", and what is missing. */
export function progressText(verdict: Verdict, risk: Risk): string {
  const notCounted = verdict.notCounted.map(({ decision, why }) => {
    const by = decision.source === 'policy' ? 'the policy' : describePerson(decision.by)
    return why.includes(by) ? why : `${by}: ${why}`
  })
  return [
    `${verdict.counted.length} of ${verdict.required} approvals (risk ${risk})`,
    ...(verdict.missing.length === 0 ? [] : [`it needs ${verdict.missing.join(' and ')}`]),
    ...(notCounted.length === 0 ? [] : [`not counted: ${notCounted.join('; ')}`]),
  ].join('; ')
}

const describePerson = ({ name, email, login }: Identity): string =>
  login === undefined ? (name ?? email ?? '') : `@${login}`
