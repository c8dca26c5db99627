// The current state of a plan, from its branch, its refs and the files of its runs. Reads objects and plain files only:
// no work tree, no index, no code of the repository.

import { readersOf } from '../judge/plan/readers.ts'
import { assessRisk, type RiskAssessment } from '../judge/plan/risk.ts'
import { selfOf, type Identity } from '../approval/rules/identity.ts'
import type { Ref, Repository } from '../git/repository.ts'
import { identityOf } from '../git/trust/identity.ts'
import { defaultPolicy, type ApprovalPolicy } from '../plan/config/approval-policy.ts'
import type { SafetySetting } from '../plan/config/config.ts'
import { nextStep } from '../plan/graph/graph.ts'
import { isFinal, outcomeOf } from '../plan/model/lifecycle.ts'
import type { Params } from '../plan/model/params.ts'
import { statusOf, type Plan, type PlanStatus, type Risk } from '../plan/model/plan.ts'
import type { SourceEntry } from '../plan/model/source-entry.ts'
import { finalRef, planBranch, planRefs, resultRefs, type Oid, type PlanId } from '../plan/model/ids.ts'
import { endOf, readHistory, startOf, type ForeignCommit, type History, type RecordedEvent } from '../store/history.ts'
import { holderOf, readHolding, type Holder } from '../store/holder.ts'
import { readPlanRecords, type Attempt, type Effect, type Rollback } from '../store/attempts-and-rollbacks.ts'
import { existingRemote } from '../store/remote-name.ts'
import { readMerged } from '../store/merged.ts'
import { planFile, readPlanAt, tipOfPlan } from '../store/plan-at.ts'
import type { displayStatuses } from '../store/display-status.ts'
import { isExpired, readOpenStep } from '../store/open-step.ts'
import { approvalOf, type Approval, type ApprovalSettings } from './plan-approval.ts'
import { claimFromText } from '../plan/model/claim.ts'
import { pick } from './pick.ts'
import { revisionsIn } from './plan-revisions.ts'
import { readClonedFrom, type ClonedFrom } from '../plan/record/cloned-from.ts'
import { readArchived, type Archived } from '../store/archive.ts'
import { rollbackBefore } from './rollback-before.ts'
import { viewSteps, type StepView } from './steps.ts'

export interface ViewSettings extends ApprovalSettings {
  readonly staleAfterMs: number
  readonly stalledAfterMs: number
  /** The ref that the policy is read from; undefined: the plan's base. */
  readonly policyRef?: string | undefined
  /** `finish.plan_file: drop`. */
  readonly isFileDropped?: boolean
  /** Globs of paths that the configuration declares critical. */
  readonly critical?: readonly string[]
  /** The user's own programs, and the forms in which they only read. */
  readonly safety?: readonly SafetySetting[]
}

export interface ViewOptions {
  /** plan.dir */
  readonly dir: string
  readonly now: Date
  readonly settings: ViewSettings
  /** The plan's branch and refs/plan/<id>/…, if the caller has them, so that `list` queries Git once for many plans. */
  readonly refs?: readonly Ref[]
  /**
   * Number of commits of the branch to request at first; 1 is enough to keep Git busy if many plans are read at once.
   */
  readonly ahead?: number
  /** Plan and history of this commit, if the caller has read them. */
  readonly known?: { readonly tip: Oid; readonly plan: Plan; readonly history: History }
  /** The caller's own run: its lock does not count as another run in progress. */
  readonly ownRun?: string
  /** Asks the gate whether the plan may run. */
  readonly mayRun?: (plan: { readonly id: PlanId; readonly tip: Oid }) => Promise<boolean>
}

export type DisplayStatus = PlanStatus | (typeof displayStatuses)[number]

