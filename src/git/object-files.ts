// Objects read from the files of a repository, without a process: loose ones and those in packs. Undefined is no answer: the object may be missing, or
// elsewhere, or broken, and git says which.

import { closeSync, existsSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { PackReader } from './pack-reader.ts'
import { sha1 } from './sha1.ts'
import { mostBytes, openPlainly, readAt, type StoredObject } from './stored-object.ts'

/** A command asks for the same few commits and trees again and again. */
const mostKept = 200
const largestKept = 32 * 1024

/** A process that reads costs as much as a few dozen objects; from there on it is faster, by far where many are asked for at once. */
const mostRead = 50

/** Nearly all commits have less. */
const mostHashed = 16 * 1024

/** Paths are made without `join`: it goes through them letter by letter, and V8 comes to think that worth compiling. */
export class ObjectFiles {
  readonly #directory: string
  readonly #packs: PackReader
  readonly #kept = new Map<string, StoredObject>()
  #read = 0

  /** `<git-common-dir>/objects` */
  constructor(directory: string) {
    this.#directory = directory
    this.#packs = new PackReader(`${directory}/pack`)
  }

  /** Whether git is to be asked from now on. */
  get isSpent(): boolean {
    return this.#read >= mostRead
  }

  read(oid: string): StoredObject | undefined {
    const kept = this.#kept.get(oid)
    // A pack is open as long as we are, as with git; a file of its own may be gone.
    if (kept !== undefined && (kept.isPacked || existsSync(this.#path(oid)))) return kept
    this.#read += 1
    const found = this.#packs.find(oid) ?? this.#loose(oid)
    const object = found !== undefined && isItself(oid, found) ? found : undefined
    if (this.#kept.size >= mostKept) this.#kept.clear()
    if (object !== undefined && object.bytes.length <= largestKept) this.#kept.set(oid, object)
    return object
  }

  close(): void {
    this.#read = 0
    this.#kept.clear()
    this.#packs.close()
  }

  #path(oid: string): string {
    return `${this.#directory}/${oid.slice(0, 2)}/${oid.slice(2)}`
  }

  #loose(oid: string): StoredObject | undefined {
    const file = openPlainly(this.#path(oid))
    if (file === undefined) return undefined
    try {
      if (file.size > mostBytes) return undefined
      const stored = readAt(file, 0, file.size)
      const { buffer: whole, engine } = inflated(stored)
      // Git calls what lies behind an object garbage.
      if (engine.bytesWritten !== stored.length) return undefined
      const end = whole.indexOf(0)
      const [, type, size] = /^(commit|tree|blob|tag) (0|[1-9]\d{0,9})$/.exec(whole.toString('latin1', 0, end)) ?? []
      const bytes = whole.subarray(end + 1)
      return type !== undefined && bytes.length === Number(size) ? { type, bytes, isPacked: false } : undefined
    } finally {
      closeSync(file.descriptor)
    }
  }
}

/**
 * Whether it is what its name says. Git looks at that where it parses an object, which are commits and tags; of files and trees it believes what it has stored, whose checksum is
 * right, and so do we. What is long is git's to hash.
 */
function isItself(oid: string, { type, bytes }: StoredObject): boolean {
  if (type !== 'commit' && type !== 'tag') return true
  return bytes.length <= mostHashed && sha1(Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes])) === oid
}

/** With how much of the bytes it took. */
const inflated = (bytes: Buffer): { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } } =>
  inflateSync(bytes, { maxOutputLength: mostBytes, info: true }) as unknown as ReturnType<typeof inflated>
