// The decisions that a plan's branch records, and whether each is about what is there now: this text, this base, this
// policy, these files.

import { sources, type ApprovalPolicy } from '../../plan/config/approval-policy.ts'
import { digestOf } from '../../plan/file/digest.ts'
import type { PlanEvent } from '../../plan/record/trailers.ts'
import { identityFrom, type Identity } from './identity.ts'
import type { Decision } from './judge-decisions.ts'

/** What an approval is bound to. */
export interface Binding {
  readonly digest: string
  /** The commit that the plan was put on. */
  readonly base: string
  /** The configuration, as an object of Git; `none` where there is none. */
  readonly policy: string
}

/** A commit on the branch that is not the plan's. */
export interface Stranger {
  readonly commit: string
  /** How many events are above it. */
  readonly depth: number
}

/** An event with what its commit says. */
export interface Recorded extends PlanEvent {
  readonly commit: string
  readonly at: string
  readonly by: string
  readonly isSigned: boolean
}

const specEvents = new Set(['proposed', 'replanned', 'rebased'])

/**
 * Commits of which a review is one of this text with all that lies below it: its own, and the executor's above it; of a
 * fix, where that wants a new approval.
 */
export function reviewable(
  branch: Branch & { readonly tip: string },
  policy: Pick<ApprovalPolicy, 'fixes'>,
): Set<string> {
  const { events } = branch
  const spec = events.findIndex(({ event }) => specEvents.has(event))
  const strangers = strangersOf(branch)
  const fix = events.findIndex((event) => voids(event, policy))
  const lowest = Math.min(spec + 1, ...(fix < 0 ? [] : [fix + 1]), ...strangers.map(({ depth }) => depth))
  const isStrangerOnTop = strangers.some(({ commit }) => commit === branch.tip)
  return new Set([...events.slice(0, lowest).map(({ commit }) => commit), ...(isStrangerOnTop ? [branch.tip] : [])])
}

/**
 * Commits of the branch that have the text of now, or one that it only leaves steps out of, where the policy lets that
 * pass.
 */
export function commitsOfText(
  { events, foreign }: Branch,
  { removals }: Pick<ApprovalPolicy, 'removals'>,
): Set<string> {
  const specs = events.flatMap((event, index) => (specEvents.has(event.event) ? [{ event, index }] : []))
  const spec = specs.find(({ event }) => event.replaces === undefined || removals !== 'allow')?.index ?? -1
  return new Set([
    ...events.slice(0, spec + 1).map(({ commit }) => commit),
    ...foreign.filter(({ depth }) => depth <= spec).map(({ commit }) => commit),
  ])
}

/** Those that no fix has adopted, below the event at `index`, as one digest; undefined: there are none. */
export function strangersBelow({ events, foreign }: Branch, index: number): string | undefined {
  const below = strangersOf({ events, foreign }).filter(({ depth }) => depth > index)
  return below.length === 0 ? undefined : digestOf(below.map(({ commit }) => `${commit}\n`).join(''))
}

const strangersOf = <Each extends Stranger>({
  events,
  foreign,
}: {
  events: readonly Recorded[]
  foreign: readonly Each[]
}): Each[] => foreign.filter(({ depth }) => !isAdopting(events[depth - 1]))

/** A fix takes over what a person has committed, a new proposal the text that somebody has. */
const isAdopting = (event: Recorded | undefined): boolean =>
  event !== undefined && (['fixed', 'declared'].includes(event.event) || event.adopts !== undefined)

/** Commits that are not the plan's, and that its newest approval does not name. */
export function unnamed<Each extends Stranger>(branch: {
  events: readonly Recorded[]
  foreign: readonly Each[]
}): Each[] {
  const newest = branch.events.findIndex(({ event }) => event === 'approved')
  const isNaming =
    newest >= 0 &&
    branch.events[newest]?.files !== undefined &&
    branch.events[newest].files === strangersBelow(branch, newest)
  return strangersOf(branch).filter(({ depth }) => !isNaming || depth <= newest)
}

interface Branch {
  /** Newest first, both. */
  readonly events: readonly Recorded[]
  readonly foreign: readonly Stranger[]
}