/** The JSON of `status`: every field is data. */
export interface PlanSummary {
  readonly id: PlanId
  readonly title: string
  readonly status: PlanStatus
  readonly branch: string
  readonly base: string | null
  readonly tip: Oid
  readonly digest: string
  /** How often the text was replaced; `diff` names texts by it. */
  readonly revision: number
  readonly clonedFrom: ClonedFrom | null
  /** When and by whom it was archived; null: it is not. */
  readonly archived: Archived | null
  readonly request: string | null
  /** The agent that wrote the text, if one did; turns and cost are what it said. */
  readonly generated: GeneratedView | null
  readonly goal: string | null
  readonly owner: string | null
  readonly deliverables: readonly string[]
  readonly context: readonly string[]
  readonly notes: string | null
  readonly meta: Readonly<Record<string, unknown>>
  readonly params: Params
  readonly sources: readonly SourceEntry[]
  readonly risk: Risk
  readonly approval: Approval
  readonly progress: { readonly done: number; readonly total: number }
  readonly next: string | null
  readonly createdAt: string | null
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly steps: readonly StepView[]
  readonly seen: DisplayStatus
  /** If `seen` is rolled-back: the last step that was kept, null for the beginning. */
  readonly rolledBackTo: string | null
  readonly resumable: boolean
  readonly outcome: 'complete' | 'partial' | 'cancelled' | null
  /** The reason that was given for a rejection or a cancellation. */
  readonly reason: string | null
  readonly holder: Holder | null
  /** The step that a driver has: see `git plan next`. */
  readonly open: {
    readonly step: string
    readonly holder: string
    readonly since: string
    readonly until: string
  } | null
  readonly foreign: readonly Omit<ForeignCommit, 'depth'>[]
  readonly rollbacks: readonly Rollback[]
  readonly effects: readonly Effect[]
  readonly attempts: readonly Attempt[]
  /** A done step whose external effect a rollback has undone, with the command that rolls back to before it. */
  readonly undone: { readonly step: string; readonly rollback: string } | null
}

export interface GeneratedView {
  readonly by: string
  /** The first answer, and those after findings. */
  readonly rounds: number
  readonly durationMs: number | null
  readonly turns: number | null
  readonly costUsd: number | null
}

export interface PlanView {
  readonly summary: PlanSummary
  readonly plan: Plan
  /** Path of the plan file in the repository. */
  readonly file: string
  readonly risk: RiskAssessment
  /** Newest first. */
  readonly events: readonly RecordedEvent[]
  /** Commits of others, newest first. */
  readonly foreign: readonly ForeignCommit[]
  /** The commit that the plan starts from; undefined if the branch does not tell. */
  readonly baseCommit: Oid | undefined
}

