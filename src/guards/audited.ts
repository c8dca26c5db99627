// The audit, asked about what a push brings: by the policy of now, and about nothing that was let in before.

import { auditPlan } from '../audit/audit-plan.ts'
import { readPlanFile } from '../audit/plan-files.ts'
import type { AuditFinding, AuditReport } from '../audit/report.ts'
import { differsOnlyAt } from '../git/read/differs-only-at.ts'
import { isFinal } from '../plan/model/lifecycle.ts'
import type { Oid, PlanId } from '../plan/model/ids.ts'
import { isStepEvent, readHistory } from '../store/history.ts'
import { planFile } from '../store/plan-at.ts'
import type { Receiving } from './receiving.ts'
import { firstOf, type Refusal } from './refusal.ts'

export interface Audited {
  readonly id: PlanId
  readonly tip: Oid
  /** Tips of the plan that are there already. */
  readonly known: readonly Oid[]
  /** It goes into a protected branch; `into`: the commit whose history is to hold what came of it. */
  readonly merged?: { readonly into: Oid | undefined }
}

/** The words for what was found; undefined: nothing was. */
export async function auditRefusal(
  receiving: Receiving,
  audited: Audited,
  name: string,
  hintFor: (findings: readonly AuditFinding[]) => Promise<string> = async () => `git plan audit ${audited.id}`,
): Promise<Refusal | undefined> {
  const findings = await auditFindings(receiving, audited)
  if (findings.length === 0) return undefined
  const lines = findings.map(
    ({ commit, rule, message }) => `${commit === null ? '' : `${commit.slice(0, 10)}: `}${message} (${rule})`,
  )
  return { message: `${name} fails the audit:`, details: firstOf(lines, 10), hint: await hintFor(findings) }
}

export async function auditFindings(
  receiving: Receiving,
  { id, tip, known, merged }: Audited,
): Promise<AuditFinding[]> {
  const { repo, settings } = receiving
  const file = planFile(settings.dir, id)
  const judged = new Set<string>()
  for (const each of known) {
    const { events, foreign } = await readHistory(repo, each, { id, file })
    for (const { commit } of [...events, ...foreign]) judged.add(commit)
  }
  const report = await auditPlan({
    repo,
    id,
    dir: settings.dir,
    tip,
    policy: { blob: settings.policyBlob, config: settings.config, ref: settings.policyRef },
    // A step is pushed under the policy it ran under; a result is taken over under the one of now, as `finish` does.
    ...(merged === undefined ? { isCurrentOnly: true } : { isTakenOver: true, mergedTo: merged.into }),
    isKnown: (commit) => judged.has(commit),
    refs: receiving.refsOf(id),
  })
  const counted: AuditFinding[] = []
  const mayBeRevised = merged === undefined && !(await readHistory(repo, tip, { id, file })).events.some(isStepEvent)
  for (const finding of report.findings) {
    if (isUnderWay(finding, report)) continue
    if (mayBeRevised && (await isRevision(receiving, finding, { id, file }))) continue
    counted.push(finding)
  }
  return counted
}

/**
 * An effect is pushed before it happens, and so is one of which nobody knows: the plan goes on elsewhere. At its end
 * all of them are settled.
 */
const isUnderWay = ({ rule }: AuditFinding, { status }: AuditReport): boolean =>
  rule === 'effect' && (status === 'unreadable' || !isFinal(status))

/**
 * Before anything has run, a reviewer may have put another text there. It takes effect once the executor has adopted it
 * and somebody has approved it. Status and state are the executor's: a commit that changes them is not a revision.
 */
async function isRevision(
  { repo }: Receiving,
  { rule, commit }: AuditFinding,
  plan: { id: PlanId; file: string },
): Promise<boolean> {
  if (rule !== 'foreign' || commit === null) return false
  const [before, after] = await Promise.all([repo.resolve(`${commit}^`, 'tree'), repo.resolve(commit, 'tree')])
  if (!(await differsOnlyAt(repo, before, after, plan.file))) return false
  const [was, is] = await Promise.all(
    [`${commit}^`, commit].map((at) =>
      repo.readBlob(`${at}:${plan.file}`).then((bytes) => readPlanFile(bytes, plan, undefined)),
    ),
  )
  if (was === undefined || is === undefined || typeof was === 'string' || typeof is === 'string') return false
  return was.plan.status === is.plan.status && was.plan.state.size === 0 && is.plan.state.size === 0
}
