// The commits of a plan, oldest first, each with its plan file and the paths that it changed.

import type { Repository } from '../git/repository.ts'
import type { PlanText } from '../plan/parse.ts'
import type { Plan } from '../plan/plan.ts'
import { readOnce } from '../plan/read-once.ts'
import type { Oid, PlanId } from '../plan/values.ts'
import { changesOfEach } from '../report/changes.ts'
import { readHistory, type ForeignCommit, type History, type RecordedEvent } from '../report/history.ts'

export interface PlanFile {
  readonly bytes: Buffer
  readonly plan: Plan
  readonly source: PlanText
}

export interface AuditedEvent {
  readonly event: RecordedEvent
  /** How many events are above it. */
  readonly depth: number
  readonly parents: number
  /** undefined: there is none, or it is no plan; then `problem` says why. */
  readonly file: PlanFile | undefined
  readonly problem: string | undefined
  /** But the plan file. */
  readonly paths: readonly string[]
  /** Commits of others between this event and the one before it, newest first. */
  readonly foreign: readonly AuditedForeign[]
}

export interface AuditedForeign extends ForeignCommit {
  /** But the plan file. */
  readonly paths: readonly string[]
  readonly changesPlanFile: boolean
}

export interface AuditedBranch {
  /** Oldest first. */
  readonly events: readonly AuditedEvent[]
  /** Above the newest event. */
  readonly onTop: readonly AuditedForeign[]
  readonly history: History
}

export async function readBranch(repo: Repository, tip: Oid, plan: { readonly id: PlanId; readonly file: string }): Promise<AuditedBranch> {
  const history = await readHistory(repo, tip, { ...plan, ahead: 64 })
  const all = [...history.events, ...history.foreign].map(({ commit }) => commit)
  const [changes, touching] = [
    await changesOfEach(repo, all, { except: plan.file }),
    await changesOfEach(
      repo,
      history.foreign.map(({ commit }) => commit),
    ),
  ]
  const pathsOf = (commit: Oid): string[] => (changes.get(commit) ?? []).map(({ path }) => path)
  const foreign = history.foreign.map((each) => ({
    ...each,
    paths: pathsOf(each.commit),
    changesPlanFile: (touching.get(each.commit) ?? []).some(({ path }) => path === plan.file),
  }))
  const events: AuditedEvent[] = []
  for (const [depth, event] of history.events.entries()) {
    const commit = await repo.readCommit(event.commit)
    events.push({
      event,
      depth,
      parents: commit?.parents.length ?? 0,
      ...(await planFileAt(repo, event.commit, plan)),
      paths: pathsOf(event.commit),
      foreign: foreign.filter((each) => each.depth === depth + 1),
    })
  }
  return { events: events.toReversed(), onTop: foreign.filter(({ depth }) => depth === 0), history }
}

async function planFileAt(repo: Repository, commit: Oid, { id, file }: { id: PlanId; file: string }): Promise<Pick<AuditedEvent, 'file' | 'problem'>> {
  const bytes = await repo.readBlob(`${commit}:${file}`)
  if (bytes === undefined) return { file: undefined, problem: `there is no ${file}` }
  const read = readOnce(bytes, { file, id })
  if (!read.ok) return { file: undefined, problem: `${file} is no plan: line ${read.findings[0]?.line ?? 1}: ${read.findings[0]?.message ?? ''}` }
  if (read.plan.id !== id) return { file: undefined, problem: `${file} is the plan ${read.plan.id}` }
  return { file: { bytes, plan: read.plan, source: read.source }, problem: undefined }
}
