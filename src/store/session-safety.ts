// Commands that the session of an agent wants to have treated as reading. They last for that session, and take effect
// once a person has allowed them.

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { guardDirectory } from './guard-records.ts'

export interface SessionEntry {
  readonly id: string
  readonly session: string
  readonly tool: string
  readonly read: readonly string[]
  /** Why the agent wants it. */
  readonly why: string | null
  readonly askedAt: string
  /** null: no person has allowed it. */
  readonly allowedAt: string | null
  readonly allowedBy: string | null
}

const directory = (commonDir: string): string => join(guardDirectory(commonDir), 'safety')
const fileOf = (commonDir: string, id: string): string => join(directory(commonDir), `${id}.json`)

/** A session that is as old has ended. */
const longestSession = 7 * 86_400_000

export const entryId = ({ session, tool, read }: Pick<SessionEntry, 'session' | 'tool' | 'read'>): string =>
  createHash('sha256')
    .update(JSON.stringify([session, tool, read]))
    .digest('hex')
    .slice(0, 8)

/** Oldest first. */
export function readSessionEntries(commonDir: string): SessionEntry[] {
  let names: string[]
  try {
    names = readdirSync(directory(commonDir))
  } catch {
    return []
  }
  return names
    .flatMap((name) => (/^[0-9a-f]{8}\.json$/.test(name) ? readEntry(join(directory(commonDir), name)) : []))
    .toSorted((a, b) => (a.askedAt < b.askedAt ? -1 : 1))
}

function readEntry(path: string): SessionEntry[] {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as Partial<Record<keyof SessionEntry, unknown>>
    const { session, tool, read, askedAt } = value
    const text = (each: unknown): string | null => (typeof each === 'string' ? each : null)
    if (typeof session !== 'string' || typeof tool !== 'string' || typeof askedAt !== 'string') return []
    if (!Array.isArray(read) || !read.every((each) => typeof each === 'string')) return []
    const entry = { session, tool, read }
    return [
      {
        id: entryId(entry),
        ...entry,
        askedAt,
        why: text(value.why),
        allowedAt: text(value.allowedAt),
        allowedBy: text(value.allowedBy),
      },
    ]
  } catch {
    return []
  }
}

export function writeSessionEntry(commonDir: string, entry: SessionEntry): void {
  const path = fileOf(commonDir, entry.id)
  mkdirSync(directory(commonDir), { recursive: true })
  writeFileSync(`${path}.new`, JSON.stringify(entry))
  renameSync(`${path}.new`, path)
}

export const removeSessionEntry = (commonDir: string, id: string): void =>
  rmSync(fileOf(commonDir, id), { force: true })

/** Removes those of sessions that have ended. */
export function removeOldEntries(commonDir: string, now: Date): void {
  for (const { id, askedAt } of readSessionEntries(commonDir))
    if (!(now.getTime() - Date.parse(askedAt) < longestSession)) removeSessionEntry(commonDir, id)
}
