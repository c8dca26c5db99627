// Audits a plan: each commit against the previous one, then refs, effects and the merge.

import { unapprovedCommits } from '../approval/rules/decisions.ts'
import { nameOf } from '../approval/rules/identity.ts'
import { isOutOfBounds, scopeProblem } from '../judge/plan/scope.ts'
import type { Ref, Repository } from '../git/repository.ts'
import { finalRef, planRefs, type Oid, type PlanId } from '../plan/model/ids.ts'
import { handWork } from '../store/by-hand.ts'
import type { History, RecordedEvent } from '../store/history.ts'
import { readPlanRecords } from '../store/attempts-and-rollbacks.ts'
import { signatureOf } from '../store/policy-facts.ts'
import { planFile } from '../store/plan-at.ts'
import { changesIn } from './changes-in.ts'
import { effectFindings } from './effects.ts'
import { mergedInto, type Merged } from './merged-plan.ts'
import { Permissions, type Permission } from './permission.ts'
import { Policies, type Policy } from './policies.ts'
import { readPlanFile, type PlanFile } from './plan-files.ts'
import { readBranch, type AuditedBranch, type AuditedEvent, type AuditedForeign } from './read-branch.ts'
import { fileProblem, orderProblem } from './replay.ts'
import type { AuditFinding, AuditReport, AuditRule } from './report.ts'

export interface AuditRequest {
  readonly repo: Repository
  readonly id: PlanId
  /** plan.dir */
  readonly dir: string
  readonly tip: Oid
  /** History of the tip, if the caller has read it. */
  readonly history?: History
  /** The policy in force now. */
  readonly policy: Policy
  /**
   * Judge past events by the current policy only: for a caller that takes the plan over and does not consult earlier
   * policies.
   */
  readonly isCurrentOnly?: boolean
  /** The plan is to be run or merged here, so the current policy must be satisfied too. */
  readonly isTakenOver?: boolean
  /** Ref that the plan may have been merged to; undefined: merges are not audited. */
  readonly mergedTo?: string | undefined
  /** True for commits that were judged before, by the policy of that time: they get no findings. */
  readonly isKnown?: (commit: Oid) => boolean
  /**
   * Refs below refs/plan/<id>/; default: the current ones of this repository, which a push that is not accepted yet has
   * not changed.
   */
  readonly refs?: readonly Ref[]
}

/** Limit, because anybody who can push can push a branch with many large plan files, each of which must be parsed. */
const maxTexts = 8 * 1024 * 1024

