// Whether a plan has come to where it was meant to go: its file is on its base, here or as the remote was last seen,
// completed, with the same text. Then it is finished, whatever a branch of this clone says.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import { readTree, treeMode } from '../git/tree-text.ts'
import type { Plan } from '../plan/plan.ts'
import { readPlan } from '../plan/read-plan.ts'
import type { Oid } from '../plan/values.ts'
import { remoteHere } from './remote-name.ts'

interface Merged {
  /**
   * The plan's file on each of these branches, as objects of Git, with commas between. As long as they are the same,
   * so is the answer.
   */
  readonly blobs: string
  /** The branch that has it. */
  readonly ref: string | undefined
}

/** The branches that say so: the base, and the base as the remote was last seen. */
export async function mergeRefs(repo: Repository, base: string | null | undefined, policyRef: string | undefined): Promise<string[]> {
  if (base === null || base === undefined) return policyRef === undefined ? [] : [policyRef]
  const remote = await remoteHere(repo)
  return [`refs/heads/${base}`, ...(remote === undefined ? [] : [`refs/remotes/${remote}/${base}`])]
}

export async function readMerged(
  repo: Repository,
  plan: Pick<Plan, 'id' | 'base' | 'digest'>,
  place: { file: string; policyRef: string | undefined },
): Promise<Merged> {
  const blobs: string[] = []
  let merged: string | undefined
  for (const ref of await mergeRefs(repo, plan.base, place.policyRef)) {
    const commit = await repo.resolve(ref)
    const found = commit === undefined ? undefined : await repo.readObject(`${commit}:${place.file}`).catch(noneIfNotFetched)
    blobs.push(found?.type === 'blob' ? found.oid : '')
    if (found?.type !== 'blob') continue
    const there = await readPlan(found.bytes, { file: place.file, id: plan.id })
    if (there.ok && there.plan.status === 'completed' && there.plan.digest === plan.digest) merged ??= ref
  }
  return { blobs: blobs.join(','), ref: merged }
}

/** In a partial clone readers fetch nothing, and what is not here says nothing. */
function noneIfNotFetched(error: unknown): undefined {
  if (!(error instanceof PlanError) || error.code !== 'not-fetched') throw error
}

const submodule = '160000'

/** The same blobs for all files of a directory, by their names: for who has many plans to ask about. */
export async function blobsOn(repo: Repository, ref: string, directory: string): Promise<ReadonlyMap<string, Oid>> {
  const commit = await repo.resolve(ref)
  const tree = commit === undefined ? undefined : await repo.readObject(`${commit}:${directory}`)
  const entries = tree?.type === 'tree' ? [...readTree(tree.bytes, repo.objectFormat).values()] : []
  return new Map(entries.flatMap(({ mode, name, id }) => (mode === treeMode || mode === submodule ? [] : [[name, id]])))
}
