// What is read of an object's file or pack, and how such a file is opened: what is no plain file, or large, is git's to read.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

export interface StoredObject {
  readonly type: string
  readonly bytes: Buffer
  /** Or in a file of its own. */
  readonly isPacked: boolean
}

export interface OpenFile {
  readonly descriptor: number
  readonly size: number
}

/** Larger ones are read by git. */
export const mostBytes = 4 * 1024 * 1024

/** Undefined where there is none, or something else. Not blocking: a pipe in its place would never open. */
export function openPlainly(path: string): OpenFile | undefined {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  const facts = fstatSync(descriptor)
  if (facts.isFile()) return { descriptor, size: facts.size }
  closeSync(descriptor)
  return undefined
}

/** As many bytes as there are. */
export function readAt({ descriptor, size }: OpenFile, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - position)))
  let read = 0
  while (read < bytes.length) {
    const more = readSync(descriptor, bytes, read, bytes.length - read, position + read)
    if (more === 0) break
    read += more
  }
  return bytes.subarray(0, read)
}
