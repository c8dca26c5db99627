// Commits that a person made on top of the newest event.

import { isOutOfBounds } from '../../judge/plan/scope.ts'
import { nextStep } from '../../plan/graph/graph.ts'
import { PlanError } from '../../errors.ts'
import { changesBetween } from '../../store/changes.ts'
import type { ForeignCommit } from '../../store/history.ts'
import type { Run } from '../../engine/run/run.ts'
import { historyOf } from '../../operation/with-run.ts'

/** A person's commits can be adopted, but not if they change the plan file or the policy. */
export async function refusePlanFileCommits(run: Run): Promise<void> {
  const { events } = await historyOf(run)
  const last = events[0]
  if (last === undefined || last.commit === run.at.tip) return
  // Neither a step nor a fix may change any part of the plan file, its state included, or the files that say who may do
  // what.
  const { dir } = run.settings
  const changed = await changesBetween(run.repo, last.commit, run.at.tip)
  const outside = changed.find(({ path }) => isOutOfBounds(path, { planFile: run.planPath, dir }))
  if (outside === undefined) return
  if (outside.path !== run.planPath)
    throw new PlanError(
      'spec-changed',
      `a commit on plan/${run.id} that git plan did not make changed ${outside.path}, which no plan may change`,
      {
        hint: `git reset --hard ${last.commit.slice(0, 12)}`,
      },
    )
  throw new PlanError('spec-changed', `a commit on plan/${run.id} that git plan did not make changed the plan file`, {
    hint: `git show plan/${run.id}:${run.planPath} >new.md && git reset --hard ${last.commit.slice(0, 12)} && git plan replan ${run.id} --from new.md`,
  })
}

export function refuseCommitsSinceLastEvent(run: Run, newest: readonly ForeignCommit[]): void {
  if (newest.length === 0) return
  const next = nextStep(run.at.plan)?.id
  const isMerge = newest.some((each) => each.isMerge)
  const list = newest.map(({ commit, subject }) => `${commit.slice(0, 10)} ${subject}`).join('; ')
  const why = isMerge ? '; a merge cannot be adopted' : ''
  throw new PlanError('branch-moved', `plan/${run.id} has commits that git plan did not make: ${list}${why}`, {
    hint: {
      ...(isMerge
        ? { 'bring the plan up to date instead': `git plan rebase ${run.id}` }
        : { 'adopt them as a fix': `git plan resume ${run.id} --fix` }),
      ...(next === undefined || isMerge
        ? {}
        : { [`adopt them as the result of ${next}`]: `git plan resume ${run.id} --done ${next}` }),
      'drop them': `git reset --hard ${newest.at(-1)?.commit.slice(0, 12)}^`,
    },
  })
}

export async function commitsSinceLastEvent(run: Run): Promise<ForeignCommit[]> {
  const { events, foreign } = await historyOf(run)
  const newest = events[0]?.commit
  const above: (typeof foreign)[number][] = []
  for await (const commit of run.repo.history(run.at.tip)) {
    if (commit.oid === newest) break
    const found = foreign.find((each) => each.commit === commit.oid)
    if (found === undefined) break
    above.push(found)
  }
  return above
}
