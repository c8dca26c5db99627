// Decides whether an event was permitted when it was recorded: by the decisions below it on the branch, and the policy
// that they name.

import { decisionsFrom, isResultAsked, peopleOf, executorsOf, unapprovedCommits } from '../approval/rules/decisions.ts'
import { identityFrom } from '../approval/rules/identity.ts'
import { judge, type Circumstances, type Decision, type Verdict } from '../approval/rules/judge-decisions.ts'
import type { OwnedPath } from '../approval/rules/open-owners.ts'
import { progressText } from '../approval/rules/progress-text.ts'
import { readersOf } from '../judge/plan/readers.ts'
import { assessRisk, riskOfResult, type Changes } from '../judge/plan/risk.ts'
import type { Repository } from '../git/repository.ts'
import type { PlanEventName } from '../plan/model/lifecycle.ts'
import type { Plan, Risk } from '../plan/model/plan.ts'
import type { History, RecordedEvent } from '../store/history.ts'
import { ownedPaths, verifyDecision, type Verification } from '../store/policy-facts.ts'
import { HistoryBelow } from './commits-below.ts'
import type { Policies, Policy } from './policies.ts'

/** Events that record work. */
const workEvents: ReadonlySet<PlanEventName> = new Set([
  'baseline',
  'step',
  'declared',
  'skipped',
  'failed',
  'fixed',
  'waiting',
  'completed',
])

type People = Pick<Circumstances, 'author' | 'lastPusher' | 'starter'>

export interface Permission {
  readonly problem: string | undefined
  readonly counted: readonly Decision[]
  readonly policy: string
}

/** One instance per branch, so that proofs and assessments are computed once. */
export class Permissions {
  readonly #repo: Repository
  readonly #dir: string
  readonly #history: History
  readonly #below: HistoryBelow
  readonly #policies: Policies
  #began: ReadonlyMap<string, number> | undefined
  readonly #permissions = new Map<string, Promise<Permission>>()
  readonly #proven = new Map<string, Promise<Decision>>()
  readonly #assessed = new Map<string, Promise<{ risk: Risk; owned: readonly OwnedPath[] }>>()

  constructor(repo: Repository, options: { dir: string; history: History; policies: Policies }) {
    this.#repo = repo
    this.#dir = options.dir
    this.#history = options.history
    this.#below = new HistoryBelow(options.history)
    this.#policies = options.policies
  }

  /**
   * Permission of the event at `depth`, by the history below it; `plan` is the plan before it. undefined: it needs
   * none.
   */
  async of(event: RecordedEvent, depth: number, plan: Plan): Promise<Permission | undefined> {
    if (!workEvents.has(event.event)) return undefined
    const below = this.#below.before(depth)
    // A plan of a thousand steps has few points at which something was decided.
    const key = [
      below.events.length,
      below.foreign.length,
      plan.digest,
      event.by,
      await this.#expiry(below, event),
    ].join(' ')
    const judged =
      this.#permissions.get(key) ??
      this.#permissionFor(event, plan, below, { ...peopleOf(below), starter: [identityFrom(event.by)] })
    this.#permissions.set(key, judged)
    return judged
  }

  /** Differs where an approval may have expired between two events. */
  async #expiry(below: History, event: RecordedEvent): Promise<string> {
    const isForever = (await this.#policyOf(below))?.config.approval.expires === undefined
    return isForever && below.events.every(({ approval }) => approval !== 'campaign') ? '' : event.at
  }

  /** Permission of the result of a completed plan, by the decisions after its completion. */
  async ofResult(plan: Plan): Promise<Permission | undefined> {
    const { events } = this.#history
    const completed = events.findIndex(({ event }) => event === 'completed')
    const newest = events[0]
    if (completed < 0 || newest === undefined) return undefined
    const afterCompletion = { events: events.slice(0, completed), foreign: [] }
    const policy = (await this.#policyOf(afterCompletion)) ?? this.#policies.current
    if (!isResultAsked(policy.config.approval, events.slice(completed))) return undefined
    // The same exclusions apply to the result: the author and whoever ran the plan.
    return this.#permissionFor(newest, plan, afterCompletion, {
      ...peopleOf(this.#history),
      starter: executorsOf(events),
    })
  }

