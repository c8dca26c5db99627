// The approval state of a plan: the decisions on its branch, with signatures verified, and the verdict of the policy.

import { decisionsFrom, peopleOf, executorsOf, foreignDigestBelow, type Binding } from '../rules/decisions.ts'
import { isSamePerson, selfOf } from '../rules/identity.ts'
import { judge, mayApprove, type Circumstances, type Decision, type Verdict } from '../rules/judge-decisions.ts'
import { progressText as textOf } from '../rules/progress-text.ts'
import { isOnlyRemoval } from '../rules/removal.ts'
import { changesIn } from '../../audit/changes-in.ts'
import { readBranch } from '../../audit/read-branch.ts'
import { readersOf } from '../../judge/plan/readers.ts'
import { assessRisk, riskOfResult } from '../../judge/plan/risk.ts'
import { PlanError } from '../../errors.ts'
import type { Signature } from '../../git/trust/signature.ts'
import type { Requirement } from '../../plan/config/approval-policy.ts'
import type { Plan, Risk } from '../../plan/model/plan.ts'
import {
  ownedPaths,
  verifyDecision,
  signatureOf as signatureAt,
  type PolicySource,
  type Verification,
} from '../../store/policy-facts.ts'
import { readPlanAt } from '../../store/plan-at.ts'
import type { History, RecordedEvent } from '../../store/history.ts'
import { existingRemote } from '../../store/remote-name.ts'
import type { Oid } from '../../plan/model/ids.ts'
import type { RequiredApproval } from '../../operation/approval-ways.ts'
import { waysToNamePolicy } from '../../operation/policy-branch.ts'
import type { Settings } from '../../operation/settings.ts'
import { historyOf, type Subject } from '../../operation/with-run.ts'

export interface ApprovalState {
  /** The commit at which it was read. */
  readonly tip: Oid
  readonly verdict: Verdict
  readonly requirement: Requirement
  readonly circumstances: Circumstances
  readonly binding: Binding
  /** A digest of the foreign commits on the branch that an approval would have to name. */
  readonly foreignDigest: string | undefined
  readonly decisions: readonly Decision[]
  readonly history: History
}

/**
 * Returns the approval state of the plan; for a completed plan that of its result, from the decisions made since. `by`:
 * whether the person at the keyboard starts the plan or only approves it.
 */
export async function readApprovalState(
  run: Subject,
  settings: Settings,
  now: Date,
  by: 'starter' | 'approver' = 'starter',
): Promise<ApprovalState> {
  await refuseUnknownPolicy(run, settings)
  const all = await withoutFalseRemovals(run, await historyOf(run))
  const binding = bindingOf(run.at.plan, all, settings)
  const completed = all.events.findIndex(({ event }) => event === 'completed')
  const history =
    run.at.plan.status === 'completed' && completed >= 0 ? { events: all.events.slice(0, completed), foreign: [] } : all
  const decisions: Decision[] = []
  for (const decision of decisionsFrom(history, binding, settings.config.approval))
    decisions.push(await verify(run, settings, decision, { base: all.events.at(-1)?.parent, now }))
  const circumstances = await circumstancesOf(run, settings, all, { now, by })
  return {
    tip: run.at.tip,
    verdict: judge(decisions, circumstances),
    requirement: settings.config.approval.levels[circumstances.risk],
    circumstances,
    binding,
    foreignDigest: foreignDigestBelow(history, -1),
    decisions,
    history: all,
  }
}

const verify = (
  run: Subject,
  settings: Settings,
  decision: Decision,
  facts: Pick<Verification, 'base' | 'now'>,
): Promise<Decision> =>
  verifyDecision(run.repo, policyPlace(settings), decision, {
    ...facts,
    branch: run.at.plan.base,
    campaigns: settings.config.approval.campaigns,
  })

/** A decision of a campaign, verified before it is recorded. */
export const verifyNow = (run: Subject, settings: Settings, decision: Decision, now: Date): Promise<Decision> =>
  verify(run, settings, decision, { base: undefined, now })

/**
 * Clones made by CI do not know the remote's default branch. The defaults are laxer than most policies, so they must
 * not replace an unknown one.
 */
