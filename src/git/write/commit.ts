// A commit object as a value, read from its bytes.

import type { Oid } from '../../plan/model/ids.ts'

export interface Person {
  readonly name: string
  readonly email: string
  /** Seconds since 1970, and the zone as git writes it. */
  readonly seconds: number
  readonly zone: string
}

export interface Commit {
  readonly oid: Oid
  readonly tree: Oid
  readonly parents: readonly Oid[]
  readonly author: Person
  readonly committer: Person
  readonly message: string
  readonly isSigned: boolean
}

export function parseCommit(oid: Oid, bytes: Buffer): Commit {
  const text = bytes.toString()
  const split = text.indexOf('\n\n')
  const parents: Oid[] = []
  let tree: string | undefined
  let author: string | undefined
  let committer: string | undefined
  let isSigned = false
  for (const [at, line] of (split < 0 ? text : text.slice(0, split)).split('\n').entries()) {
    if (line.startsWith('tree ')) tree ??= line.slice(5)
    // Right after the tree, one after the other: what stands elsewhere is no parent to git.
    else if (line.startsWith('parent ') && at === parents.length + 1) parents.push(line.slice(7) as Oid)
    else if (line.startsWith('author ')) author ??= line.slice(7)
    else if (line.startsWith('committer ')) committer ??= line.slice(10)
    else if (line.startsWith('gpgsig')) isSigned = true
  }
  return {
    oid,
    tree: (tree ?? '') as Oid,
    parents,
    author: parsePerson(author ?? ''),
    committer: parsePerson(committer ?? ''),
    message: split < 0 ? '' : text.slice(split + 2),
    isSigned,
  }
}

/**
 * The end of the year 9999. What is later does not fit where dates are shown, much later is no date at all, and anybody
 * can write one into a commit.
 */
const mostSeconds = 253_402_300_799

export function parsePerson(line: string): Person {
  const match = /^(.*?) ?<([^>]*)> (-?\d+) ([+-]\d{4})$/.exec(line)
  const [, name = '', email = '', seconds = '0', zone = '+0000'] = match ?? []
  return { name, email, seconds: Math.min(Math.max(Number(seconds), 0), mostSeconds), zone }
}

/** ISO 8601 in UTC. */
/** What no calendar has is its end: a commit can say anything, and no reader is to fail for it. */
export const instantOf = (person: Person): string =>
  new Date(Math.min(Math.max(person.seconds, 0) || 0, 253_402_300_799) * 1000).toISOString()