  /**
   * For a plan that is taken over: what the current policy still requires, whichever policy the decisions name.
   * undefined: nothing.
   */
  async ofNow(plan: Plan, changes: Changes): Promise<string | undefined> {
    const policy = this.#policies.current
    const { events, foreign } = this.#history
    const newest = events.find(({ event }) => workEvents.has(event)) ?? events[0]
    if (newest === undefined) return 'nobody has approved the plan'
    const completed = plan.status === 'completed' ? events.findIndex(({ event }) => event === 'completed') : -1
    const bound = await this.#boundNow()
    const assessed = await this.#assess(plan, policy)
    const risk = riskOfResult(changes, policy.config.risk.critical, assessed.risk)
    const owned = await this.#ownedBy(plan, policy, risk, changes.paths)
    const people = { ...peopleOf(this.#history), starter: [identityFrom(newest.by)], policy, risk, owned }
    const below = foreign.flatMap((each) =>
      each.depth > completed ? [{ ...each, depth: each.depth - completed - 1 }] : [],
    )
    const verdict = await this.#verdict(newest, plan, { events: bound.slice(completed + 1), foreign: below }, people)
    if (verdict.isSatisfied) return undefined
    // Whoever approved the result under this policy has seen everything below it.
    const ofResult = await this.#verdict(
      newest,
      plan,
      { events: bound.slice(0, Math.max(0, completed)), foreign: [] },
      people,
    )
    return ofResult.isSatisfied
      ? undefined
      : `under the policy in force here the plan has ${progressText(verdict, risk)}`
  }

  /** The events, with approvals under a policy that was in force at the time bound to the current one. */
  #boundNow(): Promise<RecordedEvent[]> {
    const base = this.#history.events.at(-1)?.parent
    const { blob } = this.#policies.current
    return Promise.all(
      this.#history.events.map(async (each) => {
        const isBound =
          each.event === 'approved' && (await this.#policies.named(each.policy, base, each.at)) !== undefined
        return isBound ? { ...each, policy: blob } : each
      }),
    )
  }

  async #policyOf({ events }: History): Promise<Policy | undefined> {
    const approval = events.find(({ event }) => event === 'approved')
    return approval === undefined
      ? undefined
      : this.#policies.named(approval.policy, this.#history.events.at(-1)?.parent, approval.at)
  }

  async #permissionFor(event: RecordedEvent, plan: Plan, below: History, people: People): Promise<Permission> {
    const approval = below.events.find(({ event }) => event === 'approved')
    const policy = await this.#policyOf(below)
    if (approval === undefined) return { problem: 'nobody had approved the plan', counted: [], policy: 'none' }
    if (policy === undefined)
      return {
        problem: `its approval is for the policy ${approval.policy?.slice(0, 12) ?? '(none)'}, which was not in force then`,
        counted: [],
        policy: 'none',
      }
    const strangers = unapprovedCommits(below)
    const verdict = await this.#verdict(event, plan, below, { ...people, policy })
    const { risk } = await this.#assess(plan, policy)
    const problem =
      strangers.length > 0
        ? `no approval includes ${strangers.map(({ commit }) => commit.slice(0, 10)).join(', ')}, which it is based on`
        : verdict.isSatisfied
          ? undefined
          : `the plan had ${progressText(verdict, risk)}`
    return { problem, counted: verdict.counted, policy: policy.blob }
  }

  async #verdict(
    event: RecordedEvent,
    plan: Plan,
    below: History,
    {
      policy,
      ...people
    }: People & { readonly policy: Policy; readonly risk?: Risk; readonly owned?: readonly OwnedPath[] },
  ): Promise<Verdict> {
    const binding = { digest: plan.digest, base: this.#history.events.at(-1)?.parent ?? 'none', policy: policy.blob }
    const decisions: Decision[] = []
    for (const decision of decisionsFrom(below, binding, policy.config.approval))
      decisions.push(await this.#prove(decision, policy, { branch: plan.base, now: this.#runBegan(event) }))
    const { risk, owned } = await this.#assess(plan, policy)
    // The time at which the run began, as the executor judges it.
    return judge(decisions, {
      risk,
      owned,
      policy: policy.config.approval,
      now: this.#runBegan(event),
      ...people,
    })
  }

  #runBegan({ run, at }: RecordedEvent): Date {
    this.#began ??= runStarts(this.#history)
    return new Date(this.#began.get(run ?? '') ?? at)
  }

  #prove(decision: Decision, policy: Policy, at: Pick<Verification, 'branch' | 'now'>): Promise<Decision> {
    // Only a campaign's approval depends on when the plan runs.
    const when = decision.source === 'campaign' ? at.now.toISOString() : ''
    const key = `${decision.commit} ${decision.problem ?? ''} ${policy.ref ?? ''} ${policy.blob} ${when}`
    const known =
      this.#proven.get(key) ??
      verifyDecision(this.#repo, { ref: policy.ref, dir: this.#dir }, decision, {
        ...at,
        base: this.#history.events.at(-1)?.parent,
        campaigns: policy.config.approval.campaigns,
      })
    this.#proven.set(key, known)
    return known
  }

  #assess(plan: Plan, policy: Policy): Promise<{ risk: Risk; owned: readonly OwnedPath[] }> {
    const key = `${plan.digest} ${policy.blob}`
    const known = this.#assessed.get(key) ?? this.#assessAnew(plan, policy)
    this.#assessed.set(key, known)
    return known
  }

  async #assessAnew(plan: Plan, policy: Policy): Promise<{ risk: Risk; owned: readonly OwnedPath[] }> {
    const { config } = policy
    const risk = assessRisk(plan, config.risk.critical, await readersOf(plan, config.safety)).plan
    return { risk, owned: await this.#ownedBy(plan, policy, risk, []) }
  }

  /** `paths`: paths changed by its commits, in addition to those in its text. */
  async #ownedBy(
    plan: Plan,
    { config, ref }: Policy,
    risk: Risk,
    paths: readonly string[],
  ): Promise<readonly OwnedPath[]> {
    const base = this.#history.events.at(-1)?.parent ?? 'HEAD'
    return config.approval.levels[risk].codeowners
      ? ownedPaths(this.#repo, { ref, dir: this.#dir }, plan, { at: base, paths })
      : []
  }
}

/** Start time of each run: the earliest start of any of its commits. */
function runStarts({ events }: History): Map<string, number> {
  const began = new Map<string, number>()
  for (const { run, at, durationMs } of events)
    if (run !== undefined)
      began.set(run, Math.min(began.get(run) ?? Number.POSITIVE_INFINITY, Date.parse(at) - (durationMs ?? 0)))
  return began
}
