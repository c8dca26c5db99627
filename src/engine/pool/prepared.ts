// The ignored files that a work tree of the pool got from `.worktreeinclude`, `.worktreelinks` and `setup`. They can be
// made again; a file that a step has made or changed cannot.

import { lstat } from 'node:fs/promises'
import { onDisk, PathSet, type RawPath } from '../../git/read/raw-path.ts'
import { TreeFiles } from '../../git/worktree/tree-files.ts'
import type { PlanDir } from '../workspace/plan-dir.ts'
import type { Workspace } from '../workspace/workspace.ts'

const preparedFile = 'prepared'

/** The size and time of each file. Files are listed one by one: a step may add one to a prepared directory. */
type Stamps = ReadonlyMap<RawPath, string>

export async function stampIgnored({ preserved, tree: { root } }: Workspace): Promise<Stamps> {
  const stamps = new Map<RawPath, string>()
  const files = new TreeFiles(root)
  for (const path of preserved) {
    const isDirectory = path.endsWith('/')
    const below = isDirectory ? await files.filesBelow(path.slice(0, -1) as RawPath).catch(() => []) : [path]
    for (const file of below ?? []) stamps.set(file, await stampOf(root, file))
  }
  return stamps
}

/** `before`: the ignored files before `setup` ran again. Those that it did not change are what they were. */
export async function keepPrepared(workspace: Workspace, before: Stamps = new Map()): Promise<void> {
  const { dir, tree } = workspace
  const known = await readPrepared(dir, tree.root, before)
  const entries: string[] = []
  for (const [path, stamp] of await stampIgnored(workspace))
    if (before.get(path) !== stamp || known.covers(path)) entries.push(`${path}\0${stamp}\0`)
  await dir.write(preparedFile, Buffer.from(entries.join(''), 'latin1'))
}

/** Without files that a step has changed since. */
export async function readPrepared(dir: PlanDir, root: string, stamps?: Stamps): Promise<PathSet> {
  const fields = (dir.read(preparedFile, 'latin1') ?? '').split('\0')
  const prepared = new PathSet()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const path = fields[at] as RawPath
    if (fields[at + 1] === (stamps?.get(path) ?? (await stampOf(root, path)))) prepared.add(path)
  }
  return prepared
}

async function stampOf(root: string, path: RawPath): Promise<string> {
  const facts = await lstat(onDisk(root, path)).catch(() => undefined)
  return facts === undefined ? '' : `${facts.size} ${facts.mtimeMs}`
}
