// Small acts on the file system whose order or atomicity matters; names are bytes.

import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, statSync } from 'node:fs'
import { chmod, copyFile, lstat, readlink, rename, rm, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../../errors.ts'

/** Another one, and it was changed. undefined: there is nothing; why it cannot be looked at, where that is so. */
export function stampOf(path: string | Buffer, look: typeof statSync = statSync): string | undefined {
  try {
    const facts = look(path, { bigint: true, throwIfNoEntry: false })
    return facts === undefined ? undefined : [facts.ino, facts.mode, facts.mtimeNs, facts.ctimeNs, facts.size].join(' ')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

/**
 * A file's bytes, or the names in a directory: they survive a power cut from here on. Not awaited: the way to another
 * thread and back takes as long.
 */
export function syncNow(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * One below the other. `recursive` of Node says ENOENT where the file system is read-only, which nobody could make
 * sense of.
 */
export function makeDirectories(above: string, ...names: readonly string[]): void {
  for (let at = 1; at <= names.length; at += 1) {
    const path = join(above, ...names.slice(0, at))
    // To look first costs less than an exception; something else in its place is found out by mkdir.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) continue
    try {
      mkdirSync(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
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

/** A file or a link, as it is; names stay bytes. */
export async function copyEntry(from: Buffer, to: Buffer): Promise<void> {
  const facts = await lstat(from)
  if (facts.isSymbolicLink()) return symlink(await readlink(from, { encoding: 'buffer' }), to)
  await copyFile(from, to)
  await chmod(to, facts.mode & 0o7777)
  await utimes(to, facts.atime, facts.mtime)
}

/** Waits a little for a foreign lock to go away; it is never removed here. */
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
