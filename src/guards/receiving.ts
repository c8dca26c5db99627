// The repository that receives a push: as it is, and as it would be afterwards.

import type { Ref, Repository } from '../git/repository.ts'
import { finalRef, planBranch, planRefs, type Oid, type PlanId } from '../plan/model/ids.ts'
import type { Settings } from '../operation/settings.ts'
import type { Update } from './updates.ts'

/** By name. */
export type Refs = ReadonlyMap<string, Oid>

export const refsFrom = (refs: readonly Ref[]): Refs => new Map(refs.map(({ name, oid }) => [name, oid]))

export function refsAfter(refs: Refs, updates: readonly Update[]): Refs {
  const after = new Map(refs)
  for (const { ref, to } of updates) {
    if (to === undefined) after.delete(ref)
    else after.set(ref, to)
  }
  return after
}

interface Parts {
  readonly repo: Repository
  readonly settings: Settings
  /** Of a ref, as it is called there. */
  readonly isProtected: (ref: string) => boolean
  readonly before: Refs
  readonly after: Refs
}

export class Receiving {
  readonly repo: Repository
  readonly settings: Settings
  readonly isProtected: (ref: string) => boolean
  readonly #before: Refs
  readonly #after: Refs

  constructor({ repo, settings, isProtected, before, after }: Parts) {
    this.repo = repo
    this.settings = settings
    this.isProtected = isProtected
    this.#before = before
    this.#after = after
  }

  /** All that is kept of a plan afterwards, besides its branch. */
  refsOf(id: PlanId): Ref[] {
    return [...this.#after].filter(([name]) => name.startsWith(planRefs(id))).map(([name, oid]) => ({ name, oid }))
  }

  /** The commits that keep what a plan has left: the tips before each rollback, and the one at its end. */
  keptTips(id: PlanId): Promise<Oid[]> {
    return this.#commits(this.#after, (name) => name === finalRef(id) || name.startsWith(`${planRefs(id)}rollbacks/`))
  }

  /** Where the plan may be afterwards: its branch, and its end. */
  planTips(id: PlanId): Promise<Oid[]> {
    return this.#commits(this.#after, (name) => name === planBranch(id) || name === finalRef(id))
  }

  /**
   * Where it was: what an earlier push has brought there was judged then. Of other refs that is not so: anybody can
   * have put anything there.
   */
  knownTips(id: PlanId): Promise<Oid[]> {
    return this.#commits(this.#before, (name) => name === planBranch(id) || name === finalRef(id))
  }

  protectedTips(): Promise<Oid[]> {
    return this.#commits(this.#after, this.isProtected)
  }

  async #commits(refs: Refs, isWanted: (name: string) => boolean): Promise<Oid[]> {
    const commits = await Promise.all(
      [...refs].filter(([name]) => isWanted(name)).map(([, oid]) => this.repo.resolve(oid)),
    )
    return commits.filter((commit) => commit !== undefined)
  }

  async isKeptBy(commit: Oid, tips: readonly Oid[]): Promise<boolean> {
    for (const tip of tips) if (await this.repo.isAncestor(commit, tip)) return true
    return false
  }
}
