// Plans as they were read before, kept in one file of the git directory: `list` of thousands would read them all again. Expendable: who loses or spoils it loses time. It is
// written by who only looks, as `git status` writes the index.

import { basename, join } from 'node:path'
import { stampOf } from '../git/disk.ts'
import type { Ref, Repository } from '../git/repository.ts'
import type { PlanId } from '../plan/values.ts'
import { heldAmong } from './holder.ts'
import { planIn, rowOf, type KnownPlan } from './known-rows.ts'
import { listedPlan, type ListedPlan } from './listed.ts'
import { blobsOn, mergeRefs } from './merged.ts'
import { tipIn } from './resolve-plan.ts'
import { readTable, writeTable } from './table-file.ts'
import { planFile, staleBefore, type PlanView, type ViewOptions } from './view.ts'

/** To write it takes as long as to read some fifty plans. */
const worthWriting = 64

/** A plan and its refs. */
type Place = readonly [PlanId, readonly Ref[]]

export class KnownPlans {
  readonly #repo: Repository
  readonly #options: ViewOptions
  readonly #head: string
  /** Lines, each a key, a tab and a row. */
  readonly #text: string
  /** Where the row of a key begins. */
  readonly #rows: ReadonlyMap<string, number>
  readonly #fresh = new Map<string, string>()

  /** `program`: which one asks; another one may read the same commits in another way. */
  constructor(repo: Repository, options: ViewOptions, program: string) {
    this.#repo = repo
    this.#options = options
    // Where history ends by a file of git's, the same commit has another one when that file is another.
    const ends = ['shallow', 'info/grafts'].map((name) => stampOf(join(repo.commonDir, name)) ?? '')
    this.#head = `${JSON.stringify([program, options.dir, options.settings.critical ?? [], options.settings.safety ?? [], ...ends])}\n`
    const text = readTable(repo.commonDir) ?? ''
    this.#text = text.startsWith(this.#head) ? text.slice(this.#head.length) : ''
    this.#rows = rowsIn(this.#text)
  }

  #rowOf(key: string): string | undefined {
    const at = this.#rows.get(key)
    return at === undefined ? undefined : this.#text.slice(at, this.#text.indexOf('\n', at))
  }

  /** Which plans need not be read: their refs are as they were, nobody is at work on them, and where they would be merged there is what was there. */
  async find(places: Iterable<Place>): Promise<{ found: ListedPlan[]; unknown: Place[] }> {
    const isHeld = heldAmong(this.#repo.commonDir)
    const before = staleBefore(this.#options)
    const found: ListedPlan[] = []
    const unknown: Place[] = []
    for (const place of places) {
      const [id, refs] = place
      const row = isHeld(id) ? undefined : this.#rowOf(keyOf(refs))
      const tip = tipIn(id, refs)?.oid
      const known = row === undefined || tip === undefined ? undefined : planIn(row, { id, tip, before })
      if (known === undefined || !(await this.#isThereAsBefore(known))) unknown.push(place)
      else found.push(known.plan)
    }
    return { found, unknown }
  }

  async #isThereAsBefore({ plan, mergedBlobs }: KnownPlan): Promise<boolean> {
    const { dir, settings } = this.#options
    const blobs: string[] = []
    for (const ref of await mergeRefs(this.#repo, plan.base, settings.policyRef)) {
      // What cannot be read is told by who reads the plan.
      const there = await this.#repo.once(`plans in ${dir} on ${ref}`, () => blobsOn(this.#repo, ref, dir).catch(() => undefined))
      if (there === undefined) return false
      blobs.push(there.get(basename(planFile(dir, plan.id))) ?? '')
    }
    return blobs.join(',') === mergedBlobs
  }

  keep([id, refs]: Place, view: PlanView): void {
    const { tip, holder } = view.summary
    // What somebody at work has a part in does not follow from the commits; nor does what was read from a ref that moved meanwhile.
    if (holder !== null || tipIn(id, refs)?.oid !== tip) return
    const row = rowOf({ plan: listedPlan(view), mergedBlobs: view.mergedBlobs })
    // What could not be read back is not kept, whatever it is.
    if (!row.includes('\n') && planIn(row, { id, tip, before: '' }) !== undefined) this.#fresh.set(keyOf(refs), row)
  }

  /** Where enough was read that was not known. */
  save(places: Iterable<Place>): void {
    if (this.#fresh.size < worthWriting) return
    const lines = Array.from(places, ([, refs]) => {
      const key = keyOf(refs)
      const row = this.#fresh.get(key) ?? this.#rowOf(key)
      return row === undefined ? '' : `${key}\t${row}\n`
    })
    writeTable(this.#repo.commonDir, `${this.#head}${lines.join('')}`, this.#options.now)
  }
}

/** No key is shorter: a file full of such lines is not worth its memory. */
const leastInKey = 50

function rowsIn(text: string): ReadonlyMap<string, number> {
  const rows = new Map<string, number>()
  let tab = text.indexOf('\t')
  for (let start = 0, end = text.indexOf('\n'); end >= 0 && tab >= 0; start = end + 1, end = text.indexOf('\n', start)) {
    if (tab < start) tab = text.indexOf('\t', start)
    if (tab - start > leastInKey && tab < end) rows.set(text.slice(start, tab), tab + 1)
  }
  return rows
}

/** Every commit that a plan is read from is named by its refs, or below one that is. */
const keyOf = (refs: readonly Ref[]): string => refs.map(({ oid, name }) => `${oid} ${name}`).join(' ')
