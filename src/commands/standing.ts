// How a plan stands with the policy: the decisions on its branch, proven where they are signed, and the verdict.

import { decisionsFrom, peopleOf, strangersBelow, type Binding } from '../approval/decisions.ts'
import { isSamePerson, selfOf, type Identity } from '../approval/identity.ts'
import { judge, type Circumstances, type Decision, type Verdict } from '../approval/judge.ts'
import type { OwnedPath } from '../approval/open-owners.ts'
import { ownerFiles, ownersOf, readOwners, touchedBy } from '../approval/owners.ts'
import { isOnlyRemoval } from '../approval/removal.ts'
import { readersOf } from '../check/readers.ts'
import { assessRisk } from '../check/risk.ts'
import { PlanError } from '../errors.ts'
import { verifySignature } from '../git/signature.ts'
import type { Requirement } from '../plan/approval-policy.ts'
import type { Plan, Risk } from '../plan/plan.ts'
import { readPlanAt } from '../report/view.ts'
import type { History } from '../report/history.ts'
import type { Session } from '../run/session.ts'
import type { Settings } from './settings.ts'
import { historyOf } from './with-session.ts'

export interface Standing {
  readonly verdict: Verdict
  readonly requirement: Requirement
  readonly circumstances: Circumstances
  readonly binding: Binding
  /** Commits on the branch that an approval would have to name, as one digest. */
  readonly strangers: string | undefined
  readonly decisions: readonly Decision[]
  readonly history: History
}

/** Of the plan; once it is completed, of its result: of what was said since. */
export async function standingOf(session: Session, settings: Settings, now: Date): Promise<Standing> {
  const all = await historyOf(session)
  const binding = bindingOf(session.at.plan, all, settings)
  const completed = all.events.findIndex(({ event }) => event === 'completed')
  const history = session.at.plan.status === 'completed' && completed >= 0 ? { events: all.events.slice(0, completed), foreign: [] } : all
  await refuseFalseRemovals(session, all)
  const decisions: Decision[] = []
  for (const decision of decisionsFrom(history, binding, settings.config.approval)) decisions.push(await proven(session, settings, decision))
  const circumstances = await circumstancesOf(session, settings, all, now)
  return {
    verdict: judge(decisions, circumstances),
    requirement: settings.config.approval.levels[circumstances.risk],
    circumstances,
    binding,
    strangers: strangersBelow(history, -1),
    decisions,
    history: all,
  }
}

const bindingOf = (plan: Plan, { events }: History, settings: Settings): Binding => ({
  digest: plan.digest,
  base: events.at(-1)?.parent ?? 'none',
  policy: settings.policyBlob,
})

/** A text that says it only leaves steps out was compared when it was recorded; a commit by hand may say so, too. */
async function refuseFalseRemovals(session: Session, { events }: History): Promise<void> {
  const file = { id: session.id, file: session.planPath }
  for (const { commit, parent, replaces } of events) {
    if (replaces === undefined || parent === undefined) continue
    const [before, after] = [await readPlanAt(session.repo, parent, file), await readPlanAt(session.repo, commit, file)]
    if (before.digest === replaces && isOnlyRemoval(before, after)) continue
    throw new PlanError('not-approved', `${commit.slice(0, 10)} says that it only leaves steps out of the plan, and does not`, {
      hint: `git show ${commit.slice(0, 10)}; then approve what is there: git plan approve ${session.id}`,
    })
  }
}

/** A decision counts as its proof says: who signed, not who is named. */
async function proven(session: Session, settings: Settings, decision: Decision): Promise<Decision> {
  if (decision.source !== 'signature' || decision.problem !== undefined) return decision
  const signature = await signatureOf(session, settings, decision.commit)
  if (!signature.isGood) return { ...decision, problem: signature.why }
  const signer: Identity = { email: signature.by }
  return isSamePerson(signer, decision.by) ? decision : { ...decision, by: signer }
}

/** Who may sign is said on the policy branch, or by the user's own configuration; never by the plan's branch. */
export async function signatureOf(session: Session, settings: Settings, commit: string): ReturnType<typeof verifySignature> {
  const signers = settings.policyRef === undefined ? undefined : await session.repo.readBlob(`${settings.policyRef}:${settings.dir}/allowed_signers`)
  if (signers === undefined) return verifySignature(session.repo, commit, {})
  await session.dir.write('allowed-signers', signers)
  return verifySignature(session.repo, commit, { allowedSigners: session.dir.file('allowed-signers') })
}

async function circumstancesOf(session: Session, settings: Settings, { events }: History, now: Date): Promise<Circumstances> {
  const { plan } = session.at
  const { config } = settings
  const risk = assessRisk(plan, config.risk.critical, await readersOf(plan, config.safety)).plan
  return {
    risk,
    policy: config.approval,
    now,
    ...peopleOf(events),
    starter: [selfOf(await session.objects.committer())],
    owned: config.approval.levels[risk].codeowners ? await ownedPaths(session, settings) : [],
  }
}

async function ownedPaths(session: Session, settings: Settings): Promise<OwnedPath[]> {
  const ref = settings.policyRef
  if (ref === undefined) return []
  for (const file of ownerFiles) {
    const bytes = await session.repo.readBlob(`${ref}:${file}`)
    if (bytes !== undefined) return ownersOf(readOwners(bytes.toString()), touchedBy(session.at.plan))
  }
  return []
}

/** "1 of 2 approvals", and what is missing. */
export function progressText({ verdict }: Pick<Standing, 'verdict'>, risk: Risk): string {
  const notCounted = verdict.notCounted.map(({ decision, why }) => `${decision.source === 'policy' ? 'the policy' : describePerson(decision.by)}: ${why}`)
  return [
    `${verdict.counted.length} of ${verdict.required} approvals (risk ${risk})`,
    ...(verdict.missing.length === 0 ? [] : [`missing: ${verdict.missing.join('; ')}`]),
    ...(notCounted.length === 0 ? [] : [`not counted: ${notCounted.join('; ')}`]),
  ].join('; ')
}

const describePerson = ({ name, email, login }: Identity): string => (login === undefined ? (name ?? email ?? '') : `@${login}`)

/** Whether the person at the keyboard is among those who count. */
export async function hasApproved(session: Session, { verdict }: Standing): Promise<boolean> {
  const self = selfOf(await session.objects.committer())
  return verdict.counted.some(({ by }) => isSamePerson(by, self))
}
