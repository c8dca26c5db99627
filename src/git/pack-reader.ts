// Objects out of packs, read without a process. Undefined where a pack does not have one, or anything about it is unusual: then git is asked.

import { closeSync, readdirSync, statSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { applyDelta } from './pack-delta.ts'
import { mostBytes, openPlainly, readAt, type OpenFile, type StoredObject } from './stored-object.ts'

/** Each is looked into for each object: with more, git is faster, by its index of all of them. */
const mostPacks = 50

/** Git makes chains of fifty. */
const mostDeltas = 60

const objectTypes: Readonly<Record<number, string>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }
const [relativeDelta, namedDelta] = [6, 7]

/** The packs of a repository, as they were when one was last missed. Those in use are open: what is removed meanwhile can be read to the end, as git does. */
export class PackReader {
  readonly #directory: string
  #packs: Pack[] | undefined
  #listed: bigint | undefined

  /** `<git-common-dir>/objects/pack` */
  constructor(directory: string) {
    this.#directory = directory
  }

  find(oid: string): StoredObject | undefined {
    const name = Buffer.from(oid, 'hex')
    const found = this.#findIn(name)
    if (found !== undefined || !this.#isChanged()) return found
    this.close()
    return this.#findIn(name)
  }

  close(): void {
    for (const pack of this.#packs ?? []) pack.close()
    this.#packs = undefined
  }

  #findIn(name: Buffer): StoredObject | undefined {
    this.#packs ??= this.#list()
    for (const pack of this.#packs) {
      const offset = pack.offsetOf(name)
      const object = offset === undefined ? undefined : pack.read(offset)
      if (object !== undefined) return object
    }
    return undefined
  }

  #isChanged(): boolean {
    return this.#time() !== this.#listed
  }

  #time(): bigint | undefined {
    return statSync(this.#directory, { bigint: true, throwIfNoEntry: false })?.mtimeNs
  }

  #list(): Pack[] {
    this.#listed = this.#time()
    if (this.#listed === undefined) return []
    const names = readdirSync(this.#directory).filter((name) => /^pack-[0-9a-f]{40}\.idx$/.test(name))
    if (names.length > mostPacks) return []
    return names.flatMap((name) => Pack.open(`${this.#directory}/${name.slice(0, -'.idx'.length)}`) ?? [])
  }
}

class Pack {
  readonly #path: string
  readonly #index: OpenFile
  /** The beginning of the index: of most packs all of it. */
  readonly #head: Buffer
  /** Open since the first object of it; false: it is not there. */
  #pack: OpenFile | false | undefined

  private constructor(path: string, index: OpenFile, head: Buffer) {
    this.#path = path
    this.#index = index
    this.#head = head
  }

  static open(path: string): Pack | undefined {
    const index = openPlainly(`${path}.idx`)
    if (index === undefined) return undefined
    const head = readAt(index, 0, headBytes)
    const isOurs = head.length > namesAt && head.readUInt32BE(0) === 0xff744f63 && head.readUInt32BE(4) === 2
    if (isOurs) return new Pack(path, index, head)
    closeSync(index.descriptor)
    return undefined
  }

  close(): void {
    closeSync(this.#index.descriptor)
    if (typeof this.#pack === 'object') closeSync(this.#pack.descriptor)
  }

  /** How many names begin with at most this byte. */
  #upTo(byte: number): number {
    return byte < 0 ? 0 : this.#head.readUInt32BE(8 + byte * 4)
  }

  #indexed(position: number, length: number): Buffer {
    return position + length <= this.#head.length ? this.#head.subarray(position, position + length) : readAt(this.#index, position, length)
  }

  /** Where an object begins. */
  offsetOf(name: Buffer): number | undefined {
    const first = name[0] ?? 0
    const [from, to] = [this.#upTo(first - 1), this.#upTo(first)]
    if (to <= from) return undefined
    const names = this.#indexed(namesAt + from * 20, (to - from) * 20)
    for (let low = 0, high = names.length / 20; low < high;) {
      const middle = Math.floor((low + high) / 2)
      const order = names.compare(name, 0, 20, middle * 20, middle * 20 + 20)
      if (order === 0) return this.#offset(from + middle)
      if (order < 0) low = middle + 1
      else high = middle
    }
    return undefined
  }

  /** Behind the names are their checksums, behind those the offsets. One beyond two gigabytes is git's to read. */
  #offset(position: number): number | undefined {
    const bytes = this.#indexed(namesAt + this.#upTo(255) * 24 + position * 4, 4)
    const offset = bytes.length === 4 ? bytes.readUInt32BE(0) : 0
    return offset >= 12 && offset < 0x80000000 ? offset : undefined
  }

  read(offset: number): StoredObject | undefined {
    this.#pack ??= openPlainly(`${this.#path}.pack`) ?? false
    const deltas: Buffer[] = []
    let held = 0
    for (let at: number | undefined = offset; at !== undefined && deltas.length <= mostDeltas;) {
      const entry = this.#entry(at)
      if (entry === undefined) return undefined
      const type = objectTypes[entry.type]
      if (type !== undefined) {
        const bytes = deltas.reduceRight<Buffer | undefined>((base, delta) => (base === undefined ? undefined : applyDelta(base, delta)), entry.bytes)
        return bytes === undefined ? undefined : { type, bytes, isPacked: true }
      }
      deltas.push(entry.bytes)
      // As many as git makes of what is of that size, and no more: all are held at once.
      if ((held += entry.bytes.length) > mostBytes) return undefined
      at = entry.base
    }
    return undefined
  }

  /** Three bits of type and the length: four bits, then seven at a time; then where its base is, if it has one; then the compressed bytes. */
  #entry(offset: number): { type: number; bytes: Buffer; base: number | undefined } | undefined {
    const pack = this.#pack
    if (typeof pack !== 'object') return undefined
    let head = readAt(pack, offset, 512)
    let at = 0
    let byte = head[at++] ?? 0
    const type = (byte >> 4) & 7
    let size = byte & 15
    for (let bits = 4; byte >= 0x80 && bits < 32; bits += 7) {
      byte = head[at++] ?? 0
      size += (byte & 127) * 2 ** bits
    }
    if (byte >= 0x80 || size > mostBytes) return undefined
    let base: number | undefined
    if (type === relativeDelta) {
      byte = head[at++] ?? 0
      let back = byte & 127
      for (let more = 0; byte >= 0x80 && more < 5; more += 1) {
        byte = head[at++] ?? 0
        back = (back + 1) * 128 + (byte & 127)
      }
      base = offset - back
      if (byte >= 0x80 || back === 0 || base < 12) return undefined
    } else if (type === namedDelta) {
      base = this.offsetOf(head.subarray(at, at + 20))
      at += 20
      if (base === undefined) return undefined
    } else if (objectTypes[type] === undefined) return undefined
    // What cannot be compressed grows a little.
    const most = at + size + (size >> 8) + 64
    if (most > head.length) head = readAt(pack, offset, most)
    const bytes = inflateSync(head.subarray(at), { maxOutputLength: Math.max(size, 1) })
    return bytes.length === size ? { type, bytes, base } : undefined
  }
}

/** Behind the eight bytes that say what it is, and the fanout. */
const namesAt = 8 + 256 * 4
const headBytes = 16 * 1024