export async function auditPlan(request: AuditRequest): Promise<AuditReport> {
  const { repo, id, dir, tip } = request
  const file = planFile(dir, id)
  const branch = await readBranch(repo, tip, { id, file }, request.history)
  const policies = new Policies(repo, { dir, current: request.policy, isCurrentOnly: request.isCurrentOnly })
  const permissions = new Permissions(repo, { dir, history: branch.history, policies })
  const say = new Findings()
  const about = (commit: Oid): Findings => (request.isKnown?.(commit) === true ? new Findings() : say)
  auditBeginning(branch, say)
  let last: Permission | undefined
  let before: PlanFile | undefined
  let texts = 0
  for (const commit of branch.events) {
    // One at a time: a long plan has as many texts as commits.
    if (texts > maxTexts) {
      say.add(
        'incomplete',
        commit.event,
        `the texts of the plan exceed ${maxTexts / 1024 / 1024} MB and were not all read`,
      )
      break
    }
    const read = readPlanFile(await repo.readBlob(`${commit.event.commit}:${file}`), { id, file }, before)
    last = (await auditCommit(commit, { before, read }, { file, dir, permissions }, about(commit.event.commit))) ?? last
    if (typeof read === 'string' || read.isTail === undefined)
      texts += typeof read === 'string' ? 4096 : read.bytes.length
    before = typeof read === 'string' ? before : read
  }
  for (const each of branch.onTop) refuseMerge(each, about(each.commit))
  for (const { commit, subject } of branch.onTop)
    about(commit).add('foreign', { commit, subject }, 'this commit was not made by git plan and nobody has adopted it')
  const signatures = await auditSignatures(request, branch, say)
  const plan = before?.plan
  const { events, foreign } = branch.history
  // No check has covered these commits, whatever an approval above them says.
  const completed = plan?.status === 'completed' ? events.findIndex(({ event }) => event === 'completed') : -1
  for (const each of foreign.filter(({ depth }) => depth > 0 && depth <= completed))
    about(each.commit).add('foreign', each, 'it is on top of the completed plan')
  const unadopted = new Set<string>(unapprovedCommits(branch.history).map(({ commit }) => commit))
  const refs = request.refs ?? (await repo.refs(planRefs(id)))
  const kept = await readPlanRecords(repo, id, refs)
  if (plan !== undefined) say.push(...effectFindings(plan, events, kept.effects))
  const merged = await auditMerge(request, { file, base: events.at(-1)?.parent, status: plan?.status })
  say.push(...merged.findings)
  if (plan?.status === 'completed' && (merged.commit !== null || refs.some(({ name }) => name === finalRef(id)))) {
    const result = await permissions.ofResult(plan)
    if (result?.problem !== undefined)
      say.add('approval', events[0] ?? null, `its result was merged: ${result.problem}`)
  }
  const missing =
    request.isTakenOver === true && plan !== undefined
      ? await permissions.ofNow(plan, changesIn(branch, plan))
      : undefined
  if (missing !== undefined) say.add('approval', null, missing)
  return {
    id,
    tip,
    digest: plan?.digest ?? '',
    status: plan?.status ?? 'unreadable',
    base: events.at(-1)?.parent ?? null,
    commits: events.length + foreign.length,
    steps: events.filter(({ event }) => event === 'step' || event === 'declared').length,
    // A commit that nobody has adopted is a finding, not work that was adopted.
    byHand: handWork(events, foreign, plan).filter(({ commit }) => !unadopted.has(commit)),
    approvals: (last?.counted ?? []).map(({ by, source, commit }) => ({
      by: source === 'policy' ? 'the policy' : nameOf(by),
      from: source,
      commit,
      policy: last?.policy ?? 'none',
    })),
    signatures,
    effects: kept.effects.length,
    mergedAs: merged.commit,
    findings: say.all,
    notes: merged.notes,
  }
}

function auditBeginning({ events, history }: AuditedBranch, say: Findings): void {
  const first = events[0]?.event
  if (first === undefined) return say.add('incomplete', null, 'no commit of the plan is here')
  if (first.parent === undefined) return say.add('shape', first, 'it is not based on any commit')
  if (first.event === 'proposed' || first.event === 'rebased') return
  say.add(
    'incomplete',
    first,
    `the history here begins with this commit, not with a proposal (commits: ${history.events.length}): git fetch --unshallow`,
  )
}

interface Context {
  readonly file: string
  readonly dir: string
  readonly permissions: Permissions
}

/** `read`: the plan file of the commit, or why it is invalid. */
async function auditCommit(
  commit: AuditedEvent,
  { before, read }: { before: PlanFile | undefined; read: PlanFile | string },
  context: Context,
  say: Findings,
): Promise<Permission | undefined> {
  const { event } = commit
  if (commit.parents > 1) say.add('shape', event, `it has ${commit.parents} parents`)
  auditForeign(commit, context, say)
  if (typeof read === 'string') {
    say.add('plan-file', event, read)
    return undefined
  }
  const order = orderProblem(event, before?.plan)
  if (order !== undefined) say.add('order', event, order)
  const written = fileProblem(event, before, read)
  if (written !== undefined) say.add('plan-file', event, written)
  auditPaths(commit, before, context, say)
  const permission = before === undefined ? undefined : await context.permissions.of(event, commit.depth, before.plan)
  if (permission?.problem !== undefined) say.add('approval', event, permission.problem)
  return permission
}

