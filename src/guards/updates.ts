// Parses the lines that Git gives a hook about a push. A line that cannot be parsed is refused, since it would
// otherwise pass unjudged.

import { PlanError } from '../errors.ts'
import { isOid, type Oid } from '../plan/model/ids.ts'

/** A ref on the receiving side. */
export interface Update {
  readonly ref: string
  /** undefined: the ref is new. */
  readonly from: Oid | undefined
  /** undefined: the ref is deleted. */
  readonly to: Oid | undefined
}

/** Parses `OLD NEW REF` per line. */
export function receivedUpdates(input: string): Update[] {
  return linesOf(input).map((line) => {
    const [from = '', to = '', ...name] = line.split(' ')
    return updateOf(line, { ref: name.join(' '), from, to })
  })
}

/** Each update is judged against the refs before the push, so a second one for the same ref would be judged wrongly. */
export function refuseDuplicates(updates: readonly Update[]): void {
  const seen = new Set<string>()
  for (const { ref } of updates) {
    if (seen.has(ref))
      throw new PlanError('not-allowed', `${ref} is in the push twice`, { hint: `git push origin ${ref}` })
    seen.add(ref)
  }
}

/**
 * The old value comes from whoever pushes. Git refuses a wrong one itself, but only after the other refs were accepted
 * on the strength of it.
 */
export function refuseStale(updates: readonly Update[], there: ReadonlyMap<string, Oid>): void {
  const stale = updates.find(({ ref, from }) => isCompared(ref) && there.get(ref) !== from)
  if (stale !== undefined)
    throw new PlanError('branch-moved', `${stale.ref} has moved since the push began`, {
      hint: 'git fetch && git push',
    })
}

/** The prefixes of the refs that `refuseStale` compares. */
export const comparedRefs = ['refs/heads/', 'refs/plan/', 'refs/notes/plan/'] as const
const isCompared = (ref: string): boolean => comparedRefs.some((prefix) => ref.startsWith(prefix))

/** Parses `LOCAL-REF NEW REMOTE-REF OLD` per line; the local ref may be any expression, the others have no spaces. */
export function pushedUpdates(input: string): Update[] {
  return linesOf(input).map((line) => {
    const [from = '', ref = '', to = ''] = line.split(' ').toReversed()
    return updateOf(line, { ref, from, to })
  })
}

const linesOf = (input: string): string[] => (input === '' ? [] : input.replace(/\n$/, '').split('\n'))

function updateOf(line: string, { ref, from, to }: { ref: string; from: string; to: string }): Update {
  if (!isOid(from) || !isOid(to) || !ref.startsWith('refs/') || /\s/.test(ref))
    throw new PlanError(
      'not-allowed',
      `the hook received an invalid line from Git: ${JSON.stringify(line.slice(0, 200))}`,
      { hint: 'git --version' },
    )
  const known = (oid: string): Oid | undefined => (/^0+$/.test(oid) ? undefined : (oid as Oid))
  return { ref, from: known(from), to: known(to) }
}
