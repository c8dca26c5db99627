// The decisions recorded on a plan's branch, and whether each still applies to the current text, base, policy and
// files.

import { allSources, type ApprovalPolicy } from '../../plan/config/approval-policy.ts'
import { digestOf } from '../../plan/file/digest.ts'
import type { PlanEvent } from '../../plan/record/trailers.ts'
import { identityFrom, type Identity } from './identity.ts'
import type { Decision } from './judge-decisions.ts'

/** The values to which an approval is bound. */
export interface Binding {
  readonly digest: string
  /** The commit that the plan starts from. */
  readonly base: string
  /** The object id of the configuration; `none` if there is none. */
  readonly policy: string
}

/** A commit on the branch that is not the executor's. */
export interface CommitAtDepth {
  readonly commit: string
  /** The number of events above it. */
  readonly depth: number
}

/** An event with the facts of its commit. */
export interface Recorded extends PlanEvent {
  readonly commit: string
  readonly at: string
  readonly by: string
  readonly isSigned: boolean
}

const specEvents = new Set(['proposed', 'replanned', 'rebased'])

/**
 * Returns the commits whose review covers this text and everything below it: the proposal and the executor's commits
 * above it. After a fix that requires a new approval, only the commits from the fix on.
 */
export function reviewable(
  branch: Branch & { readonly tip: string },
  policy: Pick<ApprovalPolicy, 'fixes'>,
): Set<string> {
  const { events } = branch
  const spec = events.findIndex(({ event }) => specEvents.has(event))
  const unadopted = unadoptedCommits(branch)
  const fix = events.findIndex((event) => requiresNewApproval(event, policy))
  const lowest = Math.min(spec + 1, ...(fix < 0 ? [] : [fix + 1]), ...unadopted.map(({ depth }) => depth))
  const isForeignOnTop = unadopted.some(({ commit }) => commit === branch.tip)
  return new Set([...events.slice(0, lowest).map(({ commit }) => commit), ...(isForeignOnTop ? [branch.tip] : [])])
}

/**
 * Returns the commits that have the current text, or an earlier one from which steps were only removed if the policy
 * allows that.
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

/** Returns a digest of the commits below the event at `index` that no fix has adopted, undefined if there are none. */
export function foreignDigestBelow({ events, foreign }: Branch, index: number): string | undefined {
  const below = unadoptedCommits({ events, foreign }).filter(({ depth }) => depth > index)
  return below.length === 0 ? undefined : digestOf(below.map(({ commit }) => `${commit}\n`).join(''))
}

const unadoptedCommits = <Each extends CommitAtDepth>({
  events,
  foreign,
}: {
  events: readonly Recorded[]
  foreign: readonly Each[]
}): Each[] => foreign.filter(({ depth }) => !isAdopting(events[depth - 1]))

/** A fix adopts a person's commits; a new proposal adopts a text that somebody committed. */
const isAdopting = (event: Recorded | undefined): boolean =>
  event !== undefined && (['fixed', 'declared'].includes(event.event) || event.adopts !== undefined)

/** Returns the foreign commits that the newest approval does not name. */
export function unapprovedCommits<Each extends CommitAtDepth>(branch: {
  events: readonly Recorded[]
  foreign: readonly Each[]
}): Each[] {
  const newest = branch.events.findIndex(({ event }) => event === 'approved')
  const isNaming =
    newest >= 0 &&
    branch.events[newest]?.files !== undefined &&
    branch.events[newest].files === foreignDigestBelow(branch, newest)
  return unadoptedCommits(branch).filter(({ depth }) => !isNaming || depth <= newest)
}

interface Branch {
  /** Both newest first. */
  readonly events: readonly Recorded[]
  readonly foreign: readonly CommitAtDepth[]
}

