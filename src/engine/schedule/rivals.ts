// Finds the steps of the same wave that have changed a file which a failed step declares: they probably should not have
// run side by side.

import { rawPath, shown } from '../../git/read/raw-path.ts'
import { eventOf } from '../../plan/record/trailers.ts'
import type { Step } from '../../plan/model/plan.ts'
import type { StepId } from '../../plan/model/ids.ts'
import { globMatcher } from '../../plan/text/glob.ts'
import { verbOf } from '../../plan/verbs/index.ts'
import type { Run } from '../run/run.ts'

export async function rivalsOf(run: Run, step: Step): Promise<StepId[]> {
  const { writes, deletes } = verbOf(step).paths(step.spec)
  const declared = [...writes, ...deletes, ...(step.files ?? [])]
  if (declared.length === 0 || run.tree === undefined) return []
  const isDeclared = globMatcher(declared, { steps: 200e6 })
  const siblings = new Set<string>(
    run.at.plan.steps.filter(({ wave, id }) => wave === step.wave && id !== step.id).map(({ id }) => id),
  )
  const rivals: StepId[] = []
  const isFirst = (message: string): boolean => ['proposed', 'rebased'].includes(eventOf(message)?.event ?? '')
  for await (const { oid, parents, message } of run.repo.history(run.at.tip, (commit) => isFirst(commit.message))) {
    const event = eventOf(message)
    const [parent] = parents
    if (event?.step === undefined || parent === undefined || !siblings.has(event.step)) continue
    if (event.event !== 'step' && event.event !== 'declared') continue
    const changes = await run.tree.changesBetween(parent, oid)
    if (changes.some(({ path }) => path !== rawPath(run.planPath) && isDeclared(shown(path)))) rivals.push(event.step)
  }
  return rivals.toReversed()
}
