// The records beside the branch, under refs/plan/<id>/: attempts, rollbacks, external effects.

import { instantOf, parsePerson } from '../git/write/commit.ts'
import type { Ref, Repository } from '../git/repository.ts'
import { numberedRefs } from '../plan/record/numbered-refs.ts'
import { claimFromText, type Claim } from '../plan/model/claim.ts'
import { namesFromText } from '../plan/model/test-counts.ts'
import { byCode } from '../plan/model/order.ts'
import { parseMessage } from '../plan/record/trailers.ts'
import { isId, isOid, type Oid, type PlanId } from '../plan/model/ids.ts'

export interface Attempt {
  readonly step: string
  readonly number: number
  readonly ref: string
  readonly commit: Oid
  /** The commit on which the attempt began. */
  readonly parent: Oid | null
  readonly at: string
  readonly reason: string | null
  readonly exit: number | null
  /** Names of tests that it broke. */
  readonly brokenTests: readonly string[]
  /** What its agent or driver says about it. */
  readonly claim: Claim | null
}

export interface Rollback {
  readonly number: number
  readonly event: 'rollback' | 'undo' | 'rebase'
  readonly at: string
  readonly by: string
  readonly from: string
  readonly to: string
  readonly step: string | null
  readonly reason: string | null
  readonly undoes: number | null
}

const effectStates = ['intended', 'happened', 'failed', 'undoing', 'undone', 'kept'] as const
export type EffectState = (typeof effectStates)[number]

export interface Effect {
  readonly step: string
  readonly number: number
  readonly state: EffectState
  readonly at: string
  /** Newest first. */
  readonly chain: readonly { readonly state: EffectState; readonly at: string; readonly commit: Oid }[]
}

export interface PlanRecords {
  readonly attempts: readonly Attempt[]
  readonly rollbacks: readonly Rollback[]
  readonly effects: readonly Effect[]
}

/** `refs` may contain refs outside refs/plan/<id>/, which are ignored. Each list is ordered by step name and number. */
export async function readPlanRecords(repo: Repository, id: PlanId, refs: readonly Ref[]): Promise<PlanRecords> {
  const attempts: Attempt[] = []
  const rollbacks: Rollback[] = []
  const effects: Effect[] = []
  for (const { ref, kind, step, number } of numberedRefs(id, refs).toSorted(
    (a, b) => byCode(a.step, b.step) || a.number - b.number,
  )) {
    if (kind === 'attempts') attempts.push(...(await readAttempt(repo, ref, step, number)))
    if (kind === 'rollbacks') rollbacks.push(...(await readRollback(repo, ref, number)))
    if (kind === 'effects') effects.push(...(await readEffect(repo, ref, step, number)))
  }
  return { attempts, rollbacks, effects }
}

async function readAttempt(repo: Repository, ref: Ref, step: string, number: number): Promise<Attempt[]> {
  const commit = await repo.readCommit(ref.oid)
  if (commit === undefined) return []
  const { trailers } = parseMessage(commit.message)
  const exit = trailers.get('Plan-Exit')
  return [
    {
      step,
      number,
      ref: ref.name,
      commit: commit.oid,
      parent: commit.parents[0] ?? null,
      at: instantOf(commit.committer),
      reason: trailers.get('Plan-Reason') ?? null,
      exit: exit !== undefined && /^-?\d{1,9}$/.test(exit) ? Number(exit) : null,
      brokenTests: namesFromText(trailers.get('Plan-Tests-Broken')),
      claim: claimFromText(trailers.get('Plan-Claim')) ?? null,
    },
  ]
}

async function readRollback(repo: Repository, ref: Ref, number: number): Promise<Rollback[]> {
  const tag = await repo.readObject(ref.oid)
  if (tag?.type !== 'tag') return []
  const text = tag.bytes.toString()
  const split = text.indexOf('\n\n')
  const tagger = parsePerson(/^tagger (.*)$/m.exec(text.slice(0, split))?.[1] ?? '')
  const { trailers } = parseMessage(text.slice(split + 2))
  const event = trailers.get('Plan-Event')
  if (event !== 'rollback' && event !== 'undo' && event !== 'rebase') return []
  const to = trailers.get('Plan-To') ?? ''
  const undoes = trailers.get('Plan-Undoes')
  // Anybody can push such a tag, and the step name is displayed: only a valid one is.
  const step = trailers.get('Plan-Step') ?? ''
  return [
    {
      number,
      event,
      at: instantOf(tagger),
      by: `${tagger.name} <${tagger.email}>`,
      // What the tag keeps, whatever its message says.
      from: /^object ([0-9a-f]+)$/m.exec(text)?.[1] ?? '',
      to: isOid(to) ? to : '',
      step: isId(step) ? step : null,
      reason: trailers.get('Plan-Reason') ?? null,
      undoes: undoes !== undefined && /^\d{1,9}$/.test(undoes) ? Number(undoes) : null,
    },
  ]
}

async function readEffect(repo: Repository, ref: Ref, step: string, number: number): Promise<Effect[]> {
  const chain: { state: EffectState; at: string; commit: Oid }[] = []
  for await (const commit of repo.history(ref.oid)) {
    const trailer = parseMessage(commit.message).trailers.get('Plan-Effect')
    const state = effectStates.find((each) => each === trailer)
    if (state === undefined) break
    chain.push({ state, at: instantOf(commit.committer), commit: commit.oid })
  }
  const newest = chain[0]
  return newest === undefined ? [] : [{ step, number, state: newest.state, at: newest.at, chain }]
}
