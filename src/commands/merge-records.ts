// Two clones have made records of one plan under the same names. Both stay: those of the remote keep their names,
// ours get the next free numbers, here, before they are pushed.

import type { RefMove } from '../git/refs.ts'
import { notesRef, planRefs, type Oid } from '../plan/values.ts'
import type { Session } from '../run/session.ts'
import type { Fetched } from './fetch-plan.ts'

/** Answers with what still differs. */
export async function mergeRecords(session: Session, { kept, differing }: Fetched): Promise<string[]> {
  const { id, repo } = session
  const notes = differing.includes(notesRef(id)) ? await repo.resolve(kept.get(notesRef(id)) ?? '') : undefined
  // Outputs of different commits, as a rule; where both have a note, one follows the other.
  if (notes !== undefined)
    await session.movingRefs(async () => void (await repo.git.run(['notes', `--ref=${notesRef(id)}`, 'merge', '--quiet', '--strategy=union', notes])))
  const lists = new Set(differing.filter((name) => /\/\d+$/.test(name)).map(listOf))
  const moves: RefMove[] = []
  for (const list of lists) moves.push(...(await renumber(session, list, kept)))
  if (moves.length > 0) await session.movingRefs(() => repo.moveRefs(moves))
  session.attempts = undefined
  return differing.filter((name) => name !== notesRef(id) && !lists.has(listOf(name)))
}

/** The part of a name before its number. */
const listOf = (name: string): string => name.slice(0, name.lastIndexOf('/') + 1)
const numberOf = (name: string): number => Number(name.slice(name.lastIndexOf('/') + 1))

/** All of ours that the remote does not have, so that their order stays. */
async function renumber(session: Session, list: string, kept: ReadonlyMap<string, Oid>): Promise<RefMove[]> {
  const here = await session.repo.refs(list)
  const own = here.filter(({ name, oid }) => /\/\d+$/.test(name) && kept.get(name) !== oid).toSorted((a, b) => numberOf(a.name) - numberOf(b.name))
  const there = [...kept.keys()].filter((name) => listOf(name) === list)
  const last = Math.max(0, ...[...here.map(({ name }) => name), ...there].map(numberOf).filter((number) => number < 1_000_000))
  const numbers = new Map(own.map(({ name }, index) => [numberOf(name), last + 1 + index]))
  const moves: RefMove[] = []
  for (const { name, oid } of own) {
    moves.push({ ref: `${list}${numbers.get(numberOf(name))}`, from: undefined, to: await withNumbers(session, list, oid, numbers) })
    const theirs = kept.get(name)
    // What is not a commit is left where it is, and only its name is given up here.
    const isRecord = theirs !== undefined && (await session.repo.resolve(theirs)) !== undefined
    moves.push({ ref: name, from: oid, to: isRecord ? theirs : undefined })
  }
  return moves
}

/** The tag of an undo names the rollback that it has undone. */
async function withNumbers(session: Session, list: string, oid: Oid, numbers: ReadonlyMap<number, number>): Promise<Oid> {
  const tag = list === `${planRefs(session.id)}rollbacks/` ? await session.repo.readObject(oid) : undefined
  const named = /^Plan-Undoes: (\d+)$/m.exec(tag?.type === 'tag' ? tag.bytes.toString() : '')
  const number = named === null ? undefined : numbers.get(Number(named[1]))
  if (tag === undefined || named === null || number === undefined) return oid
  const input = tag.bytes.toString().replace(named[0], `Plan-Undoes: ${number}`)
  return (await session.repo.git.text(['hash-object', '-t', 'tag', '-w', '--stdin'], { input })) as Oid
}
