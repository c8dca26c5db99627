// Commits on a plan's branch that are not the plan's, or that only say so.

import { unnamed } from '../approval/decisions.ts'
import { PlanError } from '../errors.ts'
import { differsOnlyAt } from '../git/differs-only-at.ts'
import type { Session } from '../run/session.ts'
import { historyOf } from './with-session.ts'

/** Commits that no approval names. */
export async function refuseForeign(session: Session): Promise<void> {
  const foreign = unnamed(await historyOf(session))
  if (foreign.length === 0) return
  throw new PlanError('not-approved', `plan/${session.id} has commits that are not the plan's: ${described(foreign)}`, {
    hint: `approve the plan with them: git plan approve ${session.id} --files; put it on a base that has them: git plan rebase ${session.id}; or drop them: git checkout plan/${session.id} && git reset --hard <the plan's last commit>`,
  })
}

const described = (commits: readonly { commit: string; subject: string }[]): string =>
  commits.map(({ commit, subject }) => `${commit.slice(0, 10)} ${subject}`).join('; ')

/** An event changes the plan file and nothing else. A commit that says it is one and changes more was made by somebody else. */
export async function refuseForged(session: Session): Promise<void> {
  const { repo, planPath } = session
  const { events } = await historyOf(session)
  for (const { event, commit, parent } of events) {
    if (['step', 'declared', 'fixed'].includes(event)) continue
    const [before, after] = await Promise.all([parent === undefined ? undefined : repo.resolve(parent, 'tree'), repo.resolve(commit, 'tree')])
    if (await differsOnlyAt(repo, before, after, planPath)) continue
    throw new PlanError(
      'not-approved',
      `${commit.slice(0, 10)} on plan/${session.id} says that it is an event of the plan (${event}), and changes other files than ${planPath}`,
      {
        hint: `look at it: git show ${commit.slice(0, 10)}; then drop it: git checkout plan/${session.id} && git reset --hard ${parent?.slice(0, 10) ?? '<the commit before it>'}`,
      },
    )
  }
}
