// Judges a push to plan/<id>. Its new commits must pass the audit, it must not rewrite the branch, and it must not
// delete a plan whose commits are saved nowhere else.

import type { AuditFinding, AuditRule } from '../audit/report.ts'
import { isFinal } from '../plan/model/lifecycle.ts'
import { isId, nameOfPlan, type Oid, type PlanId } from '../plan/model/ids.ts'
import { isStepEvent, readHistory } from '../store/history.ts'
import { planFile, readPlanAt } from '../store/plan-at.ts'
import { auditRefusal } from './audited.ts'
import type { Receiving } from './receiving.ts'
import type { Refusal } from './refusal.ts'
import type { Update } from './updates.ts'

export async function judgePlanBranch({ ref, from, to }: Update, receiving: Receiving): Promise<Refusal | undefined> {
  const name = nameOfPlan(ref)
  if (!isId(name)) {
    // An invalid name can still be deleted.
    return to === undefined
      ? undefined
      : { message: `${ref} is not a valid plan name`, hint: `git push origin HEAD:refs/heads/ANOTHER-NAME` }
  }
  const id = name as PlanId
  if (to === undefined) return from === undefined ? undefined : judgeDeletion(id, from, receiving)
  return (
    (from === undefined ? undefined : await judgeRewriting(id, from, to, receiving)) ??
    auditRefusal(receiving, { id, tip: to, known: await receiving.knownTips(id) }, `plan/${id}`, (findings) =>
      auditHint(findings, { id, tip: to }, receiving),
    )
  )
}

/** Rules whose findings go away when the commit is dropped; other findings concern the refs around the commits. */
const commitRules: ReadonlySet<AuditRule> = new Set(['foreign', 'shape', 'plan-file', 'order', 'scope', 'approval'])

/** Suggests dropping the oldest offending commit, or adopting it if it is not one of the plan's own. */
async function auditHint(
  findings: readonly AuditFinding[],
  { id, tip }: { id: PlanId; tip: Oid },
  { repo, settings }: Receiving,
): Promise<string> {
  const first = findings.find(({ rule, commit }) => commit !== null && commitRules.has(rule))
  if (first === undefined) return `git plan audit ${id}`
  const commit = first.commit?.slice(0, 12)
  const drop = `git checkout plan/${id} && git reset --hard ${commit}^`
  const { events } = await readHistory(repo, tip, { id, file: planFile(settings.dir, id) })
  if (first.rule !== 'foreign' || events[0]?.event === 'completed') return drop
  return `drop it: ${drop}; or adopt it: git plan ${events.some(isStepEvent) ? `resume ${id} --fix -m WHY` : `approve ${id} --files`}`
}

async function judgeRewriting(id: PlanId, from: Oid, to: Oid, receiving: Receiving): Promise<Refusal | undefined> {
  const { repo } = receiving
  if ((await repo.resolve(from)) === undefined)
    return {
      message: `plan/${id} is at ${from.slice(0, 10)} on the remote, a commit that is unknown here`,
      hint: `git plan fetch ${id}`,
    }
  if ((await repo.isAncestor(from, to)) || (await receiving.isReachable(from, await receiving.savedTips(id))))
    return undefined
  return {
    message: `plan/${id} would be rewritten: ${to.slice(0, 10)} does not descend from ${from.slice(0, 10)}, and no rollback has saved that commit`,
    hint: `compare them: git plan fetch ${id}; after a rollback: git push --force-with-lease origin plan/${id} 'refs/plan/${id}/*:refs/plan/${id}/*'`,
  }
}

async function judgeDeletion(id: PlanId, from: Oid, receiving: Receiving): Promise<Refusal | undefined> {
  const { repo, settings } = receiving
  const tips = [...(await receiving.savedTips(id)), ...(await receiving.protectedTips())]
  if (await receiving.isReachable(from, tips)) return undefined
  const file = planFile(settings.dir, id)
  const plan = await readPlanAt(repo, from, { id, file }).catch(() => undefined)
  // The event decides, since only the executor writes events; a commit above it could claim any status.
  const { events, foreign } = await readHistory(repo, from, { id, file })
  if (plan?.status === 'cancelled' && events[0]?.event === 'cancelled' && foreign.every(({ depth }) => depth > 0))
    return undefined
  // After a squash merge the plan file is all that is left of the plan.
  const blob = await repo.resolve(`${from}:${file}`, 'object')
  if (plan !== undefined && isFinal(plan.status))
    for (const tip of tips) if ((await repo.resolve(`${tip}:${file}`, 'object')) === blob) return undefined
  return {
    message: `plan/${id} is ${plan?.status ?? 'unreadable'}: deleting it would lose its commits`,
    hint:
      plan?.status === 'completed'
        ? `git plan finish ${id} && git push origin refs/plan/${id}/final`
        : `git plan cancel ${id} && git push origin plan/${id}`,
  }
}
