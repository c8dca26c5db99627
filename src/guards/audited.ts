// Audits the commits of a push under the current policy. Commits that an earlier push brought are not reported again.

import { auditPlan } from '../audit/audit-plan.ts'
import { readPlanFile } from '../audit/plan-files.ts'
import type { AuditFinding, AuditReport } from '../audit/report.ts'
import { differsOnlyAt } from '../git/read/differs-only-at.ts'
import { isFinal } from '../plan/model/lifecycle.ts'
import type { Oid, PlanId } from '../plan/model/ids.ts'
import { isStepEvent, readHistory } from '../store/history.ts'
import { planFile } from '../store/plan-at.ts'
import type { Receiving } from './receiving.ts'
import { limitLines, type Refusal } from './refusal.ts'

export interface AuditSubject {
  readonly id: PlanId
  readonly tip: Oid
  /** Tips of the plan that the receiving side already has. */
  readonly known: readonly Oid[]
  /** Set for a merge into a protected branch; `into`: the commit whose history must contain the result. */
  readonly merged?: { readonly into: Oid | undefined }
}

/** Returns a refusal that lists the findings, undefined if there are none. */
export async function auditRefusal(
  receiving: Receiving,
  subject: AuditSubject,
  name: string,
  hintFor: (findings: readonly AuditFinding[]) => Promise<string> = async () => `git plan audit ${subject.id}`,
): Promise<Refusal | undefined> {
  const findings = await auditFindings(receiving, subject)
  if (findings.length === 0) return undefined
  const lines = findings.map(
    ({ commit, rule, message }) => `${commit === null ? '' : `${commit.slice(0, 10)}: `}${message} (${rule})`,
  )
  return { message: `${name} fails the audit:`, details: limitLines(lines, 10), hint: await hintFor(findings) }
}

export async function auditFindings(
  receiving: Receiving,
  { id, tip, known, merged }: AuditSubject,
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
    // A step is audited under the policy it ran under, a merged result under the current one, as in `finish`.
    ...(merged === undefined ? { isCurrentOnly: true } : { isTakenOver: true, mergedTo: merged.into }),
    isKnown: (commit) => judged.has(commit),
    refs: receiving.refsOf(id),
  })
  const findings: AuditFinding[] = []
  const mayBeRevised = merged === undefined && !(await readHistory(repo, tip, { id, file })).events.some(isStepEvent)
  for (const finding of report.findings) {
    if (isPendingEffect(finding, report)) continue
    if (mayBeRevised && (await isRevision(receiving, finding, { id, file }))) continue
    findings.push(finding)
  }
  return findings
}

/**
 * An effect is recorded and pushed before it happens, and an unknown one is pushed so that the plan can be resumed
 * elsewhere. Only a finished plan must have all of its effects settled.
 */
const isPendingEffect = ({ rule }: AuditFinding, { status }: AuditReport): boolean =>
  rule === 'effect' && (status === 'unreadable' || !isFinal(status))

/**
 * Until a step has run, a reviewer may revise the plan's text with a commit of their own. It takes effect once the
 * executor has adopted it and somebody has approved it. Only the executor writes status and state: a commit that
 * changes them is not a revision.
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
