// Edits the index file without a Git process: replaces, adds and removes entries. It handles only simple indexes:
// version 2, no merge conflict, no entry that is assumed unchanged or excluded by a sparse checkout, no extension
// except the cache tree. Any other index is left to Git.

import { createHash } from 'node:crypto'
import { lstatSync, readFileSync, readlinkSync, type BigIntStats } from 'node:fs'
import type { Oid } from '../../plan/model/ids.ts'
import { onDisk, type RawPath } from '../read/raw-path.ts'
import type { TreeFile } from '../read/tree-text.ts'

/** A file with its stat from before it was read, and its blob id; undefined: removed. */
export type IndexEdits = ReadonlyMap<RawPath, TreeFile | undefined>

export interface IndexContext {
  readonly root: string
  readonly format: 'sha1' | 'sha256'
  /** When the index was written: a file modified at that moment may have changed since without a trace. */
  readonly writtenNs: bigint
}

/** True if the index can be edited here. */
export const isSimpleIndex = (bytes: Buffer, context: Omit<IndexContext, 'writtenNs'>): boolean =>
  editIndexBytes(bytes, new Map(), { ...context, writtenNs: afterAnyFile }) !== undefined

/** Later than any file, so no file is compared. */
const afterAnyFile = 2n ** 62n

/** undefined: Git has to edit this index. */
export function editIndexBytes(bytes: Buffer, edits: IndexEdits, context: IndexContext): Buffer | undefined {
  const idLength = context.format === 'sha256' ? 32 : 20
  const end = bytes.length - idLength
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || bytes.readUInt32BE(4) !== 2 || end < 12) return undefined
  const wanted = [...edits].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const added = new Map<RawPath, Buffer>()
  for (const [path, file] of wanted) {
    if (path.length >= 0xfff) return undefined
    if (file !== undefined)
      added.set(
        path,
        entryOf(path, isAsRead(path, file, context) ? file : { mode: file.mode, oid: file.oid }, idLength),
      )
  }
  const count = bytes.readUInt32BE(8)
  // By default Git compares whole seconds only. It would trust a file modified in the second of the index, or later,
  // once the index is newer.
  const writtenSecond = Number(context.writtenNs / 1_000_000_000n)
  const parts: Buffer[] = []
  let [at, kept, total, next] = [12, 12, count, 0]
  for (let number = 0; number < count; number += 1) {
    const flags = bytes.readUInt16BE(at + 40 + idLength)
    // Assumed unchanged, extended flags, a merge stage, or a name too long for its length field.
    if ((flags & 0xf000) !== 0 || (flags & 0xfff) === 0xfff) return undefined
    const nameAt = at + 42 + idLength
    const length = entryLength(idLength, flags & 0xfff)
    if (next < wanted.length) {
      const name = bytes.toString('latin1', nameAt, nameAt + (flags & 0xfff))
      for (; next < wanted.length && wanted[next]![0] < name; next += 1) {
        const entry = added.get(wanted[next]![0])
        if (entry === undefined) continue
        parts.push(bytes.subarray(kept, at), entry)
        kept = at
        total += 1
      }
      if (wanted[next]?.[0] === name) {
        const entry = added.get(name as RawPath)
        parts.push(bytes.subarray(kept, at), ...(entry === undefined ? [] : [entry]))
        kept = at + length
        total -= entry === undefined ? 1 : 0
        next += 1
        at += length
        continue
      }
    }
    if (bytes.readUInt32BE(at + 8) >= writtenSecond && !isProven(bytes.subarray(at, at + length), context)) {
      parts.push(bytes.subarray(kept, at), withoutTimes(bytes.subarray(at, at + length)))
      kept = at + length
    }
    at += length
  }
  parts.push(bytes.subarray(kept, at))
  for (; next < wanted.length; next += 1) {
    const entry = added.get(wanted[next]![0])
    if (entry === undefined) continue
    parts.push(entry)
    total += 1
  }
  const extensions = editExtensions(bytes.subarray(at, end), edits, idLength)
  if (extensions === undefined) return undefined
  const header = Buffer.from(bytes.subarray(0, 12))
  header.writeUInt32BE(total, 8)
  const whole = Buffer.concat([header, ...parts, extensions])
  return Buffer.concat([whole, createHash(context.format).update(whole).digest()])
}

interface IndexEntry {
  readonly path: RawPath
  readonly mode: string
  readonly oid: Oid
  readonly bytes: Buffer
}

/** True if the entry matches the file and the file is older than the index, so it cannot have changed since. */
const isUnchanged = ({ path, mode, oid, bytes }: IndexEntry, facts: BigIntStats, writtenNs: bigint): boolean =>
  facts.mtimeNs < writtenNs && entryOf(path, { mode, oid, facts }, oid.length / 2).equals(bytes)

/** Includes the name and at least one zero byte, padded to a multiple of eight. */
const entryLength = (idLength: number, nameLength: number): number => (42 + idLength + nameLength + 8) & ~7

