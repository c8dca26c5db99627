// Pushes a plan's branch, refs and notes by their explicit names.

import { PlanError } from '../errors.ts'
import { runPorcelain } from '../git/command/porcelain.ts'
import type { Repository } from '../git/repository.ts'
import { ObjectWriter } from '../git/write/objects.ts'
import { nextNumber, numberedRefs } from '../plan/record/numbered-refs.ts'
import { formatMessage } from '../plan/record/trailers.ts'
import {
  archiveRefs,
  finalRef,
  notesRef,
  planBranch,
  planRefs,
  rollbackRef,
  rollbackRefs,
  type Oid,
  type PlanId,
} from '../plan/model/ids.ts'
import { readMarks, trackingRef } from '../store/remote-facts.ts'
import { remoteOf } from '../store/remote-name.ts'
import { remoteRefs, requireRemote, remoteError } from './ask-remote.ts'
import { markBuilt, markPushing } from './remote-marks.ts'
import { requireBuiltOn } from './remote-state.ts'

/** Returns the branch as last seen on the remote. */
export const lastSeen = async (repo: Repository, id: PlanId): Promise<Oid | undefined> =>
  repo.resolve(trackingRef(await remoteOf(repo), id))

/** Commits that left the remote's branch because it was not only fast-forwarded. */
export interface Rewrite {
  readonly remote: string
  readonly from: Oid
  readonly to: Oid
  readonly gone: number
}

/** A ref that must have this value on the remote, or nothing is pushed. */
export interface Fence {
  readonly ref: string
  readonly oid: string
}

/**
 * Replaces only the tip that the local branch was built on, even for a fast-forward: a rollback that somebody else
 * pushed is kept.
 */
export async function pushPlan(repo: Repository, id: PlanId, fence?: Fence): Promise<Rewrite | undefined> {
  const remote = await requireRemote(repo)
  const tip = await repo.tipOf(planBranch(id))
  if (tip === undefined) {
    await pushRecords(repo, id)
    return undefined
  }
  const { built, pushing } = readMarks(repo.commonDir, id)
  let from = built === undefined || pushing !== undefined ? await requireBuiltOn(repo, id, tip) : built
  try {
    await pushBranch(repo, id, { remote, from, tip, fence })
  } catch (error) {
    if (!isRejectedPush(error)) throw error
    // It was pushed by hand meanwhile, or by a push of ours whose answer was lost: then the branch is built on it after
    // all.
    const refs = await remoteRefs(repo, id)
    if (fence !== undefined && refs.lease !== fence.oid)
      throw new PlanError('held', `another clone has taken over plan ${id}`, {
        hint: `git plan fetch ${id}`,
        cause: error,
      })
    const there = await requireBuiltOn(repo, id, tip, refs)
    if (there === from || there === tip) throw differentRecordsError(error, remote, id)
    from = there
    await pushBranch(repo, id, { remote, from, tip, fence })
  }
  await markBuilt(repo, id, tip)
  await updateTrackingRef(repo, id, remote, tip)
  if (from === undefined || (await repo.isAncestor(from, tip))) return undefined
  return { remote, from, to: tip, gone: Number(await repo.git.text(['rev-list', '--count', `${tip}..${from}`])) }
}

async function pushBranch(
  repo: Repository,
  id: PlanId,
  { remote, from, tip, fence }: { remote: string; from: Oid | undefined; tip: Oid; fence: Fence | undefined },
): Promise<void> {
  const branch = planBranch(id)
  const isForward = from === undefined || from === tip || (await repo.isAncestor(from, tip))
  // The records that save the removed commits are pushed before the rewrite.
  if (!isForward) {
    await saveReplacedTip(repo, id, from, tip)
    await pushRecords(repo, id)
  }
  const { leases, refspecs } = isForward ? await recordRefspecs(repo, id) : { leases: [], refspecs: [] }
  await markPushing(repo, id, tip)
  const [expected, unchanged] =
    fence === undefined ? [[], []] : [[`--force-with-lease=${fence.ref}:${fence.oid}`], [`${fence.oid}:${fence.ref}`]]
  leases.push(`--force-with-lease=${branch}:${from ?? ''}`, ...expected)
  await pushOrExplain(repo, id, [...leases, remote, ...refspecs, `${tip}:${branch}`, ...unchanged])
}

