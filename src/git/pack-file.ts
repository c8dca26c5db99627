// Many objects in one file, as git keeps them: a pack without deltas, and its index. What would be a file and a sync for each object is two for all.

import { createHash, randomBytes } from 'node:crypto'
import { closeSync, fsync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32, deflateSync } from 'node:zlib'
import type { Oid } from '../plan/values.ts'
import type { LooseStore, ObjectType } from './loose-objects.ts'

const typeNumbers: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3 }

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

/** Answers with its path, without the end of the name; its directory is to be synced. */
export async function writePack({ directory, format }: LooseStore, objects: ReadonlyMap<Oid, PackedObject>): Promise<string> {
  const { pack, packed, sum } = packOf(objects, format)
  const index = indexOf(packed, sum, format)
  const shelf = join(directory, 'pack')
  mkdirSync(shelf, { recursive: true })
  const name = join(shelf, `pack-${sum.toString('hex')}`)
  const files: Unfinished[] = []
  try {
    for (const bytes of [pack, index]) files.push(new Unfinished(shelf, bytes))
    // Side by side, once both are there: a disk that syncs two files has the second nearly for nothing, and makes no file meanwhile.
    await Promise.all(files.map((file) => file.sync()))
    // The index last: by it git finds the pack.
    for (const [at, end] of ['.pack', '.idx'].entries()) files[at]!.name(`${name}${end}`)
  } finally {
    for (const file of files) await file.end()
  }
  return name
}

/** All of it is in another one. What cannot be removed is twice there, which harms nobody. */
export function removePack(name: string): void {
  for (const end of ['.idx', '.pack']) rmSync(`${name}${end}`, { force: true })
}

function packOf(objects: Parameters<typeof writePack>[1], format: LooseStore['format']): { pack: Buffer; packed: Packed[]; sum: Buffer } {
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
function indexOf(packed: readonly Packed[], sum: Buffer, format: LooseStore['format']): Buffer {
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

/** A file that gets its name when it is whole and synced. */
class Unfinished {
  readonly #path: string
  readonly #file: number
  #synced: Promise<void> | undefined

  constructor(shelf: string, bytes: Buffer) {
    // As git calls its own, so that its housekeeping finds what a kill leaves.
    this.#path = join(shelf, `tmp_pack_${randomBytes(6).toString('hex')}`)
    this.#file = openSync(this.#path, 'wx', 0o444)
    try {
      writeFileSync(this.#file, bytes)
    } catch (error) {
      closeSync(this.#file)
      rmSync(this.#path, { force: true })
      throw error
    }
  }

  sync(): Promise<void> {
    this.#synced = syncing(this.#file)
    return this.#synced
  }

  name(path: string): void {
    renameSync(this.#path, path)
  }

  /** Without a name it goes. */
  async end(): Promise<void> {
    // Not under the hands of a sync that is still going on because that of the other file failed.
    await this.#synced?.catch(() => {})
    closeSync(this.#file)
    rmSync(this.#path, { force: true })
  }
}

const syncing = promisify(fsync)
