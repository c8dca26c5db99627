// The repository that receives a push, before and after the push.

import type { Ref, Repository } from '../git/repository.ts'
import { finalRef, planBranch, planRefs, type Oid, type PlanId } from '../plan/model/ids.ts'
import type { Settings } from '../operation/settings.ts'
import type { Update } from './updates.ts'

/** Maps ref names to objects. */
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
  /** Takes the full ref name on the receiving side. */
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

  /** Returns all refs of a plan after the push, except its branch. */
  refsOf(id: PlanId): Ref[] {
    return [...this.#after].filter(([name]) => name.startsWith(planRefs(id))).map(([name, oid]) => ({ name, oid }))
  }

  /** Returns the commits that save a plan's history: the tips before each rollback, and its final commit. */
  savedTips(id: PlanId): Promise<Oid[]> {
    return this.#commits(this.#after, (name) => name === finalRef(id) || name.startsWith(`${planRefs(id)}rollbacks/`))
  }

  /** Returns the plan's possible tips after the push: its branch and its final commit. */
  planTips(id: PlanId): Promise<Oid[]> {
    return this.#commits(this.#after, (name) => name === planBranch(id) || name === finalRef(id))
  }

  /**
   * Returns the plan's tips before the push. An earlier push of these refs was judged; other refs prove nothing, since
   * anybody can push anything to them.
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

  async isReachable(commit: Oid, tips: readonly Oid[]): Promise<boolean> {
    for (const tip of tips) if (await this.repo.isAncestor(commit, tip)) return true
    return false
  }
}
