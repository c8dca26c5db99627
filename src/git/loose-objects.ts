// Objects written as git writes them, without a process for each: the text with its header, compressed, under the name of its hash.
// A file appears under its name only when it is whole and synced; the directories are synced by `flush`.

import { createHash, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { Oid } from '../plan/values.ts'

export interface LooseStore {
  /** `<git-common-dir>/objects` */
  readonly directory: string
  readonly format: 'sha1' | 'sha256'
}

export type ObjectType = 'blob' | 'tree' | 'commit'

/** Answers with the directory that names it. Nothing here is awaited: each of these acts is shorter than the way to another thread and back. */
export function writeLoose({ directory, format }: LooseStore, type: ObjectType, bytes: Uint8Array): { readonly oid: Oid; readonly shelf: string } {
  const whole = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes])
  const oid = createHash(format).update(whole).digest('hex') as Oid
  const shelf = join(directory, oid.slice(0, 2))
  const path = join(shelf, oid.slice(2))
  if (isFreshened(path)) return { oid, shelf }
  // The name that git gives to its own unfinished ones, so that its housekeeping finds what a kill leaves.
  const unfinished = join(shelf, `tmp_obj_${randomBytes(6).toString('hex')}`)
  const file = openIn(shelf, unfinished)
  try {
    try {
      // As git does it for loose objects: fast rather than small.
      writeFileSync(file, deflateSync(whole, { level: 1 }))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    // Where somebody else was faster, the same bytes are there.
    renameSync(unfinished, path)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
  return { oid, shelf }
}

/** Git removes directories that its housekeeping leaves empty, also between our making one and using it. */
function openIn(shelf: string, path: string): number {
  for (let tries = 1; ; tries += 1) {
    try {
      return openSync(path, 'wx', 0o444)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries > 20) throw error
      mkdirSync(shelf, { recursive: true })
    }
  }
}

/** An object that is there already is young again: `gc` takes old ones that no ref names yet. An empty file is what a power cut left of one. */
function isFreshened(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false })
  if (facts === undefined) return false
  if (facts.size === 0) {
    rmSync(path, { force: true })
    return false
  }
  const now = Date.now() / 1000
  try {
    utimesSync(path, now, now)
    return true
  } catch {
    return false
  }
}
