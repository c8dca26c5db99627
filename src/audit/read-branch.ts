// The commits of a plan, oldest first, each with its changed paths.

import type { Repository } from '../git/repository.ts'
import type { Oid, PlanId } from '../plan/model/ids.ts'
import { pathsOfEach } from '../store/changes.ts'
import { readHistory, type ForeignCommit, type History, type RecordedEvent } from '../store/history.ts'

export interface AuditedEvent {
  readonly event: RecordedEvent
  /** Number of events above it. */
  readonly depth: number
  readonly parents: number
  /** Changed paths except the plan file. */
  readonly paths: readonly string[]
  /** Commits of others between this event and the previous one, newest first. */
  readonly foreign: readonly AuditedForeign[]
}

export interface AuditedForeign extends ForeignCommit {
  readonly parents: number
  /** Changed paths except the plan file. */
  readonly paths: readonly string[]
  readonly changesPlanFile: boolean
}

export interface AuditedBranch {
  /** Oldest first. */
  readonly events: readonly AuditedEvent[]
  /** Commits of others above the newest event. */
  readonly onTop: readonly AuditedForeign[]
  readonly history: History
}

/** `known`: the history, if the caller has read it. */
export async function readBranch(
  repo: Repository,
  tip: Oid,
  plan: { readonly id: PlanId; readonly file: string },
  known?: History,
): Promise<AuditedBranch> {
  const history = known ?? (await readHistory(repo, tip, { ...plan, ahead: 64 }))
  const all = [...history.events, ...history.foreign].map(({ commit }) => commit)
  const [changes, touching] = [
    await pathsOfEach(repo, all, { except: plan.file }),
    await pathsOfEach(
      repo,
      history.foreign.map(({ commit }) => commit),
    ),
  ]
  const pathsOf = (commit: Oid): string[] => changes.get(commit) ?? []
  const parentsOf = async (oid: Oid): Promise<number> => (await repo.readCommit(oid))?.parents.length ?? 0
  const foreign: AuditedForeign[] = []
  for (const each of history.foreign)
    foreign.push({
      ...each,
      parents: await parentsOf(each.commit),
      paths: pathsOf(each.commit),
      changesPlanFile: (touching.get(each.commit) ?? []).includes(plan.file),
    })
  const below = new Map<number, AuditedForeign[]>()
  for (const each of foreign) below.set(each.depth, [...(below.get(each.depth) ?? []), each])
  const events: AuditedEvent[] = []
  for (const [depth, event] of history.events.entries()) {
    events.push({
      event,
      depth,
      parents: await parentsOf(event.commit),
      paths: pathsOf(event.commit),
      foreign: below.get(depth + 1) ?? [],
    })
  }
  return { events: events.toReversed(), onTop: below.get(0) ?? [], history }
}
