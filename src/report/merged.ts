// Whether a completed plan has come to where it was meant to go: its file is on that branch, completed, with the same text.

import type { Repository } from '../git/repository.ts'
import { readTree, treeMode } from '../git/tree-text.ts'
import type { Plan } from '../plan/plan.ts'
import { readPlan } from '../plan/read-plan.ts'
import type { Oid } from '../plan/values.ts'

/** `blob`: the plan's file there, as an object of Git; null where there is none. As long as that is the same, so is the answer. */
interface Merged {
  readonly blob: Oid | null
  readonly isMerged: boolean
}

/** The branch that says so. */
export const mergeRef = (base: string | null | undefined, policyRef: string | undefined): string | undefined =>
  policyRef ?? (base === null || base === undefined ? undefined : `refs/heads/${base}`)

const notMerged: Merged = { blob: null, isMerged: false }

export async function readMerged(repo: Repository, plan: Plan, place: { file: string; policyRef: string | undefined }): Promise<Merged> {
  if (plan.status !== 'completed') return notMerged
  const commit = await commitOf(repo, mergeRef(plan.base, place.policyRef))
  const found = commit === undefined ? undefined : await repo.readObject(`${commit}:${place.file}`)
  if (found?.type !== 'blob') return notMerged
  const there = await readPlan(found.bytes, { file: place.file, id: plan.id })
  return { blob: found.oid as Oid, isMerged: there.ok && there.plan.status === 'completed' && there.plan.digest === plan.digest }
}

const submodule = '160000'

/** The same blobs for all files of a directory, by their names: for who has many plans to ask about. */
export async function blobsOn(repo: Repository, ref: string | undefined, directory: string): Promise<ReadonlyMap<string, Oid>> {
  const commit = await commitOf(repo, ref)
  const tree = commit === undefined ? undefined : await repo.readObject(`${commit}:${directory}`)
  const entries = tree?.type === 'tree' ? [...readTree(tree.bytes, repo.objectFormat).values()] : []
  return new Map(entries.flatMap(({ mode, name, id }) => (mode === treeMode || mode === submodule ? [] : [[name, id]])))
}

const commitOf = async (repo: Repository, ref: string | undefined): Promise<Oid | undefined> => (ref === undefined ? undefined : repo.resolve(ref))