/** Commits of others must be adopted by a fix, as a text of the plan, or by an approval, which permission.ts checks. */
function auditForeign({ event, foreign }: AuditedEvent, { file, dir }: Context, say: Findings): void {
  for (const each of foreign) {
    refuseMerge(each, say)
    if (event.adopts !== undefined && each.paths.length > 0)
      say.add('foreign', each, `it was adopted as a text of the plan, but changes ${each.paths.join(', ')}`)
    if (event.adopts === undefined && each.changesPlanFile)
      say.add('foreign', each, `it changes ${file}, but was not made by git plan`)
    const outside = each.paths.find((path) => isOutOfBounds(path, { planFile: file, dir }))
    if (outside !== undefined) say.add('scope', each, `it changes ${outside}`)
  }
}

/** A merge may change nothing compared to its first parent, and still drop all changes of the other side. */
function refuseMerge(each: AuditedForeign, say: Findings): void {
  if (each.parents > 1) say.add('shape', each, 'it is a merge, which neither a fix nor an approval can adopt')
}

function auditPaths(
  { event, paths }: AuditedEvent,
  before: PlanFile | undefined,
  { file, dir }: Context,
  say: Findings,
): void {
  const step = before?.plan.steps.find(({ id }) => id === event.step)
  const outside = paths.find((path) =>
    isOutOfBounds(path, { planFile: file, dir }, event.event === 'step' ? step : undefined),
  )
  if (outside !== undefined) return say.add('scope', event, `it changes ${outside}, which belongs to the plan`)
  if (event.event === 'fixed') return
  if (event.event === 'step' || event.event === 'declared') {
    const problem =
      step === undefined ? undefined : scopeProblem(step, paths, event.event === 'step' ? 'executor' : 'person')
    if (problem !== undefined) say.add('scope', event, problem.message)
    return
  }
  if (paths.length > 0)
    say.add(
      'scope',
      event,
      `the event ${event.event} may change only the plan file, but this commit changes ${paths.slice(0, 5).join(', ')}`,
    )
}

async function auditSignatures(
  { repo, policy, dir }: AuditRequest,
  { history }: AuditedBranch,
  say: Findings,
): Promise<AuditReport['signatures']> {
  let [good, unknown] = [0, 0]
  for (const event of history.events.filter(({ isSigned }) => isSigned)) {
    const signature = await signatureOf(repo, { ref: policy.ref, dir }, event.commit)
    if (signature.isGood) good += 1
    else if (signature.isWrong) say.add('signature', event, signature.why)
    else unknown += 1
  }
  return { good, unknown }
}

async function auditMerge(
  request: AuditRequest,
  { file, base, status }: { file: string; base: Oid | undefined; status: string | undefined },
): Promise<Merged> {
  const { repo, tip, mergedTo } = request
  if (mergedTo === undefined || base === undefined || status !== 'completed')
    return { commit: null, findings: [], notes: [] }
  return mergedInto(repo, { file, tip, base, ref: mergedTo })
}

/** Findings, oldest first, without duplicates: a problem with an approval affects every step after it. */
class Findings {
  readonly all: AuditFinding[] = []
  readonly #seen = new Set<string>()

  add(
    rule: AuditRule,
    commit: (Pick<RecordedEvent, 'commit' | 'subject'> & { readonly step?: string }) | null,
    message: string,
  ): void {
    this.push({
      rule,
      commit: commit?.commit ?? null,
      subject: commit?.subject ?? '',
      step: commit?.step ?? null,
      message,
    })
  }

  push(...findings: readonly AuditFinding[]): void {
    for (const finding of findings) {
      const key = `${finding.rule} ${finding.rule === 'approval' ? '' : finding.commit} ${finding.message}`
      if (!this.#seen.has(key)) this.all.push(finding)
      this.#seen.add(key)
    }
  }
}
