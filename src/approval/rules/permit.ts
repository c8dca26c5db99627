// Proof that the gate granted permission. All code that runs a command of a plan or merges its result requires one;
// only the gate creates them.

import type { Plan } from '../../plan/model/plan.ts'

export class Permit {
  readonly #plan: string
  readonly #digest: string

  constructor({ id, digest }: Pick<Plan, 'id' | 'digest'>) {
    this.#plan = id
    this.#digest = digest
  }

  /** A permit for one revision does not cover the next. */
  covers({ id, digest }: Pick<Plan, 'id' | 'digest'>): boolean {
    return this.#plan === id && this.#digest === digest
  }
}

/** A caller without a permit is a bug: nothing is run. */
export function requirePermit(permit: Permit | undefined, plan: Pick<Plan, 'id' | 'digest'>): void {
  if (permit?.covers(plan) !== true) throw new Error(`plan ${plan.id} has no permit`)
}
