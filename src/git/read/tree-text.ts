// Parses and writes tree objects, and represents edits of a tree.

import type { BigIntStats } from 'node:fs'
import type { Oid } from '../../plan/model/ids.ts'
import type { RawPath } from './raw-path.ts'

/** The name has one byte per character, as in a RawPath. */
export interface TreeEntry {
  readonly mode: string
  readonly name: string
  readonly id: Oid
}

export const treeMode = '40000'

export function readTree(bytes: Buffer, format: 'sha1' | 'sha256'): Map<string, TreeEntry> {
  const idLength = format === 'sha256' ? 32 : 20
  const entries = new Map<string, TreeEntry>()
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at)
    const end = bytes.indexOf(0, space)
    const name = bytes.toString('latin1', space + 1, end)
    entries.set(name, {
      mode: bytes.toString('latin1', at, space),
      name,
      id: bytes.toString('hex', end + 1, end + 1 + idLength) as Oid,
    })
    at = end + 1 + idLength
  }
  return entries
}

export function treeText(entries: Iterable<TreeEntry>): Buffer {
  const lines = [...entries]
    .toSorted(byName)
    .flatMap(({ mode, name, id }) => [Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(id, 'hex')])
  return Buffer.concat(lines)
}

/** Byte order, with directories as if their name ended in a slash: Git requires this order. */
function byName(a: TreeEntry, b: TreeEntry): number {
  const left = a.mode === treeMode ? `${a.name}/` : a.name
  const right = b.mode === treeMode ? `${b.name}/` : b.name
  return left < right ? -1 : left > right ? 1 : 0
}

export interface TreeChange {
  readonly path: RawPath
  readonly status: 'A' | 'M' | 'D' | 'T'
  readonly oldMode: string
  readonly newMode: string
  /** The new object; undefined: deleted. */
  readonly oid: Oid | undefined
}

export interface TreeFile {
  readonly mode: string
  readonly oid: Oid
  /** Stat of the file on disk, taken before it was read. */
  readonly facts?: BigIntStats
}

/** Files by path; undefined: removed. */
export type TreeEdits = ReadonlyMap<RawPath, TreeFile | undefined>

/** The same edits, grouped by directory. */
export interface EditedDirectory {
  readonly files: Map<string, TreeFile | undefined>
  readonly below: Map<string, EditedDirectory>
}

export function byDirectory(edits: TreeEdits): EditedDirectory {
  const top: EditedDirectory = { files: new Map(), below: new Map() }
  for (const [path, file] of edits) {
    const parts = path.split('/')
    const name = parts.pop() ?? ''
    let at = top
    for (const part of parts) {
      const next = at.below.get(part) ?? { files: new Map(), below: new Map() }
      at.below.set(part, next)
      at = next
    }
    at.files.set(name, file)
  }
  return top
}