export async function refuseUnknownPolicy(
  { repo }: Pick<Subject, 'repo'>,
  { isPolicyUnknown, dir }: Settings,
): Promise<void> {
  if (!isPolicyUnknown) return
  const remote = await existingRemote(repo)
  const why = remote === undefined ? '' : `: ${remote} has no default branch here`
  throw new PlanError('not-allowed', `the branch that holds the policy (${dir}/config.yml) is unknown${why}`, {
    hint: await waysToNamePolicy(repo),
  })
}

const bindingOf = (plan: Plan, { events }: History, settings: Settings): Binding => ({
  digest: plan.digest,
  base: events.at(-1)?.parent ?? 'none',
  policy: settings.policyBlob,
})

/**
 * An approval survives a new text that only removes steps. The executor compared the texts when it recorded that; a
 * manual commit may claim the same, so the claim is verified here.
 */
async function withoutFalseRemovals(run: Subject, { events, foreign }: History): Promise<History> {
  const file = { id: run.id, file: run.planPath }
  const isTrue = async ({ commit, parent, replaces }: RecordedEvent): Promise<boolean> => {
    if (parent === undefined) return false
    const [before, after] = [await readPlanAt(run.repo, parent, file), await readPlanAt(run.repo, commit, file)]
    return before.digest === replaces && isOnlyRemoval(before, after)
  }
  const judged: RecordedEvent[] = []
  for (const event of events) {
    const { replaces: _replaces, ...plain } = event
    judged.push(event.replaces === undefined || (await isTrue(event)) ? event : plain)
  }
  return { events: judged, foreign }
}

const policyPlace = (settings: Settings): PolicySource => ({ ref: settings.policyRef, dir: settings.dir })

export const signatureOf = (run: Subject, settings: Settings, commit: string): Promise<Signature> =>
  signatureAt(run.repo, policyPlace(settings), commit)

async function circumstancesOf(
  run: Subject,
  settings: Settings,
  history: History,
  { now, by }: { now: Date; by: 'starter' | 'approver' },
): Promise<Circumstances> {
  const { plan } = run.at
  const { config } = settings
  const { risk, paths } = await riskOf(run, config)
  return {
    risk,
    policy: config.approval,
    now,
    ...peopleOf(history),
    starter:
      plan.status === 'completed'
        ? executorsOf(history.events)
        : by === 'approver'
          ? []
          : [selfOf(await run.objects.committer())],
    owned: config.approval.levels[risk].codeowners
      ? await ownedPaths(run.repo, policyPlace(settings), plan, {
          at: history.events.at(-1)?.parent ?? run.at.tip,
          paths,
        })
      : [],
  }
}

/**
 * The risk of the text; for a completed plan that of its result, as the audit before a merge assesses it. `paths`: the
 * paths that its commits changed.
 */
async function riskOf(
  { id, repo, at, planPath }: Subject,
  { risk, safety }: Settings['config'],
): Promise<{ risk: Risk; paths: readonly string[] }> {
  const { plan, tip } = at
  const text = assessRisk(plan, risk.critical, await readersOf(plan, safety)).plan
  if (plan.status !== 'completed') return { risk: text, paths: [] }
  const changes = changesIn(await readBranch(repo, tip, { id, file: planPath }), plan)
  return { risk: riskOfResult(changes, risk.critical, text), paths: changes.paths }
}

/** "1 of 2 approvals", and what is missing. */
export const progressText = ({ verdict, circumstances }: Pick<ApprovalState, 'verdict' | 'circumstances'>): string =>
  textOf(verdict, circumstances.risk)

/** For `waysToApprove`. */
export async function approvalNeeded(
  run: Subject,
  { verdict, requirement, circumstances }: ApprovalState,
): Promise<RequiredApproval> {
  const self = selfOf(await run.objects.committer())
  const { from, not, codeowners } = requirement
  const isYours = mayApprove(self, verdict.counted, { ...circumstances, starter: [] })
  return {
    required: verdict.required,
    given: verdict.counted.length,
    from,
    not,
    codeowners,
    isYours,
    isSubmittable: (await existingRemote(run.home)) !== undefined,
  }
}

/** True if a valid approval by the person at the keyboard exists. */
export async function hasApproved(run: Subject, { verdict }: ApprovalState): Promise<boolean> {
  const self = selfOf(await run.objects.committer())
  return verdict.counted.some(({ by }) => isSamePerson(by, self))
}
