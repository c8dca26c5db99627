// A commit object as a value, read from its bytes.

import type { Oid } from '../../plan/model/ids.ts'

export interface Person {
  readonly name: string
  readonly email: string
  /** Seconds since 1970, and the time zone as Git writes it. */
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
    // Git accepts parent lines only directly after the tree, without a gap.
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

/** The end of the year 9999. Anybody can write a later date into a commit, and it could not be displayed. */
const maxSeconds = 253_402_300_799

export function parsePerson(line: string): Person {
  const match = /^(.*?) ?<([^>]*)> (-?\d+) ([+-]\d{4})$/.exec(line)
  const [, name = '', email = '', seconds = '0', zone = '+0000'] = match ?? []
  return { name, email, seconds: Math.min(Math.max(Number(seconds), 0), maxSeconds), zone }
}

/** ISO 8601 in UTC. Clamped, since a commit can contain any date and no reader may fail because of it. */
export const instantOf = (person: Person): string =>
  new Date(Math.min(Math.max(person.seconds, 0) || 0, 253_402_300_799) * 1000).toISOString()
