// Commits on a plan's branch that are not the plan's, or that only say so.

import { unnamed } from '../approval/decisions.ts'
import { isStepEvent } from './roll-back-all.ts'
import { PlanError } from '../errors.ts'
import { differsOnlyAt } from '../git/differs-only-at.ts'
import { readOnce } from '../plan/read-once.ts'
import { withState } from '../plan/write.ts'
import { recordEvent } from '../run/record.ts'
import type { Session } from '../run/session.ts'
import type { Oid } from '../plan/values.ts'
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

/** Before the first step, a text that somebody committed on the branch (a reviewer, a suggestion on the forge) is a new revision: it is proposed, and approved anew. */
export async function adoptRevision(session: Session): Promise<void> {
  const { planPath } = session
  const history = await historyOf(session)
  const onTop = history.foreign.filter(({ depth }) => depth === 0)
  if (onTop.length === 0 || history.events.some(isStepEvent)) return
  for (const { commit } of onTop) if (!(await isOfPlanFile(session, commit))) return
  const { source, tip } = session.at
  const whole = withState(source, 'proposed', new Map())
  const parsed = readOnce(whole, { file: planPath, id: session.id })
  if (!parsed.ok || history.events[0]?.digest === parsed.plan.digest) return
  // What the commit says of status and state is nobody's to say.
  session.at = { tip, plan: parsed.plan, source: parsed.source }
  const by = onTop.map((each) => each.by).filter((each, index, all) => all.indexOf(each) === index)
  await recordEvent(session, {
    event: 'proposed',
    planBytes: whole,
    subject: `Plan: ${parsed.plan.title}`,
    facts: { adopts: tip, reason: `the text by ${by.join(', ')}` },
  })
  session.world.emit({
    kind: 'notice',
    message: `${described(onTop)}: a new revision of ${session.id}, which needs a new approval`,
    hint: `git plan diff ${session.id}; git plan show ${session.id}`,
  })
}

async function isOfPlanFile({ repo, planPath }: Session, commit: Oid): Promise<boolean> {
  const [before, after] = await Promise.all([repo.resolve(`${commit}^`, 'tree'), repo.resolve(commit, 'tree')])
  return differsOnlyAt(repo, before, after, planPath)
}

/** An event changes the plan file and nothing else. A commit that says it is one and changes more was made by somebody else. */
export async function refuseForged(session: Session): Promise<void> {
  const { repo, planPath } = session
  const { events, foreign } = await historyOf(session)
  for (const { commit, depth } of foreign)
    if (events[depth - 1]?.adopts !== undefined && !(await isOfPlanFile(session, commit)))
      throw new PlanError('not-approved', `${commit.slice(0, 10)} on plan/${session.id} was taken over as a text of the plan, and changes other files`, {
        hint: `look at it: git show ${commit.slice(0, 10)}`,
      })
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