/** Oldest first. */
export function decisionsFrom(
  branch: Branch,
  binding: Binding,
  policy: Pick<ApprovalPolicy, 'fixes' | 'removals'>,
): Decision[] {
  const found: Decision[] = []
  const digests = new Set([binding.digest])
  let since: string | undefined
  const deepest = Math.max(-1, ...strangersOf(branch).map(({ depth }) => depth))
  for (const [index, event] of branch.events.entries()) {
    // Which they are is asked only of an approval that names some: a branch can have thousands of either.
    const files = deepest <= index ? undefined : event.files === undefined ? 'unnamed' : strangersBelow(branch, index)
    if (event.event === 'approved') found.push(decisionFrom(event, { ...binding, digests, files, since }))
    if (event.event === 'rejected') break
    if (voids(event, policy))
      since ??= `${event.event === 'fixed' ? 'a fix was committed' : `${event.step ?? 'a step'} was done by hand`} since (${event.commit.slice(0, 10)}), and the policy then requires a new approval (fixes: reapprove)`
    if (!specEvents.has(event.event)) continue
    // Only what has left steps out keeps what was said of the text before it.
    if (event.replaces === undefined || policy.removals !== 'allow') break
    digests.add(event.replaces)
  }
  return found.toReversed()
}

/** What a person has done by hand is looked at anew, where the policy says so. */
const voids = ({ event }: Recorded, { fixes }: Pick<ApprovalPolicy, 'fixes'>): boolean =>
  fixes === 'reapprove' && (event === 'fixed' || event === 'declared')

type Bound = Binding & {
  readonly digests: ReadonlySet<string>
  readonly files: string | undefined
  readonly since: string | undefined
}

function decisionFrom(event: Recorded, binding: Bound): Decision {
  const source =
    event.approval === 'policy' ? event.approval : (sources.find((name) => name === event.approval) ?? 'local')
  const problem =
    changedSince(event, binding) ??
    (source === 'signature' && !event.isSigned ? 'it claims to be signed, but is not' : undefined)
  // Only a forge knows its teams.
  const teams = source !== 'review' ? undefined : event.teams?.split(/,\s*/).filter((team) => team !== '')
  return {
    source,
    by: identityFrom(event.approvedBy ?? event.by),
    at: event.at,
    problem,
    commit: event.commit,
    ...(teams === undefined ? {} : { teams }),
  }
}

/** What is not as it was approved; undefined: all is. */
function changedSince(event: Recorded, binding: Bound): string | undefined {
  const short = (text: string | undefined): string => text?.slice(0, 12) ?? 'none'
  if (event.digest === undefined || !binding.digests.has(event.digest))
    return `the text has changed: ${short(event.digest)} was approved, it is now ${short(binding.digest)}`
  if (event.base !== binding.base)
    return `the base has changed: it was approved on ${short(event.base)}, it is now on ${short(binding.base)}`
  if (event.policy !== binding.policy)
    return `the policy has changed: config.yml was ${short(event.policy)}, it is now ${short(binding.policy)}`
  if (event.files !== binding.files) return 'the other commits on its branch are not those that were approved'
  return binding.since
}

/** Whether somebody has to look at what came of the plan before it is finished. */
export const isResultAsked = (
  { resultReview }: Pick<ApprovalPolicy, 'resultReview'>,
  events: readonly Pick<PlanEvent, 'event' | 'approval'>[],
): boolean =>
  resultReview === 'required' ||
  (resultReview === 'reviewed' && events.some(({ event, approval }) => event === 'approved' && approval === 'review'))

/**
 * Who wrote the plan, and who changed it last: its text, or with commits of their own what lies on its branch. Newest
 * first, both.
 */
export function peopleOf({ events, foreign }: People): {
  author: readonly Identity[]
  lastPusher: readonly Identity[]
} {
  const spec = events.filter(({ event }) => specEvents.has(event))
  const [newest] = spec
  const identity = (...made: readonly (Pick<Recorded, 'by'> | undefined)[]): Identity[] =>
    made.flatMap((each) => (each === undefined ? [] : [identityFrom(each.by)]))
  // Whoever takes a text over did not write it.
  const at = newest === undefined ? -1 : events.indexOf(newest)
  const since = foreign.filter(({ depth }) => depth <= at + (newest?.adopts === undefined ? 0 : 1))
  const pushed = since.filter(({ depth }) => events[depth - 1] === newest || !isAdopting(events[depth - 1]))
  return { author: identity(spec.at(-1)), lastPusher: identity(newest, ...pushed) }
}

/** Of a result: who made it. */
export const ranBy = (events: readonly Pick<Recorded, 'event' | 'by'>[]): Identity[] =>
  events.filter(({ event }) => event === 'completed').map(({ by }) => identityFrom(by))

interface People {
  readonly events: readonly Recorded[]
  readonly foreign: readonly (Stranger & { readonly by: string })[]
}
