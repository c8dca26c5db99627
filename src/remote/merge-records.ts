// Merges records that two clones created under the same names. Both are kept: those of the remote keep their names,
// ours get the next free numbers before they are pushed.

import type { RefMove } from '../git/read/refs.ts'
import { nextNumber, numberedRefs } from '../plan/record/numbered-refs.ts'
import { notesRef, planRefs, type Oid } from '../plan/model/ids.ts'
import type { Run } from '../engine/run/run.ts'
import type { FetchedPlan } from './fetch-plan.ts'

/** Returns the records that still differ. */
export async function mergeRecords(run: Run, { records, differing }: FetchedPlan): Promise<string[]> {
  const { id, repo } = run
  const notes = differing.includes(notesRef(id)) ? await repo.resolve(records.get(notesRef(id)) ?? '') : undefined
  // Usually the notes belong to different commits; if both sides have one, they are concatenated.
  if (notes !== undefined)
    await run.moveRefsWithIntent(
      async () =>
        void (await repo.git.run(['notes', `--ref=${notesRef(id)}`, 'merge', '--quiet', '--strategy=union', notes])),
    )
  const lists = new Set(
    numberedRefs(
      id,
      differing.map((name) => ({ name })),
    ).map(({ ref }) => listOf(ref.name)),
  )
  await run.withKeptObjects(async () => {
    const moves: RefMove[] = []
    for (const list of lists) moves.push(...(await renumber(run, list, records)))
    await run.objects.flush()
    if (moves.length > 0) await run.moveRefsWithIntent(() => repo.moveRefs(moves))
  })
  for (const list of lists)
    if (list.startsWith(`${planRefs(id)}effects/`))
      run.world.emit({
        kind: 'notice',
        message: `this clone and another have both recorded external effects of ${list.split('/').at(-2)}: it may have been run or undone twice`,
        hint: `git plan report ${id}`,
      })
  run.attempts = undefined
  return differing.filter((name) => name !== notesRef(id) && !lists.has(listOf(name)))
}

/** Returns the part of a name before its number. */
const listOf = (name: string): string => name.slice(0, name.lastIndexOf('/') + 1)

/** Renumbers all of our records that the remote does not have, so that their order is kept. */
async function renumber(run: Run, list: string, records: ReadonlyMap<string, Oid>): Promise<RefMove[]> {
  const here = numberedRefs(run.id, await run.repo.refs(list)).toSorted((a, b) => a.number - b.number)
  const there = numberedRefs(
    run.id,
    [...records.keys()].filter((name) => listOf(name) === list).map((name) => ({ name })),
  )
  const own = here.filter(({ ref }) => records.get(ref.name) !== ref.oid)
  let last = Math.max(0, ...[...here, ...there].map(({ number }) => number))
  const numbers = new Map(
    own.map(({ number }) => [number, (last = nextNumber(last, (highest) => `${list}${highest}`))]),
  )
  const moves: RefMove[] = []
  for (const { ref, number } of own) {
    moves.push({
      ref: `${list}${numbers.get(number)}`,
      from: undefined,
      to: await withNumbers(run, list, ref.oid, numbers),
    })
    const theirs = records.get(ref.name)
    // If the remote's object is not a commit, only our name is given up.
    const isRecord = theirs !== undefined && (await run.repo.resolve(theirs)) !== undefined
    moves.push({ ref: ref.name, from: ref.oid, to: isRecord ? theirs : undefined })
  }
  return moves
}

/** The tag of an undo names the rollback that it undid, so its number is adjusted. */
async function withNumbers(run: Run, list: string, oid: Oid, numbers: ReadonlyMap<number, number>): Promise<Oid> {
  const tag = list === `${planRefs(run.id)}rollbacks/` ? await run.repo.readObject(oid) : undefined
  const named = /^Plan-Undoes: (\d+)$/m.exec(tag?.type === 'tag' ? tag.bytes.toString() : '')
  const number = named === null ? undefined : numbers.get(Number(named[1]))
  if (tag === undefined || named === null || number === undefined) return oid
  return run.objects.tag(tag.bytes.toString().replace(named[0], `Plan-Undoes: ${number}`))
}
