// The paths that steps may change, and where those of two steps overlap.

import type { Step } from '../../plan/model/plan.ts'
import { globBase, globMatcher, isGlob } from '../../plan/text/glob.ts'
import { verbOf } from '../../plan/verbs/index.ts'

export interface Claim {
  readonly step: Step
  readonly path: string
  readonly isGlob: boolean
  /** All claimed paths are at or below this directory. */
  readonly base: string
}

/** Paths that a step writes; if its verb names none, the globs of its `files`. */
export function claimsOf(step: Step): Claim[] {
  const { writes, deletes } = verbOf(step).paths(step.spec)
  const own = [...writes, ...deletes].map((path) => ({ step, path, isGlob: false, base: path }))
  if (own.length > 0) return own
  return (step.files ?? []).map((path) => ({ step, path, isGlob: isGlob(path), base: globBase(path) }))
}

export function* overlapping(claims: readonly Claim[]): Generator<[Claim, Claim]> {
  const order = new Map(claims.map((claim, index) => [claim, index]))
  const inPlanOrder = (a: Claim, b: Claim): [Claim, Claim] => (order.get(a)! < order.get(b)! ? [a, b] : [b, a])
  // Literal paths are compared through a map, with themselves and their parents; only globs are compared with every
  // claim.
  const named = new Map<string, Claim>()
  for (const claim of claims) {
    if (claim.isGlob) continue
    const other = named.get(claim.path)
    if (!other) named.set(claim.path, claim)
    else if (other.step !== claim.step) yield [other, claim]
  }
  for (const claim of named.values()) {
    for (let cut = claim.path.lastIndexOf('/'); cut > 0; cut = claim.path.lastIndexOf('/', cut - 1)) {
      const above = named.get(claim.path.slice(0, cut))
      if (above && above.step !== claim.step) yield inPlanOrder(above, claim)
    }
  }
  // A warning is not worth more than a second.
  const budget = { steps: 20e6 }
  for (const claim of claims) {
    if (!claim.isGlob) continue
    const matches = globMatcher([claim.path], budget)
    for (const other of claims) {
      budget.steps -= 1
      if (budget.steps < 0) return
      if (other.step === claim.step) continue
      const meets = other.isGlob ? nested(claim.base, other.base) : matches(other.path)
      if (meets) yield inPlanOrder(claim, other)
    }
  }
}

const nested = (a: string, b: string): boolean =>
  a === '' || b === '' || a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
