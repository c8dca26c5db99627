// The file with what was read before, `plan/list.table` in the git directory. Whatever is not as it was written is not there, and to write it may fail.

import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

/** Of some hundred thousand plans. What is larger is not kept, and not believed. */
const mostBytes = 32 * 1024 * 1024

const name = 'list.table'
/** The checksum of what follows is the rest of the line. */
const mark = 'git-plan 1 '
const markBytes = mark.length + 9

/** A draft that is older was left by a program that was killed. */
const draftMs = 60_000

export const tablePath = (commonDir: string): string => join(commonDir, 'plan', name)
const draftPath = (commonDir: string): string => join(commonDir, 'plan', `${name}.new`)

/** What was written before then, and what a writer that was killed has left. */
export function tablesBefore(commonDir: string, ms: number): string[] {
  return [tablePath(commonDir), draftPath(commonDir)].filter((path) => (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? ms) < ms)
}

/** Whether something is there. */
export const hasTable = (commonDir: string): boolean => lstatSync(tablePath(commonDir), { throwIfNoEntry: false }) !== undefined

/** Undefined where there is none, or none that is whole. */
export function readTable(commonDir: string): string | undefined {
  let file: number | undefined
  try {
    if (!lstatSync(join(commonDir, 'plan')).isDirectory()) return undefined
    // A pipe in its place must not be waited for.
    file = openSync(tablePath(commonDir), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const facts = fstatSync(file)
    if (!facts.isFile() || facts.size < markBytes || facts.size > mostBytes + markBytes) return undefined
    const bytes = Buffer.allocUnsafe(facts.size)
    if (readSync(file, bytes, 0, facts.size, 0) !== facts.size) return undefined
    const body = bytes.subarray(markBytes)
    return bytes.toString('latin1', 0, markBytes) === headOf(body) ? body.toString() : undefined
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

const headOf = (body: Buffer): string => `${mark}${crc32(body).toString(16).padStart(8, '0')}\n`

/** Whole or not at all, without waiting for anything, the disk included: a table that a power cut tears is none. */
export function writeTable(commonDir: string, text: string, now: Date): void {
  try {
    const draft = openDraft(commonDir, now)
    try {
      const body = Buffer.from(text)
      if (body.length > mostBytes) throw new Error('too much to keep')
      writeFileSync(draft, Buffer.concat([Buffer.from(headOf(body)), body]))
      renameSync(draftPath(commonDir), tablePath(commonDir))
    } catch {
      rmSync(draftPath(commonDir), { force: true })
    } finally {
      closeSync(draft)
    }
  } catch {
    // No room, no right, another one that writes: the next list reads git again.
  }
}

/** As with a lock of git's: who finds one there leaves it to the other, unless that was killed. */
function openDraft(commonDir: string, now: Date): number {
  const draft = draftPath(commonDir)
  makePlace(commonDir)
  const left = lstatSync(draft, { throwIfNoEntry: false })
  if (left !== undefined && Math.abs(now.getTime() - left.mtimeMs) > draftMs) rmSync(draft)
  return openSync(draft, 'wx', 0o666)
}

/** Made for nobody else: a directory of root's in the repository of another would be in their way. */
function makePlace(commonDir: string): void {
  const place = join(commonDir, 'plan')
  const facts = lstatSync(place, { throwIfNoEntry: false })
  if (facts === undefined && lstatSync(commonDir).uid === (process.getuid?.() ?? 0)) mkdirSync(place)
  else if (facts?.isDirectory() !== true) throw new Error('no place for it')
}
