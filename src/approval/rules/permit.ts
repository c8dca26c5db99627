// Proof that the gate said yes. Whatever runs a command of a plan, or takes its result over, asks for one; only the
// gate makes them.

import type { Plan } from '../../plan/model/plan.ts'

export class Permit {
  readonly #plan: string
  readonly #digest: string

  constructor({ id, digest }: Pick<Plan, 'id' | 'digest'>) {
    this.#plan = id
    this.#digest = digest
  }

  /** Whether it is for this text: a permit for one revision does not cover the next. */
  covers({ id, digest }: Pick<Plan, 'id' | 'digest'>): boolean {
    return this.#plan === id && this.#digest === digest
  }
}

/** A caller that comes here without a permit is a bug, and runs nothing. */
export function requirePermit(permit: Permit | undefined, plan: Pick<Plan, 'id' | 'digest'>): void {
  if (permit?.covers(plan) !== true) throw new Error(`plan ${plan.id} has no permit`)
}
