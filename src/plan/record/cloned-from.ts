// The plan that a plan is a copy of: its id and its tip, in one trailer.

import { isId, isOid, type Oid, type PlanId } from '../model/ids.ts'

export interface ClonedFrom {
  readonly plan: PlanId
  readonly tip: Oid
}

export const clonedFromText = ({ plan, tip }: ClonedFrom): string => `${plan} ${tip}`

export function readClonedFrom(text: string | undefined): ClonedFrom | undefined {
  const [plan = '', tip = ''] = (text ?? '').split(' ')
  return isId(plan) && isOid(tip) ? { plan: plan as PlanId, tip: tip as Oid } : undefined
}
