// `git plan audit`: verifies a plan from the clone alone, or all plans that a range of commits merged.

import { auditPlan } from '../../audit/audit-plan.ts'
import type { AuditFinding, AuditReport } from '../../audit/report.ts'
import { PlanError } from '../../errors.ts'
import type { Repository } from '../../git/repository.ts'
import { isFinal } from '../../plan/model/lifecycle.ts'
import type { Plan } from '../../plan/model/plan.ts'
import type { Oid, PlanId } from '../../plan/model/ids.ts'
import { rawChanges } from '../../git/read/raw-changes.ts'
import { shown, type RawPath } from '../../git/read/raw-path.ts'
import { mergesWithoutFile, type MergeWithoutFile } from '../../store/merged.ts'
import { readHistory } from '../../store/history.ts'
import { findPlan, openPlans, refuseToGuess } from '../../store/resolve-plan.ts'
import { planIdAt, planFile, readPlanAt, tipOfPlan } from '../../store/plan-at.ts'
import { rerunChecks } from '../../engine/preflight/rerun.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { permitChecks, subjectOf } from '../../approval/flow/gate.ts'
import type { Settings } from '../../operation/settings.ts'
import { withRepository, type ReadContext } from '../with-repository.ts'

export interface AuditRequest {
  /** A plan, or `A..B`. */
  readonly target?: string
  readonly rerun?: boolean
}

export interface AuditedData {
  readonly holds: boolean
  readonly plans: readonly AuditReport[]
  readonly message: string
}

export function audit(request: AuditRequest, context: CommandContext): Promise<CommandResult<AuditedData>> {
  return withRepository(context, async (reading) => {
    const plans =
      request.target?.includes('..') === true
        ? await auditRange(request.target, reading)
        : [await auditOne(request.target, reading)]
    const reports = request.rerun === true ? await rerunAll(plans, reading, context) : plans
    const broken = reports.filter(({ findings }) => findings.length > 0)
    const first = broken[0]?.findings[0]
    const message =
      first === undefined
        ? reports.length === 1
          ? `${reports[0]?.id}: every commit is valid`
          : `${reports.length} plans: every commit is valid`
        : `${broken.map(({ id }) => id).join(', ')}: the audit failed${first.commit === null ? '' : ` at ${first.commit.slice(0, 10)}`}: ${first.message}`
    return {
      kind: 'audit',
      exitCode: broken.length === 0 ? 0 : 1,
      data: { holds: broken.length === 0, plans: reports, message },
    }
  })
}

async function auditOne(name: string | undefined, { repo, settings }: ReadContext): Promise<AuditReport> {
  const found = await findPlan(repo, name, { dir: settings.dir })
  if (found === undefined) return refuseToGuess(repo, await openPlans(repo, settings.dir), 'audit')
  const { tip } = await tipOfPlan(repo, found.id)
  const base = await readPlanAt(repo, tip, { id: found.id, file: planFile(settings.dir, found.id) }).then(
    (plan) => plan.base,
    () => undefined,
  )
  return auditPlan({
    ...requestOf(repo, settings, found.id),
    tip,
    mergedTo: base === undefined ? undefined : await baseRef(repo, base),
  })
}

const requestOf = (repo: Repository, settings: Settings, id: PlanId) => ({
  repo,
  id,
  dir: settings.dir,
  policy: { blob: settings.policyBlob, config: settings.config, ref: settings.policyRef },
})

/** Returns the local base or its remote-tracking branch, whichever is further ahead. */
async function baseRef(repo: Repository, base: string): Promise<string | undefined> {
  const remote = (await repo.config.value('plan.remote')) ?? 'origin'
  const [here, there] = [`refs/heads/${base}`, `refs/remotes/${remote}/${base}`]
  const [ours, theirs] = [await repo.tipOf(here), await repo.tipOf(there)]
  if (theirs === undefined) return ours === undefined ? undefined : here
  return ours === undefined || (await repo.isAncestor(ours, theirs)) ? there : here
}

/**
 * Audits each plan whose file the range changes: it must be finished, its commits must be here, and they must be what
 * was merged.
 */
async function auditRange(range: string, { repo, settings }: ReadContext): Promise<AuditReport[]> {
  const [, from = '', to = ''] = /^([^.].*?)?\.\.(?!\.)(.*)$/.exec(range) ?? []
  const [start, end] = [
    await commitAt(repo, from === '' ? 'HEAD' : from, range),
    await commitAt(repo, to === '' ? 'HEAD' : to, range),
  ]
  const reports: AuditReport[] = []
  for (const [path, { after }] of await rawChanges(repo, start, end)) {
    const id = planIdAt(settings.dir, shown(path as RawPath))
    if (id !== undefined && after.mode !== '000000') reports.push(await auditMerged(repo, settings, { id, end }))
  }
  for (const merge of await mergesWithoutFile(repo, [end, `^${start}`]))
    reports.push(await auditMergeWithoutFile(repo, settings, { merge, end }))
  return inOrderOfMerge(repo, reports, [end, `^${start}`])
}

/** The plan that was merged first comes first; those that were not merged come last. */
async function inOrderOfMerge(
  repo: Repository,
  reports: readonly AuditReport[],
  range: readonly string[],
): Promise<AuditReport[]> {
  const commits = (await repo.git.text(['rev-list', '--topo-order', '--reverse', ...range])).split('\n')
  const place = new Map(commits.map((commit, at) => [commit, at]))
  const placeOf = ({ mergedAs }: AuditReport): number => place.get(mergedAs ?? '') ?? commits.length
  return reports.toSorted((a, b) => placeOf(a) - placeOf(b))
}