export async function readPlanView(repo: Repository, id: PlanId, options: ViewOptions): Promise<PlanView> {
  const branch = options.refs?.find(({ name }) => name === planBranch(id))
  const { tip, isBranch } = branch === undefined ? await tipOfPlan(repo, id) : { tip: branch.oid, isBranch: true }
  const file = planFile(options.dir, id)
  const known = options.known?.tip === tip ? options.known : undefined
  const plan = known?.plan ?? (await readPlanAt(repo, tip, { id, file }))
  const refs = options.refs ?? (await repo.refs(planRefs(id)))
  const [{ events, foreign }, kept, holding, handed] = await Promise.all([
    known?.history ?? readHistory(repo, tip, { id, file, ahead: options.ahead }),
    readPlanRecords(repo, id, refs),
    readHolding(repo.commonDir, id),
    plan.status === 'waiting' ? readOpenStep(repo, id, options.refs) : undefined,
  ])
  const merged = await readMerged(repo, plan, {
    file,
    policyRef: options.settings.policyRef,
    since: events.at(-1)?.parent,
    // The setting may have been another one when the plan was finished. For an open plan only the gate looks then.
    isFileAlone: plan.status !== 'completed' && options.settings.isFileDropped !== true,
  })
  const open = handed !== undefined && statusOf(plan, handed.step) === 'waiting' ? handed : undefined
  const holder = holderOf(holding, {
    now: options.now,
    stalledAfterMs: options.settings.stalledAfterMs,
    ownRun: options.ownRun,
  })
  const steps = viewSteps(plan, { events, kept, holder, results: await waitingResults(repo, plan, options) })
  const first = events.at(-1)
  const started = events.findLast((event) => event.step !== undefined)
  const rolledBack = kept.rollbacks.findLast((each) => each.event === 'rollback')
  const isRolledBack = rolledBack !== undefined && (await isAtRollback(repo, tip, events, rolledBack))
  // Another clone has finished the plan, so this branch is out of date.
  const isLeftBehind = isBranch && plan.status !== 'completed' && refs.some(({ name }) => name === finalRef(id))
  // A final ref is written with the merge, which may have left out the plan file.
  const isFinished = plan.status === 'completed' && (!isBranch || refs.some(({ name }) => name === finalRef(id)))
  const isMerged = merged !== undefined || isLeftBehind || isFinished
  const seen = displayStatus(plan.status, {
    holder,
    isRolledBack,
    isStale: isStale({ status: plan.status, updatedAt: events[0]?.at ?? null }, staleBefore(options)),
    isMerged,
    isPausing: plan.status === 'waiting' && ![...plan.state.values()].includes('waiting'),
    isAbandoned: open !== undefined && isExpired(open, options.now),
  })
  const risk = assessRisk(plan, options.settings.critical ?? [], await readersOf(plan, options.settings.safety ?? []))
  const policy = options.settings.approval ?? defaultPolicy
  const summary: PlanSummary = {
    id,
    title: plan.title,
    status: plan.status,
    branch: isBranch ? `plan/${id}` : finalRef(id),
    base: plan.base ?? null,
    tip,
    digest: plan.digest,
    revision: Math.max(0, revisionsIn(events).length - 1),
    clonedFrom: readClonedFrom(events.find(({ clonedFrom }) => clonedFrom !== undefined)?.clonedFrom) ?? null,
    archived: (await readArchived(repo, id, { refs, tip })) ?? null,
    request: plan.request ?? null,
    generated: generatedView(revisionsIn(events).at(-1)),
    goal: plan.goal ?? null,
    owner: plan.owner ?? null,
    deliverables: plan.deliverables,
    context: plan.context,
    notes: plan.notes ?? null,
    meta: plan.meta,
    params: plan.params,
    sources: plan.sources,
    risk: risk.plan,
    approval: await approvalOf(
      repo,
      plan,
      { events, foreign },
      {
        dir: options.dir,
        risk: risk.plan,
        now: options.now,
        settings: options.settings,
        self: await personIn(repo, policy, risk.plan),
        isSubmittable: (await existingRemote(repo)) !== undefined,
      },
    ),
    progress: { done: steps.filter((step) => step.status === 'done').length, total: steps.length },
    next: isMerged || isFinal(plan.status) ? null : (nextStep(plan)?.id ?? null),
    createdAt: first?.at ?? null,
    startedAt:
      started === undefined
        ? null
        : (steps.find((step) => step.commit === started.commit)?.startedAt ?? startOf(started)),
    endedAt: isFinal(plan.status) ? endOfPlan(events) : null,
    steps,
    seen,
    rolledBackTo: isRolledBack ? stepKept(events, tip) : null,
    resumable:
      !isMerged &&
      isResumable(plan.status, { holder, isRolledBack }) &&
      ((await options.mayRun?.({ id, tip })) ?? true),
    outcome: plan.status === 'completed' ? outcomeOf(plan) : plan.status === 'cancelled' ? 'cancelled' : null,
    reason: reasonOf(plan, events),
    holder: holder ?? null,
    open: open === undefined ? null : pick(open, ['step', 'holder', 'since', 'until']),
    foreign: foreign.map(({ depth: _depth, ...commit }) => commit),
    ...kept,
    undone: undoneStep(plan, events, kept.effects),
  }
  return { summary, plan, file, risk, events, foreign, baseCommit: first?.parent }
}

function generatedView(event: RecordedEvent | undefined): GeneratedView | null {
  const claim = claimFromText(event?.claim)
  if (claim === undefined || event === undefined) return null
  const { by, turns = null, costUsd = null } = claim
  return { by, turns, costUsd, rounds: event.attempt ?? 1, durationMs: event.durationMs ?? null }
}

