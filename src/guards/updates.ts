// The lines that git gives a hook about a push → values. What is not understood is refused: it would be let through
// unseen.

import { PlanError } from '../errors.ts'
import { isOid, type Oid } from '../plan/model/ids.ts'

/** Of a ref on the side that receives. */
export interface Update {
  readonly ref: string
  /** undefined: it is new. */
  readonly from: Oid | undefined
  /** undefined: it is deleted. */
  readonly to: Oid | undefined
}

/** `OLD NEW REF` a line. */
export function receivedUpdates(input: string): Update[] {
  return linesOf(input).map((line) => {
    const [from = '', to = '', ...name] = line.split(' ')
    return updateOf(line, { ref: name.join(' '), from, to })
  })
}

/** Each would be judged by what is there, and not by what the other leaves. */
export function refuseTwice(updates: readonly Update[]): void {
  const seen = new Set<string>()
  for (const { ref } of updates) {
    if (seen.has(ref))
      throw new PlanError('not-allowed', `${ref} is in the push twice`, { hint: `git push origin ${ref}` })
    seen.add(ref)
  }
}

/**
 * What each starts from is what whoever pushes says. Git would refuse one that is wrong, after the others were let in
 * for its sake.
 */
export function refuseStale(updates: readonly Update[], there: ReadonlyMap<string, Oid>): void {
  const stale = updates.find(({ ref, from }) => isListed(ref) && there.get(ref) !== from)
  if (stale !== undefined)
    throw new PlanError('branch-moved', `${stale.ref} has moved since the push began`, {
      hint: 'git fetch && git push',
    })
}

/** What `refuseStale` is to be given. */
export const listed = ['refs/heads/', 'refs/plan/', 'refs/notes/plan/'] as const
const isListed = (ref: string): boolean => listed.some((prefix) => ref.startsWith(prefix))

/** `LOCAL-REF NEW REMOTE-REF OLD` a line; a local ref may be any expression, the others have no spaces. */
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
