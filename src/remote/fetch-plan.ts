// Fetches a plan's branch, records and base. The branch becomes a tracking ref; records keep their names and never
// replace one that only this clone has.

import { PlanError } from '../errors.ts'
import { runPorcelain } from '../git/command/porcelain.ts'
import type { RefMove } from '../git/read/refs.ts'
import type { Repository } from '../git/repository.ts'
import { finalRef, notesRef, planBranch, planRefs, type Oid, type PlanId } from '../plan/model/ids.ts'
import { readMarks, trackingRef } from '../store/remote-facts.ts'
import { planFile, readPlanAt } from '../store/plan-at.ts'
import { isFinalCommit, remoteRefs, type RemoteRefs } from './ask-remote.ts'
import { forgetOwnLease, leaseTextOf } from './lease.ts'
import { writeMarks } from './remote-marks.ts'

export interface FetchedPlan extends RemoteRefs {
  /** Records with the same name but different content here and on the remote. */
  readonly differing: readonly string[]
}

export async function fetchPlan(repo: Repository, id: PlanId, dir: string): Promise<FetchedPlan> {
  const there = await remoteRefs(repo, id, { isFetched: true })
  const { remote } = there
  // Compares refs, not objects: a killed fetch may have left a commit without its files.
  const here = new Map((await repo.refs(planRefs(id), notesRef(id))).map(({ name, oid }) => [name, oid]))
  const missing = [...there.records].filter(([name, oid]) => here.get(name) !== oid).map(([name]) => name)
  const branch = there.tip === undefined ? [] : [`+${planBranch(id)}:${trackingRef(remote, id)}`]
  if (branch.length + missing.length > 0)
    await runPorcelain(repo.git, [
      'fetch',
      '--verbose',
      '--no-tags',
      '--no-write-fetch-head',
      remote,
      ...branch,
      ...missing,
    ])
  const seen = await repo.resolve(trackingRef(remote, id))
  if (there.tip === undefined && seen !== undefined)
    await repo.moveRefs([{ ref: trackingRef(remote, id), from: seen, to: undefined }])
  const plan = { id, file: planFile(dir, id) }
  const isFinished = there.final !== undefined && (await isFinalCommit(repo, there.final, plan))
  const { moves, differing } = await compareRecords(
    repo,
    id,
    new Map([...there.records].filter(([name]) => isFinished || name !== finalRef(id))),
  )
  await repo.moveRefs(moves)
  const { lease: _old, ...marks } = readMarks(repo.commonDir, id)
  const lease = await leaseTextOf(repo, id, there.lease)
  await forgetOwnLease(repo, id, there.lease)
  await writeMarks(repo, id, { ...marks, ...(lease === undefined ? {} : { lease }) })
  // An object that is not a commit was not pushed by git plan.
  const [tip, final] = [there.tip === undefined ? undefined : seen, isFinished ? there.final : undefined]
  await fetchBase(repo, remote, await baseOf(repo, tip ?? final, plan))
  return { ...there, tip, final, differing }
}

/** Returns the refs that can be fast-forwarded, and those that differ. */
async function compareRecords(
  repo: Repository,
  id: PlanId,
  records: RemoteRefs['records'],
): Promise<{ moves: RefMove[]; differing: string[] }> {
  const here = new Map((await repo.refs(planRefs(id), notesRef(id))).map(({ name, oid }) => [name, oid]))
  const moves: RefMove[] = []
  const differing: string[] = []
  for (const [name, oid] of records) {
    const own = here.get(name)
    const commit = await repo.resolve(oid)
    if (own === oid || (own === undefined && commit === undefined)) continue
    if (own === undefined) moves.push({ ref: name, from: undefined, to: oid })
    else if (commit === undefined || !isAppendOnly(id, name)) differing.push(name)
    else if (await repo.isAncestor(own, commit)) moves.push({ ref: name, from: own, to: oid })
    else if (!(await repo.isAncestor(commit, own))) differing.push(name)
  }
  return { moves, differing }
}

/** Attempts, rollbacks and the archive never change; effects, notes and the final ref are append-only. */
const isAppendOnly = (id: PlanId, name: string): boolean =>
  name === notesRef(id) || name === finalRef(id) || name.startsWith(`${planRefs(id)}effects/`)

const baseOf = async (
  repo: Repository,
  commit: Oid | undefined,
  plan: { id: PlanId; file: string },
): Promise<string | undefined> =>
  commit === undefined ? undefined : (await readPlanAt(repo, commit, plan).catch(() => undefined))?.base

/**
 * Updates the tracking branch. A base called HEAD would be written through the remote's symbolic HEAD, to the branch
 * from which the policy is read.
 */
export async function fetchBase(repo: Repository, remote: string, base: string | undefined): Promise<void> {
  if (base === undefined || base.toUpperCase() === 'HEAD') return
  await runPorcelain(repo.git, [
    'fetch',
    '--verbose',
    '--no-tags',
    '--no-write-fetch-head',
    remote,
    `+refs/heads/${base}:refs/remotes/${remote}/${base}`,
  ]).catch((error: unknown) => {
    if (!(error instanceof PlanError) || !/couldn't find remote ref/.test(error.message)) throw error
  })
}
