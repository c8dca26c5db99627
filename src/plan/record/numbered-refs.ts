// Numbered refs of a plan: attempts/<step>/<n>, effects/<step>/<n>, rollbacks/<n>, archive/<n>. Anybody who can push can create
// other refs beside them; those are ignored.

import { PlanError } from '../../errors.ts'
import { isId, type PlanId } from '../model/ids.ts'

export interface NumberedRef<R> {
  readonly ref: R
  readonly kind: 'attempts' | 'effects' | 'rollbacks' | 'archive'
  /** Empty for a rollback, and in the archive. */
  readonly step: string
  readonly number: number
}

/** The highest number that is read, written or fetched: no number could follow it. */
export const highestNumber = 999_999
const shape = /^refs\/plan\/([^/]+)\/(?:(attempts|effects)\/([^/]+)|(rollbacks|archive))\/([1-9]\d{0,5})$/

/** The numbered refs of this plan. */
export function numberedRefs<R extends { readonly name: string }>(id: PlanId, refs: readonly R[]): NumberedRef<R>[] {
  return refs.flatMap((ref) => {
    const [, plan, ofStep, step = '', ofPlan, number] = shape.exec(ref.name) ?? []
    const kind = (ofStep ?? ofPlan) as NumberedRef<R>['kind'] | undefined
    return kind === undefined || plan !== id || (ofStep !== undefined && !isId(step))
      ? []
      : [{ ref, kind, step, number: Number(number) }]
  })
}

/** The next number; `highest` is 0 if there is none. A number with one more digit would be a ref that nothing reads. */
export function nextNumber(highest: number, refOf: (number: number) => string): number {
  if (highest < highestNumber) return highest + 1
  throw new PlanError('wrong-state', `${refOf(highest)} has the highest number that there is`, {
    hint: `git update-ref -d ${refOf(highest)}`,
  })
}
