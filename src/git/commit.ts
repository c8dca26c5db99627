// A commit object as a value, read from its bytes.

import type { Oid } from '../plan/values.ts'

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
  const headers = (split < 0 ? text : text.slice(0, split)).split('\n')
  const values = (key: string): string[] => headers.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1))
  return {
    oid,
    tree: (values('tree')[0] ?? '') as Oid,
    parents: values('parent') as Oid[],
    author: parsePerson(values('author')[0] ?? ''),
    committer: parsePerson(values('committer')[0] ?? ''),
    message: split < 0 ? '' : text.slice(split + 2),
    isSigned: headers.some((line) => line.startsWith('gpgsig')),
  }
}

export function parsePerson(line: string): Person {
  const match = /^(.*?) ?<([^>]*)> (-?\d+) ([+-]\d{4})$/.exec(line)
  const [, name = '', email = '', seconds = '0', zone = '+0000'] = match ?? []
  return { name, email, seconds: Number(seconds), zone }
}

/** ISO 8601 in UTC. */
export const instantOf = (person: Person): string => new Date(person.seconds * 1000).toISOString()
