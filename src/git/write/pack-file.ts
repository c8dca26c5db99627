// Writes many objects as one pack without deltas, and its index: two files and syncs instead of one per object.

import { createHash } from 'node:crypto'
import { closeSync, fsync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32, deflateSync } from 'node:zlib'
import type { Oid } from '../../plan/model/ids.ts'

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'
export type HashFormat = 'sha1' | 'sha256'

const typeNumbers: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 }

/** An object, with its packed form once it was in a pack: a pack that grows is not compressed again. */
export interface PackedObject {
  readonly type: ObjectType
  readonly bytes: Uint8Array
  packed?: { readonly part: Buffer; readonly crc: number }
}

interface PackEntry {
  readonly oid: Oid
  readonly offset: number
  readonly crc: number
}

/** Returns the path without extension. Both files are synced, their directory is not. */
export async function writePack(
  directory: string,
  format: HashFormat,
  objects: ReadonlyMap<Oid, PackedObject>,
): Promise<string> {
  const { pack, packed, sum } = buildPack(objects, format)
  const name = join(directory, `pack-${sum.toString('hex')}`)
  const parts = { '.pack': pack, '.idx': buildIndex(packed, sum, format) }
  const files: number[] = []
  try {
    for (const [end, bytes] of Object.entries(parts)) {
      const file = openSync(`${name}${end}`, 'wx', 0o444)
      files.push(file)
      writeFileSync(file, bytes)
    }
    // In parallel, once both are written: for a disk, syncing two files costs little more than one.
    const synced = await Promise.allSettled(files.map((file) => syncFile(file)))
    for (const each of synced) if (each.status === 'rejected') throw each.reason
  } catch (error) {
    for (const end of Object.keys(parts)) rmSync(`${name}${end}`, { force: true })
    throw error
  } finally {
    for (const file of files) closeSync(file)
  }
  return name
}

function buildPack(
  objects: ReadonlyMap<Oid, PackedObject>,
  format: HashFormat,
): { pack: Buffer; packed: PackEntry[]; sum: Buffer } {
  const header = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1')
  header.writeUInt32BE(objects.size, 8)
  const parts: Buffer[] = [header]
  const packed: PackEntry[] = []
  let offset = header.length
  for (const [oid, object] of objects) {
    const { part, crc } = (object.packed ??= packObject(object))
    packed.push({ oid, offset, crc })
    parts.push(part)
    offset += part.length
  }
  const whole = Buffer.concat(parts)
  const sum = createHash(format).update(whole).digest()
  return { pack: Buffer.concat([whole, sum]), packed, sum }
}

function packObject({ type, bytes }: PackedObject): { readonly part: Buffer; readonly crc: number } {
  const part = Buffer.concat([entryHeader(typeNumbers[type], bytes.length), deflateSync(bytes, { level: 1 })])
  return { part, crc: crc32(part) }
}

/** Three bits of type, then the length: four bits, then seven at a time. */
function entryHeader(type: number, length: number): Buffer {
  const bytes = [(type << 4) | (length & 15)]
  for (let rest = Math.floor(length / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 0x80
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}

/** Version 2: fan-out table, sorted names, checksums, offsets. */
function buildIndex(packed: readonly PackEntry[], sum: Buffer, format: HashFormat): Buffer {
  const sorted = packed.toSorted((a, b) => (a.oid < b.oid ? -1 : a.oid > b.oid ? 1 : 0))
  const fanout = Buffer.alloc(256 * 4)
  const firsts = sorted.map(({ oid }) => Number.parseInt(oid.slice(0, 2), 16))
  for (let byte = 0, at = 0; byte < 256; byte += 1) {
    while (at < firsts.length && firsts[at]! <= byte) at += 1
    fanout.writeUInt32BE(at, byte * 4)
  }
  const numbers = (of: (each: PackEntry) => number): Buffer => {
    const bytes = Buffer.alloc(sorted.length * 4)
    for (const [at, each] of sorted.entries()) bytes.writeUInt32BE(of(each), at * 4)
    return bytes
  }
  const whole = Buffer.concat([
    Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]),
    fanout,
    ...sorted.map(({ oid }) => Buffer.from(oid, 'hex')),
    numbers(({ crc }) => crc),
    numbers(({ offset }) => offset),
    sum,
  ])
  return Buffer.concat([whole, createHash(format).update(whole).digest()])
}

const syncFile = promisify(fsync)
