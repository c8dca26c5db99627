// The relation of a plan's branch to its branch on the remote, from the tracking ref and `remote.json` in the directory
// of the plan, which push and fetch write. Does not contact the remote.

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PlanError } from '../errors.ts'
import type { Ref, Repository } from '../git/repository.ts'
import { isOid, rollbackRefs, type Oid, type PlanId } from '../plan/model/ids.ts'
import { leaseIn } from './lease-text.ts'
import { existingRemote } from './remote-name.ts'

/** `ahead`: the local branch was built on the remote one, even if a rollback or rebase has rewritten it since. */
export type Relation = 'same' | 'ahead' | 'behind' | 'diverged'

export interface RemoteFacts {
  readonly name: string
  readonly relation: Relation
  /** With `ahead`: a rollback, a rebase or an undo has rewritten the branch, so it does not contain the remote one. */
  readonly isRewritten: boolean
  /** Tip of the remote branch, as last seen. */
  readonly tip: Oid
  /** The clone that runs the plan with `--push`, as of the last fetch. */
  readonly holder: string | null
  readonly until: string | null
}

/** This clone's notes about the remote branch. If the file is lost, history alone decides. */
export interface RemoteMarks {
  /** The remote tip that the local branch was built on. */
  readonly built?: Oid
  /** A push of this tip began, and its result is not recorded. */
  readonly pushing?: Oid
  /** The lease on the remote, as fetched. */
  readonly lease?: string
}

export const marksFile = 'remote.json'

export const trackingPrefix = (remote: string): string => `refs/remotes/${remote}/plan/`

export const trackingRef = (remote: string, id: PlanId): string => `${trackingPrefix(remote)}${id}`

export function readMarks(commonDir: string, id: PlanId): RemoteMarks {
  const path = join(commonDir, 'plan', id, marksFile)
  try {
    const facts = statSync(path, { throwIfNoEntry: false })
    if (facts?.isFile() !== true || facts.size > 20_000) return {}
    const { built, pushing, lease } = JSON.parse(readFileSync(path, 'utf8')) as Record<keyof RemoteMarks, unknown>
    return {
      ...(typeof built === 'string' && isOid(built) ? { built: built as Oid } : {}),
      ...(typeof pushing === 'string' && isOid(pushing) ? { pushing: pushing as Oid } : {}),
      ...(typeof lease === 'string' ? { lease } : {}),
    }
  } catch {
    return {}
  }
}

/** All commits must exist in this repository, except `built`, which may be gone. */
export async function relationOf(
  repo: Repository,
  id: PlanId,
  { here, built, there }: { readonly here: Oid; readonly built: Oid | undefined; readonly there: Oid },
): Promise<Relation> {
  if (here === there) return 'same'
  if (built === there) return 'ahead'
  const known = built === undefined ? undefined : await repo.resolve(built)
  const isWithin = async (older: Oid, newer: Oid): Promise<boolean> => older === newer || repo.isAncestor(older, newer)
  // A tip below the previous one was rolled back, by this clone or another: then both sides have changed.
  if (await isWithin(here, there)) return known === undefined || (await isWithin(known, here)) ? 'behind' : 'diverged'
  if (await isWithin(there, here)) return known === undefined || (await isWithin(known, there)) ? 'ahead' : 'diverged'
  if (known !== undefined) return 'diverged'
  for (const { name } of await repo.refs(rollbackRefs(id))) {
    const left = await repo.resolve(name)
    if (left !== undefined && (await isWithin(there, left))) return 'ahead'
  }
  return 'diverged'
}

/** For one plan, or for many if `refs` has the tracking refs. null: no remote branch is known. */
export async function readRemoteFacts(
  repo: Repository,
  plan: { readonly id: PlanId; readonly tip: Oid },
  { now, refs }: { readonly now: Date; readonly refs?: ReadonlyMap<string, Oid> },
): Promise<RemoteFacts | null> {
  const name = await existingRemote(repo)
  if (name === undefined) return null
  const ref = trackingRef(name, plan.id)
  const there = refs === undefined ? await repo.resolve(ref) : refs.get(ref)
  if (there === undefined) return null
  const { built, lease } = readMarks(repo.commonDir, plan.id)
  // A tracking ref that cannot be compared must not prevent reading the plan.
  const compared = await compare(repo, plan, { built, there }).catch((error: unknown) => {
    if (!(error instanceof PlanError)) throw error
    return undefined
  })
  if (compared === undefined) return null
  const held = lease === undefined ? undefined : leaseIn(lease, now)
  return {
    name,
    ...compared,
    tip: there,
    holder: held?.holder ?? null,
    until: held?.until.toISOString() ?? null,
  }
}

async function compare(
  repo: Repository,
  { id, tip }: { readonly id: PlanId; readonly tip: Oid },
  remote: { readonly built: Oid | undefined; readonly there: Oid },
): Promise<Pick<RemoteFacts, 'relation' | 'isRewritten'>> {
  const relation = await relationOf(repo, id, { here: tip, ...remote })
  return { relation, isRewritten: relation === 'ahead' && !(await repo.isAncestor(remote.there, tip)) }
}

/** For lists: one query instead of one per plan. */
export async function trackingRefs(repo: Repository): Promise<ReadonlyMap<string, Oid>> {
  const name = await existingRemote(repo)
  const refs: readonly Ref[] = name === undefined ? [] : await repo.refs(trackingPrefix(name))
  return new Map(refs.map((ref) => [ref.name, ref.oid]))
}
