// Steps of one wave can run in parallel, so the files that they write must not overlap. A gate holds back only steps
// that need it.

import type { Finding } from '../../../plan/model/finding.ts'
import { globBase, globMatcher, isGlob } from '../../../plan/text/glob.ts'
import { dependants, waves } from '../../../plan/graph/graph.ts'
import type { Plan, Step } from '../../../plan/model/plan.ts'
import { verbOf } from '../../../plan/verbs/index.ts'
import type { PlanFacts } from '../check-plan.ts'
import { stepPosition } from '../source-position.ts'

export const graph = (plan: Plan, facts: PlanFacts): Finding[] => [...overlaps(plan, facts), ...looseGates(plan, facts)]

interface Claim {
  readonly step: Step
  readonly path: string
  readonly isGlob: boolean
  /** All claimed paths are at or below this directory. */
  readonly base: string
}

function overlaps(plan: Plan, facts: PlanFacts): Finding[] {
  const findings: Finding[] = []
  for (const wave of waves(plan)) {
    if (wave.length < 2) continue
    const warned = new Set<Step>()
    for (const [first, second] of overlapping(wave.flatMap(claimsOf))) {
      // One warning per step: one path is enough to find the rest.
      if (warned.has(second.step)) continue
      warned.add(second.step)
      findings.push({
        rule: 'overlap',
        severity: 'warning',
        message: `${first.step.id} and ${second.step.id} can run in parallel and may both change ${first.isGlob ? second.path : first.path}`,
        ...stepPosition(plan, facts, second.step),
        advice: `add \`needs: [${first.step.id}]\` to ${second.step.id}`,
      })
    }
  }
  return findings
}

/** Paths that a step writes; if its verb names none, the globs of its `files`. */
function claimsOf(step: Step): Claim[] {
  const { writes, deletes } = verbOf(step).paths(step.spec)
  const own = [...writes, ...deletes].map((path) => ({ step, path, isGlob: false, base: path }))
  if (own.length > 0) return own
  return (step.files ?? []).map((path) => ({ step, path, isGlob: isGlob(path), base: globBase(path) }))
}

function* overlapping(claims: readonly Claim[]): Generator<[Claim, Claim]> {
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

function looseGates(plan: Plan, facts: PlanFacts): Finding[] {
  return plan.steps.flatMap((step, index): Finding[] => {
    const isLoose = step.verb === 'gate' && index < plan.steps.length - 1 && dependants(plan, step.id).length === 0
    return isLoose
      ? [
          {
            rule: 'loose-gate',
            severity: 'warning',
            message: `no step needs the gate ${step.id}, so it holds nothing back`,
            ...stepPosition(plan, facts, step),
            advice: `add ${step.id} to the \`needs\` of the steps that should wait for it`,
          },
        ]
      : []
  })
}
