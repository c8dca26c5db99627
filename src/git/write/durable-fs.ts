// File system operations whose order or atomicity matters. Names are bytes.

import { randomBytes } from 'node:crypto'
import { closeSync, constants, fsyncSync, linkSync, mkdirSync, openSync, statSync } from 'node:fs'
import { chmod, copyFile, lstat, readlink, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../../errors.ts'

/** A value that differs once the file has changed. undefined: there is no file; an error code: it cannot be read. */
export function stampOf(path: string | Buffer, stat: typeof statSync = statSync): string | undefined {
  try {
    const facts = stat(path, { bigint: true, throwIfNoEntry: false })
    return facts === undefined ? undefined : [facts.ino, facts.mode, facts.mtimeNs, facts.ctimeNs, facts.size].join(' ')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

/**
 * Makes a file's bytes, or the names in a directory, survive a power cut. Synchronous: the way to another thread and
 * back takes as long.
 */
export function syncNow(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Makes nested directories. Node's `recursive` reports a read-only file system as ENOENT, which is misleading. */
export function makeDirectories(above: string, ...names: readonly string[]): void {
  for (let at = 1; at <= names.length; at += 1) {
    const path = join(above, ...names.slice(0, at))
    // A stat costs less than an exception. If something else is in the way, mkdir reports it.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) continue
    try {
      mkdirSync(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** A reader sees the old file or the new one, never a part. For files that are ours, and can be made again. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const half = `${path}.${randomBytes(4).toString('hex')}.tmp`
  try {
    await writeFile(half, text, { flag: 'wx', mode: 0o644 })
    await rename(half, path)
  } catch (error) {
    await rm(half, { force: true }).catch(() => {})
    throw error
  }
}

export async function moveFile(from: Buffer, to: Buffer): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await copyEntry(from, to)
    await rm(from, { recursive: true })
  }
}

/** Copies a file or a symlink with mode and times; blocks are shared if the file system can. Names stay bytes. */
export async function copyEntry(from: Buffer, to: Buffer): Promise<void> {
  const facts = await lstat(from)
  if (facts.isSymbolicLink()) return symlink(await readlink(from, { encoding: 'buffer' }), to)
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  await chmod(to, facts.mode & 0o7777)
  await utimes(to, facts.atime, facts.mtime)
}

/** Waits a while for another process to release the lock, and never removes it. */
export async function linkPatiently(from: string, lock: string): Promise<void> {
  for (let waited = 0, pause = 20; ; waited += pause, pause = Math.min(pause * 2, 400)) {
    try {
      linkSync(from, lock)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      if (waited >= 3000) {
        throw new PlanError('foreign-lock', `another git process holds ${lock}`, {
          hint: `wait for it, then run the command again; if no git process is running here: rm '${lock}'`,
          cause: error,
          facts: { lock },
        })
      }
      await sleep(pause)
    }
  }
}
