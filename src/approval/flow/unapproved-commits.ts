// Commits on a plan's branch that the executor did not make.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { unapprovedCommits } from '../rules/decisions.ts'
import { notFetchedError } from '../../store/changes.ts'
import { isStepEvent } from '../../store/history.ts'
import { PlanError } from '../../errors.ts'
import { differsOnlyAt } from '../../git/read/differs-only-at.ts'
import { withState } from '../../plan/file/write.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { recordEvent } from '../../engine/record/record-event.ts'
import type { Run } from '../../engine/run/run.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { remoteOf } from '../../store/remote-name.ts'
import { isBegun } from '../../plan/model/step-status.ts'
import { waysToApprove } from '../../operation/approval-ways.ts'
import { historyOf, type AskContext, type Subject } from '../../operation/with-run.ts'
import { approvalNeeded, readApprovalState } from './approval-state.ts'

/** Refuses commits that no approval names. */
export async function refuseUnapprovedCommits({ run, settings, context }: AskContext): Promise<void> {
  const foreign = unapprovedCommits(await historyOf(run))
  if (foreign.length === 0) return
  const state = await readApprovalState(run, settings, context.now(), 'approver')
  // An approval of the plan without them does not count.
  const needed = await approvalNeeded(run, { ...state, verdict: { ...state.verdict, counted: [] } })
  const verb = isBegun(run.at.plan.status) ? 'resume' : 'start'
  const ways = waysToApprove(run.id, needed, verb, { hasCommits: true })
  throw new PlanError('not-approved', `plan/${run.id} has unapproved commits: ${describeCommits(foreign)}`, {
    hint: {
      ...Object.fromEntries(
        ways.map((way) => [way.includes(' approve ') ? 'approve the plan with them' : 'have them reviewed', way]),
      ),
      'rebase onto a base that has them': `git plan rebase ${run.id}`,
      'drop them': `git checkout plan/${run.id} && git reset --hard ${foreign.at(-1)?.commit.slice(0, 12)}^`,
    },
  })
}

/**
 * The plan must start from a commit of its base branch: nobody has reviewed any other commit below it.
 * `isShallowEnough`: the approvers have seen the whole history, so a shallow clone need not have it.
 */
export async function refuseStrayBase(run: Subject, { isShallowEnough = false } = {}): Promise<void> {
  const { repo, at } = run
  const base = (await historyOf(run)).events.at(-1)?.parent
  if (at.plan.base === undefined || base === undefined) return
  const refs = [`refs/heads/${at.plan.base}`, `refs/remotes/${await remoteOf(repo)}/${at.plan.base}`]
  const tips = (await Promise.all(refs.map((ref) => repo.tipOf(ref)))).flatMap((tip) => tip ?? [])
  const isHere = (await repo.resolve(base)) !== undefined
  for (const tip of isHere ? tips : []) if (await repo.isAncestor(base, tip)) return
  const isShallow = existsSync(join(repo.commonDir, 'shallow'))
  if (isShallow && isShallowEnough && tips.length > 0) return
  if (!isHere) throw notFetchedError(base)
  const fetch =
    tips.length === 0
      ? `git fetch ${await remoteOf(repo)} ${at.plan.base}`
      : isShallow
        ? 'git fetch --unshallow'
        : 'git fetch'
  throw new PlanError(
    'not-approved',
    `plan/${run.id} is based on ${base.slice(0, 10)}, which is not on ${at.plan.base} in this clone`,
    {
      hint: { [`update ${at.plan.base}`]: fetch, 'rebase the plan': `git plan rebase ${run.id}` },
    },
  )
}

export const describeCommits = (commits: readonly { commit: string; subject: string }[]): string =>
  commits.map(({ commit, subject }) => `${commit.slice(0, 10)} ${subject}`).join('; ')

/**
 * Before the first step, a plan text that somebody committed on the branch (a reviewer, a suggestion on the forge) is a
 * new revision: it is proposed and needs a new approval.
 */
export async function adoptRevision(run: Run): Promise<void> {
  const { planPath } = run
  const history = await historyOf(run)
  const onTop = history.foreign.filter(({ depth }) => depth === 0)
  if (onTop.length === 0 || history.events.some(isStepEvent)) return
  for (const { commit } of onTop) if (!(await isOfPlanFile(run, commit))) return
  const { tip } = run.at
  if (history.events[0]?.digest === run.at.plan.digest) return
  // The status and state in that commit are ignored: only the executor writes them.
  const { plan, source, bytes } = withState(run.at, 'proposed', new Map())
  run.at = { tip, plan, source }
  const by = onTop.map((each) => each.by).filter((each, index, all) => all.indexOf(each) === index)
  await recordEvent(run, {
    event: 'proposed',
    planBytes: bytes,
    subject: `Plan: ${plan.title}`,
    facts: { adopts: tip, reason: `the text by ${by.join(', ')}` },
  })
  run.world.emit({
    kind: 'notice',
    message: `the text of ${run.id} was changed by ${describeCommits(onTop)}: it needs a new approval`,
    hint: `git diff ${history.events[0]?.commit ?? `${tip}^`} ${run.at.tip} -- ${quoteIfNeeded(planPath)}`,
  })
}

async function isOfPlanFile({ repo, planPath }: Run, commit: Oid): Promise<boolean> {
  const [before, after] = await Promise.all([repo.resolve(`${commit}^`, 'tree'), repo.resolve(commit, 'tree')])
  return differsOnlyAt(repo, before, after, planPath)
}