/** True if the file has not changed since it was read. Compares nanoseconds, which Git itself does not. */
function isAsRead(path: RawPath, { facts }: TreeFile, { root }: IndexContext): boolean {
  if (facts === undefined) return false
  try {
    const now = lstatSync(onDisk(root, path), { bigint: true })
    return (['ctimeNs', 'mtimeNs', 'dev', 'ino', 'mode', 'size'] as const).every((name) => now[name] === facts[name])
  } catch {
    return false
  }
}

/** Without a stat, Git compares the contents. */
function entryOf(path: RawPath, { mode, oid, facts }: TreeFile, idLength: number): Buffer {
  const entry = Buffer.alloc(entryLength(idLength, path.length))
  const low = (value: bigint): number => Number(value & 0xffffffffn)
  if (facts !== undefined) {
    const times = [facts.ctimeNs, facts.mtimeNs].flatMap((time) => [
      low(time / 1_000_000_000n),
      low(time % 1_000_000_000n),
    ])
    for (const [at, number] of [...times, low(facts.dev), low(facts.ino)].entries()) entry.writeUInt32BE(number, at * 4)
    for (const [at, number] of [facts.uid, facts.gid, facts.size].map(low).entries())
      entry.writeUInt32BE(number, 28 + at * 4)
  }
  entry.writeUInt32BE(Number.parseInt(mode, 8), 24)
  entry.write(oid, 40, 'hex')
  entry.writeUInt16BE(path.length, 40 + idLength)
  entry.write(path, 42 + idLength, 'latin1')
  return entry
}

/** True if the file matches the entry: same stat and older than the index, or the same bytes. */
function isProven(entry: Buffer, { root, format, writtenNs }: IndexContext): boolean {
  const idLength = format === 'sha256' ? 32 : 20
  const length = entry.readUInt16BE(40 + idLength) & 0xfff
  const path = entry.toString('latin1', 42 + idLength, 42 + idLength + length) as RawPath
  try {
    const file = onDisk(root, path)
    const facts = lstatSync(file, { bigint: true })
    if (!(facts.isFile() || facts.isSymbolicLink())) return false
    const oid = entry.toString('hex', 40, 40 + idLength) as Oid
    if (isUnchanged({ path, mode: entry.readUInt32BE(24).toString(8), oid, bytes: entry }, facts, writtenNs))
      return true
    if (facts.size > maxProvenBytes) return false
    const bytes = facts.isFile() ? readFileSync(file) : readlinkSync(file, { encoding: 'buffer' })
    return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === oid
  } catch {
    return false
  }
}

const maxProvenBytes = 64n * 1024n * 1024n

/** Clears the times of an entry, so that Git compares the contents. */
function withoutTimes(entry: Buffer): Buffer {
  const copy = Buffer.from(entry)
  copy.fill(0, 8, 16)
  return copy
}

/**
 * Invalidates the cache tree for the directories of the edits. Drops extensions that Git can do without; undefined for
 * any other extension.
 */
function editExtensions(bytes: Buffer, edits: IndexEdits, idLength: number): Buffer | undefined {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32BE(at + 4)
    const body = bytes.subarray(at + 8, at + 8 + length)
    at += 8 + length
    // Offsets for multithreaded reading: wrong after an edit, and optional.
    if (name === 'EOIE' || name === 'IEOT') continue
    if (name !== 'TREE') return undefined
    const trees = invalidateTrees(body, edits, idLength)
    const header = Buffer.from('TREE\0\0\0\0', 'latin1')
    header.writeUInt32BE(trees.length, 4)
    parts.push(header, trees)
  }
  return Buffer.concat(parts)
}

/**
 * Each entry of a cache tree: name, NUL, number of entries (-1: invalid), space, number of subtrees, newline, the tree
 * id if valid; then the subtrees.
 */
function invalidateTrees(bytes: Buffer, edits: IndexEdits, idLength: number): Buffer {
  const touched = new Set<string>([''])
  for (const path of edits.keys())
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) touched.add(path.slice(0, at))
  const parts: Buffer[] = []
  let at = 0
  const walk = (above: string | undefined): void => {
    const zero = bytes.indexOf(0, at)
    const line = bytes.indexOf(10, zero)
    const name = bytes.toString('latin1', at, zero)
    const [entries = '-1', subtrees = '0'] = bytes.toString('latin1', zero + 1, line).split(' ')
    const path = above === undefined ? '' : above === '' ? name : `${above}/${name}`
    const end = line + 1 + (Number(entries) < 0 ? 0 : idLength)
    parts.push(touched.has(path) ? Buffer.from(`${name}\0-1 ${subtrees}\n`, 'latin1') : bytes.subarray(at, end))
    at = end
    for (let number = 0; number < Number(subtrees); number += 1) walk(path)
  }
  if (bytes.length > 0) walk(undefined)
  return Buffer.concat(parts)
}