async function auditMergeWithoutFile(
  repo: Repository,
  settings: Settings,
  { merge: { id, tip, commit, digest }, end }: { readonly merge: MergeWithoutFile; readonly end: Oid },
): Promise<AuditReport> {
  if ((await repo.resolve(tip)) === undefined)
    return unprovenReport(
      { id, digest: digest ?? '', status: 'completed' },
      end,
      `${id} is not in this clone, so it cannot be verified: git plan fetch ${id}`,
    )
  const report = await auditPlan({ ...requestOf(repo, settings, id), tip, mergedTo: end })
  if (report.mergedAs === commit) return report
  const message = `${commit.slice(0, 10)} claims to merge ${tip.slice(0, 10)}, which is not the end of the plan`
  return { ...report, findings: [...report.findings, planFinding(message)] }
}

async function auditMerged(
  repo: Repository,
  settings: Settings,
  { id, end }: { readonly id: PlanId; readonly end: Oid },
): Promise<AuditReport> {
  const file = planFile(settings.dir, id)
  const there = await readPlanAt(repo, end, { id, file })
  const tip = await tipOfPlan(repo, id).then(
    (found) => found.tip,
    () => undefined,
  )
  if (tip === undefined)
    return unprovenReport(there, end, `${id} is not in this clone, so it cannot be verified: git plan fetch ${id}`)
  const report = await auditPlan({ ...requestOf(repo, settings, id), tip, mergedTo: end })
  if (!isFinal(there.status))
    return {
      ...report,
      findings: [
        ...report.findings,
        planFinding(
          `${file} at ${end.slice(0, 10)} says that the plan is ${there.status}: it was merged before it was finished`,
        ),
      ],
    }
  if (there.status === 'completed' && report.mergedAs === null)
    return {
      ...report,
      findings: [...report.findings, planFinding(`${file} at ${end.slice(0, 10)} differs from the end of the plan`)],
    }
  return report
}

const planFinding = (message: string): AuditFinding => ({
  rule: 'merged',
  commit: null,
  subject: '',
  step: null,
  message,
})

const unprovenReport = (plan: Pick<Plan, 'id' | 'digest' | 'status'>, tip: Oid, message: string): AuditReport => ({
  id: plan.id,
  tip,
  digest: plan.digest,
  status: plan.status,
  base: null,
  commits: 0,
  steps: 0,
  byHand: [],
  approvals: [],
  signatures: { good: 0, unknown: 0 },
  effects: 0,
  mergedAs: null,
  findings: [{ rule: 'incomplete', commit: null, subject: '', step: null, message }],
  notes: [],
})

async function commitAt(repo: Repository, name: string, range: string): Promise<Oid> {
  const commit = /^-|[\s:\0]/.test(name) ? undefined : await repo.resolve(name)
  if (commit !== undefined) return commit
  throw new PlanError(
    'usage',
    `${JSON.stringify(range.slice(0, 80))}: ${JSON.stringify(name.slice(0, 80))} is not a commit here`,
    {
      hint: 'git plan audit main~10..main',
    },
  )
}

/** A base that the plan itself names proves nothing: anybody can push one. */
async function isOnPolicyBranch(repo: Repository, { policyRef }: Settings, merged: Oid | null): Promise<boolean> {
  const policy = policyRef === undefined ? undefined : await repo.resolve(policyRef)
  return merged !== null && policy !== undefined && (await repo.isAncestor(merged, policy))
}

const setupAdvice =
  'checks are rerun in a new work tree that has only tracked files; if they need more, such as installed packages, add `setup` to the plan, for example `setup: npm ci`'

/** Only reruns the checks of plans without findings: unapproved commands must not run here either. */
async function rerunAll(
  reports: readonly AuditReport[],
  { repo, settings }: ReadContext,
  context: CommandContext,
): Promise<AuditReport[]> {
  const { limits } = settings.config
  const rerunning = { repo, world: context, timeoutMs: limits.timeout, outputLimit: limits.output }
  const results: AuditReport[] = []
  for (const report of reports) {
    if (report.findings.length > 0) {
      results.push({ ...report, notes: [...report.notes, 'its checks were not rerun: the audit failed before'] })
      continue
    }
    const [id, file] = [report.id as PlanId, planFile(settings.dir, report.id as PlanId)]
    const findings: AuditFinding[] = []
    const run = await subjectOf(repo, { id, dir: settings.dir, tip: report.tip })
    const permit = await permitChecks(
      { run, settings, context },
      { isMerged: await isOnPolicyBranch(repo, settings, report.mergedAs) },
    ).catch((error: unknown) => {
      if (error instanceof PlanError) return error
      throw error
    })
    if (permit instanceof PlanError) {
      results.push({
        ...report,
        findings: [{ ...planFinding(`its checks were not rerun: ${permit.message}`), rule: 'approval' }],
      })
      continue
    }
    let isUnprepared = false
    const { events } = await readHistory(repo, report.tip, { id, file })
    for (const { event, step: name, commit, subject } of events.toReversed()) {
      if (event !== 'step' && event !== 'declared' && event !== 'completed') continue
      const plan = await readPlanAt(repo, commit, { id, file })
      const step = plan.steps.find((each) => each.id === name)
      const problems = await rerunChecks(
        { step: event === 'completed' ? undefined : step, commit, plan, permit: permit(plan) },
        rerunning,
      )
      findings.push(
        ...problems.map(({ message, output }) => ({
          rule: 'check' as const,
          commit,
          subject,
          step: step?.id ?? null,
          message,
          output,
        })),
      )
      isUnprepared ||= problems.some(({ wantsSetup }) => wantsSetup)
    }
    results.push({ ...report, findings, notes: [...report.notes, ...(isUnprepared ? [setupAdvice] : [])] })
  }
  return results
}