/** Returns the decisions, oldest first. */
export function decisionsFrom(
  branch: Branch,
  binding: Binding,
  policy: Pick<ApprovalPolicy, 'fixes' | 'removals'>,
): Decision[] {
  const found: Decision[] = []
  const digests = new Set([binding.digest])
  let since: string | undefined
  const deepest = Math.max(-1, ...unadoptedCommits(branch).map(({ depth }) => depth))
  for (const [index, event] of branch.events.entries()) {
    // The digest is computed only for an approval that names commits: a branch can have thousands of both.
    const files =
      deepest <= index ? undefined : event.files === undefined ? 'unnamed' : foreignDigestBelow(branch, index)
    if (event.event === 'approved') found.push(decisionFrom(event, { ...binding, digests, files, since }))
    if (event.event === 'rejected') break
    if (requiresNewApproval(event, policy))
      since ??= `${event.event === 'fixed' ? 'a fix was committed' : `${event.step ?? 'a step'} was done by hand`} since (${event.commit.slice(0, 10)}), and the policy then requires a new approval (fixes: reapprove)`
    if (!specEvents.has(event.event)) continue
    // Only a removal of steps keeps earlier approvals valid.
    if (event.replaces === undefined || policy.removals !== 'allow') break
    digests.add(event.replaces)
  }
  return found.toReversed()
}

/** With `fixes: reapprove`, manual work requires a new approval. */
const requiresNewApproval = ({ event }: Recorded, { fixes }: Pick<ApprovalPolicy, 'fixes'>): boolean =>
  fixes === 'reapprove' && (event === 'fixed' || event === 'declared')

type Bound = Binding & {
  readonly digests: ReadonlySet<string>
  readonly files: string | undefined
  readonly since: string | undefined
}

function decisionFrom(event: Recorded, binding: Bound): Decision {
  const source =
    event.approval === 'policy' ? event.approval : (allSources.find((name) => name === event.approval) ?? 'local')
  const problem =
    changedSince(event, binding) ??
    (source === 'campaign' && event.campaignProof === undefined ? 'it has no proof of its campaign' : undefined) ??
    (source === 'signature' && !event.isSigned ? 'it claims to be signed, but is not' : undefined)
  // Only the forge knows its teams.
  const teams = source !== 'review' ? undefined : event.teams?.split(/,\s*/).filter((team) => team !== '')
  return {
    source,
    by: identityFrom(event.approvedBy ?? event.by),
    at: event.at,
    problem,
    commit: event.commit,
    ...(source === 'campaign' && event.campaignProof !== undefined
      ? { campaign: { at: event.campaign ?? '', proof: event.campaignProof, digest: event.digest ?? '' } }
      : {}),
    ...(teams === undefined ? {} : { teams }),
  }
}

/** Returns what changed since the approval, undefined if nothing did. */
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

/** True if the result of the plan has to be approved before it is finished. */
export const isResultAsked = (
  { resultReview }: Pick<ApprovalPolicy, 'resultReview'>,
  events: readonly Pick<PlanEvent, 'event' | 'approval'>[],
): boolean =>
  resultReview === 'required' ||
  (resultReview === 'reviewed' && events.some(({ event, approval }) => event === 'approved' && approval === 'review'))

/**
 * Returns the author of the plan, and the people who last changed its text or added commits to its branch. Both newest
 * first.
 */
export function peopleOf({ events, foreign }: People): {
  author: readonly Identity[]
  lastPusher: readonly Identity[]
} {
  const spec = events.filter(({ event }) => specEvents.has(event))
  const [newest] = spec
  const identity = (...made: readonly (Pick<Recorded, 'by'> | undefined)[]): Identity[] =>
    made.flatMap((each) => (each === undefined ? [] : [identityFrom(each.by)]))
  // Adopting a text does not make somebody its author.
  const at = newest === undefined ? -1 : events.indexOf(newest)
  const since = foreign.filter(({ depth }) => depth <= at + (newest?.adopts === undefined ? 0 : 1))
  const pushed = since.filter(({ depth }) => events[depth - 1] === newest || !isAdopting(events[depth - 1]))
  return { author: identity(spec.at(-1)), lastPusher: identity(newest, ...pushed) }
}

/** Returns the people who ran the plan to completion. */
export const executorsOf = (events: readonly Pick<Recorded, 'event' | 'by'>[]): Identity[] =>
  events.filter(({ event }) => event === 'completed').map(({ by }) => identityFrom(by))

interface People {
  readonly events: readonly Recorded[]
  readonly foreign: readonly (CommitAtDepth & { readonly by: string })[]
}
