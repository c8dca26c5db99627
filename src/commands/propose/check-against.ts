// `git plan check --against PLAN`: predicts where two plans would change the same files.

import { claimsOf, overlapping, type Claim } from '../../judge/plan/claims.ts'
import type { Finding } from '../../plan/model/finding.ts'
import { planBranch, type StepId } from '../../plan/model/ids.ts'
import type { Plan, Step } from '../../plan/model/plan.ts'
import { isDone } from '../../plan/model/step-status.ts'
import { readHistory } from '../../store/history.ts'
import { changesBetween } from '../../store/changes.ts'
import { planFile, readPlanAt, tipOfPlan } from '../../store/plan-at.ts'
import { resolvePlanName } from '../../store/resolve-plan.ts'
import type { ReadContext } from '../with-repository.ts'

const branchName = 'the branch'

export async function findingsAgainst(reading: ReadContext, plan: Plan, name: string): Promise<Finding[]> {
  const { repo, settings } = reading
  const other = await resolvePlanName(repo, name)
  const { tip } = await tipOfPlan(repo, other)
  const otherPlan = await readPlanAt(repo, tip, { id: other, file: planFile(settings.dir, other) })
  const [here, there] = await Promise.all([claimsOfPlan(reading, plan), claimsOfPlan(reading, otherPlan)])
  const isHere = new Set<Step>(here.map(({ step }) => step))
  const found = new Map<string, Finding>()
  for (const [first, second] of overlapping([...here, ...there])) {
    if (isHere.has(first.step) === isHere.has(second.step)) continue
    const [own, others] = isHere.has(first.step) ? [first, second] : [second, first]
    const path = own.isGlob ? others.path : own.path
    if (found.has(path)) continue
    found.set(path, {
      rule: 'conflict',
      severity: 'warning',
      message: `${own.step.id} and ${others.step.id} of ${other} may both change ${path}`,
      ...(own.step.id === branchName ? {} : { step: own.step.id }),
      advice: `finish ${other} first, then: git plan rebase ${plan.id}`,
    })
  }
  return [...found.values()]
}

/** Paths that open steps declare, and paths that the branch has changed already, whatever its steps declare. */
async function claimsOfPlan({ repo, settings }: ReadContext, plan: Plan): Promise<Claim[]> {
  const open = plan.steps.filter((step) => !isDone(plan, step.id)).flatMap(claimsOf)
  const tip = await repo.tipOf(planBranch(plan.id))
  if (tip === undefined) return open
  const file = planFile(settings.dir, plan.id)
  const base = (await readHistory(repo, tip, { id: plan.id, file })).events.at(-1)?.parent
  if (base === undefined) return open
  const branch = { ...plan.steps[0], id: branchName as StepId } as Step
  const changes = await changesBetween(repo, base, tip, { except: file })
  return [...changes.map(({ path }) => ({ step: branch, path, isGlob: false, base: path })), ...open]
}