/** A rollback leaves a tag; a manual reset of the branch does not, so one is created here. */
async function saveReplacedTip(repo: Repository, id: PlanId, from: Oid, to: Oid): Promise<void> {
  const refs = await repo.refs(rollbackRefs(id))
  for (const { name } of refs) {
    const kept = await repo.resolve(name)
    if (kept !== undefined && (await repo.isAncestor(from, kept))) return
  }
  const numbers = numberedRefs(id, refs).map(({ number }) => number)
  const number = nextNumber(Math.max(0, ...numbers), (highest) => rollbackRef(id, highest))
  const objects = new ObjectWriter(repo)
  const message = formatMessage({
    subject: `rollback of ${id} to ${to.slice(0, 12)}`,
    trailers: [
      ['Plan-Id', id],
      ['Plan-Event', 'rollback'],
      ['Plan-From', from],
      ['Plan-To', to],
      ['Plan-Reason', 'the branch was reset by hand'],
    ],
  })
  await repo.store.withKeptObjects(async () => {
    const oid = await objects.tag({
      object: from,
      name: `plan-${id}-rollback-${number}`,
      message,
      tagger: await objects.committer(),
    })
    await objects.flush()
    await repo.moveRefs([{ ref: rollbackRef(id, number), from: undefined, to: oid }])
  })
}

/** Pushes the records beside the branch and the notes. The final ref is pushed with the base: see push-finished.ts. */
export async function pushRecords(repo: Repository, id: PlanId): Promise<void> {
  const remote = await requireRemote(repo)
  const { leases, refspecs } = await recordRefspecs(repo, id)
  if (refspecs.length === 0) return
  await pushOrExplain(repo, id, [...leases, remote, ...refspecs]).catch((error: unknown) => {
    throw isRejectedPush(error) ? differentRecordsError(error, remote, id) : error
  })
}

/**
 * Attempts, rollbacks and the archive never change: Git would treat a tag on a later commit as a fast-forward and replace another
 * record.
 */
async function recordRefspecs(repo: Repository, id: PlanId): Promise<{ leases: string[]; refspecs: string[] }> {
  const names = (await repo.refs(planRefs(id), notesRef(id)))
    .map(({ name }) => name)
    .filter((name) => name !== finalRef(id))
  const isFixed = (name: string): boolean =>
    [`${planRefs(id)}attempts/`, rollbackRefs(id), archiveRefs(id)].some((prefix) => name.startsWith(prefix))
  return {
    leases: names.filter(isFixed).map((name) => `--force-with-lease=${name}:`),
    refspecs: names.map((name) => `${name}:${name}`),
  }
}

async function pushOrExplain(repo: Repository, id: PlanId, args: readonly string[]): Promise<void> {
  const remote = await remoteOf(repo)
  try {
    await pushAtomic(repo, args)
  } catch (error) {
    throwHookRefusal(error, `${remote} rejected plan/${id}`)
    throw isRejectedPush(error) ? error : remoteError(error, remote, `plan/${id} could not be pushed to ${remote}`)
  }
}

/** Pushes atomically if the server supports it: records that refer to each other by number stay together. */
export async function pushAtomic(
  repo: Repository,
  args: readonly string[],
  inParts: readonly (readonly string[])[] = [args],
): Promise<void> {
  try {
    await runPorcelain(repo.git, ['push', '--verbose', '--atomic', ...args])
  } catch (error) {
    if (!(error instanceof PlanError) || !/does not support --atomic/.test(error.message)) throw error
    for (const part of inParts) await runPorcelain(repo.git, ['push', '--verbose', ...part])
  }
}

export const isRejectedPush = (error: unknown): boolean =>
  error instanceof PlanError &&
  error.code === 'git-failed' &&
  /rejected|non-fast-forward|fetch first|stale info/.test(error.message)

const differentRecordsError = (error: unknown, remote: string, id: PlanId): PlanError =>
  new PlanError('branch-moved', `${remote} has different records of plan ${id} under the same names`, {
    hint: `git plan fetch ${id}`,
    cause: error,
  })

/** Git does this itself, except in a single-branch clone. */
async function updateTrackingRef(repo: Repository, id: PlanId, remote: string, tip: Oid): Promise<void> {
  const ref = trackingRef(remote, id)
  const seen = await repo.resolve(ref)
  if (seen !== tip) await repo.moveRefs([{ ref, from: seen, to: tip }])
}

/** Reports the reason that a hook on the remote gave. */
export function throwHookRefusal(error: unknown, what: string): void {
  if (!(error instanceof PlanError) || !/hook declined/.test(error.message)) return
  const remoteLines = error.message
    .split('\n')
    .flatMap((line) => /(?:^|failed: )remote: (.*\S)\s*$/.exec(line)?.[1] ?? [])
  const hint = remoteLines.find((line) => line.startsWith('Hint: '))?.slice('Hint: '.length)
  const lines = remoteLines.filter((line) => !line.startsWith('Hint: ')).map((line) => line.replace(/^git plan: /, ''))
  throw new PlanError('not-allowed', `${what}: ${lines.length === 0 ? 'declined by a hook' : lines.join('\n')}`, {
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  })
}
