// The commits of a plan, newest first: its own events, and commits that somebody else put between them.

import { basename, dirname } from 'node:path'
import { PlanError } from '../errors.ts'
import { instantOf, type Commit } from '../git/write/commit.ts'
import { shown, type RawPath } from '../git/read/raw-path.ts'
import type { Repository } from '../git/repository.ts'
import { readTree } from '../git/read/tree-text.ts'
import { eventOf, parseMessage, type Message, type PlanEvent } from '../plan/record/trailers.ts'
import type { Oid, PlanId } from '../plan/model/ids.ts'

export interface RecordedEvent extends PlanEvent {
  readonly commit: Oid
  readonly parent: Oid | undefined
  readonly subject: string
  readonly body: string
  /** The committer date: when the event was recorded. */
  readonly at: string
  readonly by: string
  readonly isSigned: boolean
}

/** When the attempt began. Commits have whole seconds; earlier versions recorded only the duration. */
export const startOf = ({ startedAt, at, durationMs }: RecordedEvent): string =>
  startedAt ?? new Date(Date.parse(at) - (durationMs ?? 0)).toISOString()

/** A commit without a signature only claims to be a signed approval. */
export const approvalSource = ({ approval, isSigned }: RecordedEvent): string | undefined =>
  approval === 'signature' && !isSigned ? undefined : approval

export const endOf = ({ endedAt, at }: RecordedEvent): string => endedAt ?? at

/** True if the event ends a step. */
export const isStepEvent = ({ event }: PlanEvent): boolean => ['step', 'declared', 'skipped'].includes(event)

export interface ForeignCommit {
  readonly commit: Oid
  readonly subject: string
  readonly at: string
  readonly by: string
  readonly isMerge: boolean
  /** The number of events above it. */
  readonly depth: number
}

export interface History {
  readonly events: readonly RecordedEvent[]
  readonly foreign: readonly ForeignCommit[]
}

// Without this limit, a branch without any event of its plan would be read to its root.
const maxCommits = 20_000
// All messages stay in memory, and each can be large.
const maxLetters = 64 * 1024 * 1024

export interface HistoryRequest {
  readonly id: PlanId
  readonly file: string
  /** The number of commits in the first request. */
  readonly ahead?: number | undefined
  /** An already read history of a commit further down: only the commits above it are read. */
  readonly below?: { readonly tip: Oid; readonly history: History } | undefined
}

export async function readHistory(repo: Repository, tip: Oid, plan: HistoryRequest): Promise<History> {
  const events: RecordedEvent[] = []
  const foreign: ForeignCommit[] = []
  let foreignBelow: ForeignCommit[] = []
  let walked = 0
  let letters = 0
  // A round trip to Git costs more than a commit, so commits are read in growing batches, at the price of a few that
  // lie below the plan.
  let count = plan.ahead ?? 8
  let commits = await repo.firstParents(tip, count)
  for (let at = 0; walked < maxCommits; at++, walked++) {
    const below = at === commits.length ? commits.at(-1)?.parents[0] : undefined
    if (below !== undefined) {
      count = Math.min(count * 2, 64)
      commits = await repo.firstParents(below, count)
      at = 0
    }
    const commit = commits[at]
    if (commit === undefined) break
    if (commit.oid === plan.below?.tip)
      return joinHistories(plan.below.history, { events, foreign: [...foreign, ...foreignBelow] })
    letters += commit.message.length
    if (letters > maxLetters)
      throw new PlanError('too-large', `the commit messages of plan/${plan.id} exceed ${maxLetters / 1024 / 1024} MB`, {
        hint: `git log --oneline plan/${plan.id}`,
      })
    const message = parseMessage(commit.message)
    const event = eventOf(message)
    if (event?.plan !== plan.id) {
      foreignBelow.push(foreignFrom(commit, message, events.length))
      continue
    }
    foreign.push(...foreignBelow)
    foreignBelow = []
    events.push({ ...event, ...recordFrom(commit, message) })
    if (event.event === 'rebased') break
    if (event.event === 'proposed' && !(await wasProposedBefore(repo, commit.parents[0], plan))) break
  }
  return { events, foreign }
}

const joinHistories = (below: History, { events, foreign }: History): History => ({
  events: [...events, ...below.events],
  foreign: [...foreign, ...below.foreign.map((each) => ({ ...each, depth: each.depth + events.length }))],
})

/** An edited proposal is proposed again: the plan began if the parent contains no open plan of this name. */
async function wasProposedBefore(
  repo: Repository,
  parent: Oid | undefined,
  plan: { id: PlanId; file: string },
): Promise<boolean> {
  if (parent === undefined || !(await namesAt(repo, parent, dirname(plan.file))).has(basename(plan.file))) return false
  const bytes = await repo.readBlob(`${parent}:${plan.file}`)
  return bytes !== undefined && !/^status: (completed|cancelled)\r?$/m.test(frontMatterOf(bytes))
}

/**
 * Does not parse the YAML: a hostile branch may contain thousands of large texts. No other key of a plan starts a line
 * with `status:`.
 */
function frontMatterOf(bytes: Buffer): string {
  const text = bytes.toString('latin1')
  const end = text.indexOf('\n---', 3)
  return end < 0 ? text : text.slice(0, end + 1)
}

/** Most plans begin at the same few commits, so each directory is read once. */
const namesAt = (repo: Repository, commit: Oid, directory: string): Promise<ReadonlySet<string>> =>
  repo.once(`names in ${directory} at ${commit}`, async () => {
    const tree = await repo.readObject(`${commit}:${directory}`)
    return new Set(
      tree?.type === 'tree'
        ? [...readTree(tree.bytes, repo.objectFormat).keys()].map((name) => shown(name as RawPath))
        : [],
    )
  })

const personOf = (commit: Commit): string => `${commit.author.name} <${commit.author.email}>`

const foreignFrom = (commit: Commit, { subject }: Message, depth: number): ForeignCommit => ({
  depth,
  commit: commit.oid,
  subject,
  at: instantOf(commit.committer),
  by: personOf(commit),
  isMerge: commit.parents.length > 1,
})

function recordFrom(commit: Commit, { subject, body }: Message): Omit<RecordedEvent, keyof PlanEvent> {
  return {
    commit: commit.oid,
    parent: commit.parents[0],
    subject,
    body,
    at: instantOf(commit.committer),
    by: personOf(commit),
    isSigned: commit.isSigned,
  }
}