/** The steps that have run and wait to be committed. */
async function waitingResults(repo: Repository, { id, status }: Plan, { refs }: ViewOptions): Promise<Set<string>> {
  if (isFinal(status)) return new Set()
  const prefix = resultRefs(id)
  const names = (refs ?? (await repo.refs(prefix))).map(({ name }) => name)
  return new Set(names.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : [])))
}

/** The person at the keyboard, if the policy does not accept everybody: Git may have to be asked. */
async function personIn(
  repo: Repository,
  { levels, effectRollback }: ApprovalPolicy,
  risk: Risk,
): Promise<Identity | undefined> {
  const { count, not, people, teams } = levels[risk]
  if (count <= 1 && not.length + people.length + teams.length + effectRollback.length === 0) return undefined
  return identityOf(repo, 'COMMITTER').then(selfOf, () => undefined)
}

/** A rollback that stopped at a failing `undo` has gone a part of its way. */
const isAtRollback = async (
  repo: Repository,
  tip: Oid,
  events: readonly RecordedEvent[],
  { from, to }: Rollback,
): Promise<boolean> =>
  to === tip ||
  (from !== tip && events.some(({ commit }) => commit === to) && (await repo.isAncestor(tip, from as Oid)))

function undoneStep(plan: Plan, events: readonly RecordedEvent[], effects: readonly Effect[]): PlanSummary['undone'] {
  const isUndone = (id: string): boolean => effects.findLast(({ step }) => step === id)?.state === 'undone'
  const step = plan.steps.find(
    ({ id, effect }) => effect === 'external' && plan.state.get(id) === 'done' && isUndone(id),
  )
  return step === undefined ? null : { step: step.id, rollback: rollbackBefore(events, step.id, plan.id) }
}

/** The time before which an undecided proposal is stale. No commit date is before 1970. */
const staleBefore = ({ now, settings }: Pick<ViewOptions, 'now' | 'settings'>): string =>
  new Date(Math.max(0, now.getTime() - settings.staleAfterMs)).toISOString()

/** Commit times have one format, so they sort as text. */
const isStale = (plan: { readonly status: PlanStatus; readonly updatedAt: string | null }, before: string): boolean =>
  plan.status === 'proposed' && plan.updatedAt !== null && plan.updatedAt < before

function displayStatus(
  status: PlanStatus,
  facts: {
    holder: Holder | undefined
    isRolledBack: boolean
    isStale: boolean
    isMerged: boolean
    /** It waits for nothing but `resume`. */
    isPausing: boolean
    /** The driver of its step did not come back. */
    isAbandoned: boolean
  },
): DisplayStatus {
  if (facts.holder !== undefined) return facts.holder.state
  if (facts.isMerged) return 'merged'
  if (isFinal(status)) return status
  if (facts.isAbandoned) return 'stalled'
  if (facts.isRolledBack) return 'rolled-back'
  if (facts.isStale) return 'stale'
  return status === 'active' || facts.isPausing ? 'paused' : status
}

const isResumable = (status: PlanStatus, facts: { holder: Holder | undefined; isRolledBack: boolean }): boolean =>
  facts.holder?.state !== 'running' &&
  (status === 'active' ||
    status === 'waiting' ||
    status === 'failed' ||
    (status === 'approved' && (facts.isRolledBack || facts.holder !== undefined)))

const reasonOf = ({ status }: Plan, events: readonly RecordedEvent[]): string | null =>
  (status === 'rejected' || status === 'cancelled'
    ? events.find(({ event }) => event === status)?.reason
    : undefined) ?? null

/** The last event has whole seconds, and the step before it milliseconds. */
const endOfPlan = (events: readonly RecordedEvent[]): string | null =>
  events.slice(0, 2).map(endOf).toSorted().at(-1) ?? null

const stepKept = (events: readonly RecordedEvent[], tip: Oid): string | null =>
  events.find((event) => event.commit === tip)?.step ?? null
