// Many objects in one file, as git keeps them: a pack without deltas, and its index. What would be a file and a sync for each object is two for all.

import { createHash } from 'node:crypto'
import { closeSync, fsync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32, deflateSync } from 'node:zlib'
import type { Oid } from '../../plan/model/ids.ts'

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'
export type HashFormat = 'sha1' | 'sha256'

const typeNumbers: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 }

/** An object, and what it is in a pack once it was in one: a pack that grows is not compressed again. */
export interface PackedObject {
  readonly type: ObjectType
  readonly bytes: Uint8Array
  packed?: { readonly part: Buffer; readonly crc: number }
}

interface Packed {
  readonly oid: Oid
  readonly offset: number
  readonly crc: number
}

/** Answers with its path, without the end of the name. Both files are synced, their directory is not. */
export async function writePack(
  directory: string,
  format: HashFormat,
  objects: ReadonlyMap<Oid, PackedObject>,
): Promise<string> {
  const { pack, packed, sum } = packOf(objects, format)
  const name = join(directory, `pack-${sum.toString('hex')}`)
  const parts = { '.pack': pack, '.idx': indexOf(packed, sum, format) }
  const files: number[] = []
  try {
    for (const [end, bytes] of Object.entries(parts)) {
      const file = openSync(`${name}${end}`, 'wx', 0o444)
      files.push(file)
      writeFileSync(file, bytes)
    }
    // Side by side, once both are there: a disk that syncs two files has the second nearly for nothing.
    const synced = await Promise.allSettled(files.map((file) => syncing(file)))
    for (const each of synced) if (each.status === 'rejected') throw each.reason
  } catch (error) {
    for (const end of Object.keys(parts)) rmSync(`${name}${end}`, { force: true })
    throw error
  } finally {
    for (const file of files) closeSync(file)
  }
  return name
}

function packOf(
  objects: ReadonlyMap<Oid, PackedObject>,
  format: HashFormat,
): { pack: Buffer; packed: Packed[]; sum: Buffer } {
  const header = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1')
  header.writeUInt32BE(objects.size, 8)
  const parts: Buffer[] = [header]
  const packed: Packed[] = []
  let offset = header.length
  for (const [oid, object] of objects) {
    const { part, crc } = (object.packed ??= packedOf(object))
    packed.push({ oid, offset, crc })
    parts.push(part)
    offset += part.length
  }
  const whole = Buffer.concat(parts)
  const sum = createHash(format).update(whole).digest()
  return { pack: Buffer.concat([whole, sum]), packed, sum }
}

function packedOf({ type, bytes }: PackedObject): { readonly part: Buffer; readonly crc: number } {
  const part = Buffer.concat([entryHeader(typeNumbers[type], bytes.length), deflateSync(bytes, { level: 1 })])
  return { part, crc: crc32(part) }
}

/** Three bits of type, and the length: four bits, then seven at a time. */
function entryHeader(type: number, length: number): Buffer {
  const bytes = [(type << 4) | (length & 15)]
  for (let rest = Math.floor(length / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 0x80
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}

/** Version 2: how many names begin with at most each byte, the names in order, their checksums, where each is. */
function indexOf(packed: readonly Packed[], sum: Buffer, format: HashFormat): Buffer {
  const sorted = packed.toSorted((a, b) => (a.oid < b.oid ? -1 : a.oid > b.oid ? 1 : 0))
  const fanout = Buffer.alloc(256 * 4)
  const firsts = sorted.map(({ oid }) => Number.parseInt(oid.slice(0, 2), 16))
  for (let byte = 0, at = 0; byte < 256; byte += 1) {
    while (at < firsts.length && firsts[at]! <= byte) at += 1
    fanout.writeUInt32BE(at, byte * 4)
  }
  const numbers = (of: (each: Packed) => number): Buffer => {
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

const syncing = promisify(fsync)
