// Watches the refs of all other plans. A step that changes one stops its own plan. The change is reported and never
// undone, because another executor may have made it. An active executor shows in the plan's directory, where it takes
// and releases its lock.

import { statSync } from 'node:fs'
import { PlanError } from '../../errors.ts'
import { planBranch, type PlanId } from '../../plan/model/ids.ts'
import { readLocks } from './lock.ts'
import { PlanDir } from '../workspace/plan-dir.ts'
import type { Run } from './run.ts'

interface OtherRefs {
  readonly refs: ReadonlyMap<string, string>
  /** The stamp of each plan's directory. */
  readonly stamps: ReadonlyMap<string, string>
}

/** Checking more refs after every step would make a step as expensive as the repository is large. */
const maxRefsPerStep = 300

const refPrefixes = ['refs/heads/plan/', 'refs/plan/', 'refs/notes/plan/']

export class OtherPlans {
  readonly #run: Run
  #seen: OtherRefs

  private constructor(run: Run, seen: OtherRefs) {
    this.#run = run
    this.#seen = seen
  }

  static async of(run: Run): Promise<OtherPlans> {
    return new OtherPlans(run, await readOtherRefs(run))
  }

  /**
   * Throws if refs of another plan have changed since the last call and no executor was active there. After each step
   * only known refs are checked, which needs no process; new refs, and changes among very many, are found at the end.
   */
  async refuseChanges(step: string, { isLast }: { isLast: boolean }): Promise<void> {
    const before = this.#seen
    if (!isLast && !(await this.#hasChangedSince(before))) return
    const now = await readOtherRefs(this.#run)
    this.#seen = now
    const changed: string[] = []
    for (const ref of new Set([...before.refs.keys(), ...now.refs.keys()])) {
      if (before.refs.get(ref) === now.refs.get(ref)) continue
      if (!(await this.#hasOtherExecutor(planOf(ref), before))) changed.push(ref)
    }
    const [first] = changed
    if (first === undefined) return
    const { id } = this.#run
    const old = before.refs.get(first)
    throw new PlanError(
      'branch-moved',
      `refs of another plan were changed while step ${step} ran: ${changed.toSorted().slice(0, 10).join(', ')}`,
      {
        hint: {
          'look at it': `git log ${first}`,
          'accept it': `git plan resume ${id}`,
          'undo it': `git update-ref ${old === undefined ? `-d ${first}` : `${first} ${old.slice(0, 12)}`}`,
        },
        facts: { step, changed },
      },
    )
  }

  async #hasChangedSince({ refs }: OtherRefs): Promise<boolean> {
    if (refs.size > maxRefsPerStep) return false
    const { repo } = this.#run
    const now = await Promise.all([...refs].map(async ([ref, oid]) => (await repo.resolve(ref, 'object')) === oid))
    return now.includes(false)
  }

  async #hasOtherExecutor(plan: string, before: OtherRefs): Promise<boolean> {
    const dir = new PlanDir(this.#run.repo.commonDir, plan as PlanId)
    // A plan that did not exist had no directory; proposing one makes it.
    if (stampOf(dir.path) !== (before.stamps.get(plan) ?? '')) return true
    return (await readLocks(dir)).some(({ liveness }) => liveness !== 'dead')
  }
}

async function readOtherRefs(run: Run): Promise<OtherRefs> {
  const own = new Set([planBranch(run.id), `refs/notes/plan/${run.id}`])
  const refs = new Map<string, string>()
  const stamps = new Map<string, string>()
  for (const { name, oid } of await run.repo.refs(...refPrefixes)) {
    if (own.has(name) || name.startsWith(`refs/plan/${run.id}/`)) continue
    refs.set(name, oid)
    const plan = planOf(name)
    if (!stamps.has(plan)) stamps.set(plan, stampOf(new PlanDir(run.repo.commonDir, plan as PlanId).path))
  }
  return { refs, stamps }
}

const planOf = (ref: string): string => /^refs\/(?:heads\/plan|notes\/plan|plan)\/([^/]+)/.exec(ref)?.[1] ?? ''

/** Changes with every file that appears or disappears in the directory. */
function stampOf(path: string): string {
  const facts = statSync(path, { throwIfNoEntry: false, bigint: true })
  return facts === undefined ? '' : `${facts.ino} ${facts.mtimeNs}`
}
