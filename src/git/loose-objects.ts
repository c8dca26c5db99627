// Objects written as git writes them, without a process for each: the text with its header, compressed, under the name of its hash.
// A file appears under its name only when it is whole and synced; the directories are synced by `flush`.

import { createHash, randomBytes } from 'node:crypto'
import { link, mkdir, open, rename, rm, stat, utimes, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { Oid } from '../plan/values.ts'

export interface LooseStore {
  /** `<git-common-dir>/objects` */
  readonly directory: string
  readonly format: 'sha1' | 'sha256'
}

export async function writeLoose({ directory, format }: LooseStore, type: 'blob' | 'tree' | 'commit', bytes: Uint8Array): Promise<Oid> {
  const whole = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes])
  const id = createHash(format).update(whole).digest('hex')
  const shelf = join(directory, id.slice(0, 2))
  const path = join(shelf, id.slice(2))
  if (await isFreshened(path)) return id as Oid
  // The name that git gives to its own unfinished ones, so that its housekeeping finds what a kill leaves.
  const unfinished = join(shelf, `tmp_obj_${randomBytes(6).toString('hex')}`)
  const file = await openIn(shelf, unfinished)
  try {
    try {
      // As git does it for loose objects: fast rather than small.
      await file.writeFile(deflateSync(whole, { level: 1 }))
      await file.sync()
    } finally {
      await file.close()
    }
    // Where somebody else was faster, the same bytes are there. Some file systems have no links.
    await link(unfinished, path).catch((error: unknown) => ((error as NodeJS.ErrnoException).code === 'EEXIST' ? undefined : rename(unfinished, path)))
  } finally {
    await rm(unfinished, { force: true })
  }
  return id as Oid
}

/** Git removes directories that its housekeeping leaves empty, also between our making one and using it. */
async function openIn(shelf: string, path: string): Promise<FileHandle> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await open(path, 'wx', 0o444)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries > 20) throw error
      await mkdir(shelf, { recursive: true })
    }
  }
}

/** An object that is there already is young again: `gc` takes old ones that no ref names yet. An empty file is what a power cut left of one. */
async function isFreshened(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined)
  if (facts === undefined) return false
  if (facts.size === 0) {
    await rm(path, { force: true })
    return false
  }
  const now = Date.now() / 1000
  return utimes(path, now, now).then(
    () => true,
    () => false,
  )
}
