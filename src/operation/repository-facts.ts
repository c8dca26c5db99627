// The repository as the rules of judge/ see it: trees and blobs of a commit, and the files of the work tree. Nothing is
// executed and no symlink is followed.

import { constants, lstatSync } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { EntryKind, RepositoryFacts } from '../judge/plan/repository-facts.ts'
import { noneIfTooLarge, PlanError } from '../errors.ts'
import { IgnoreCheck } from '../git/worktree/ignore-check.ts'
import { NoFollowStat } from '../git/worktree/no-follow-stat.ts'
import { isUnfiltered } from '../git/worktree/unfiltered-files.ts'
import { rawPath, shown, type RawPath } from '../git/read/raw-path.ts'
import type { Repository } from '../git/repository.ts'
import { readTree, treeMode, type TreeEntry } from '../git/read/tree-text.ts'
import type { Plan } from '../plan/model/plan.ts'
import type { Oid } from '../plan/model/ids.ts'
import { stepEnvironment } from '../process/environment.ts'
import { isOnPath } from '../process/on-path.ts'
import type { CommandContext } from './context.ts'

/** Larger files are not read. */
const maxBytes = 4 * 1024 * 1024

const kinds: Readonly<Record<string, EntryKind>> = {
  [treeMode]: 'directory',
  '120000': 'symlink',
  '160000': 'submodule',
}

/** The caller closes it. On disk it only reads the work tree of this repository. */
function openFacts(
  repo: Repository,
  commit: Oid,
  env: CommandContext['env'],
  { isHere }: { isHere: boolean },
): RepositoryFacts & { close(): void } {
  const trees = new Map<string, Promise<ReadonlyMap<string, TreeEntry>>>()
  const ignores = new IgnoreCheck(repo.git)
  const entriesOf = (id: string): Promise<ReadonlyMap<string, TreeEntry>> => {
    const known = trees.get(id)
    if (known !== undefined) return known
    const read = repo
      .readObject(`${id}^{tree}`)
      .then((object) =>
        object === undefined ? new Map<string, TreeEntry>() : readTree(object.bytes, repo.objectFormat),
      )
    trees.set(id, read)
    return read
  }
  const entryAt = async (path: RawPath): Promise<TreeEntry | undefined> => {
    let at: TreeEntry | undefined = { mode: treeMode, name: '', id: commit }
    for (const name of path.split('/')) at = at?.mode === treeMode ? (await entriesOf(at.id)).get(name) : undefined
    return at
  }
  const entriesBelow = async ({ mode, id }: TreeEntry, path: string): Promise<{ path: string; mode: string }[]> => {
    if (mode !== treeMode) return [{ path, mode }]
    const below: { path: string; mode: string }[] = []
    for (const entry of (await entriesOf(id)).values())
      for (const each of await entriesBelow(entry, path === '' ? entry.name : `${path}/${entry.name}`)) below.push(each)
    return below
  }
  return {
    kind: async (path) => {
      const entry = await entryAt(rawPath(path))
      return entry === undefined ? 'absent' : (kinds[entry.mode] ?? 'file')
    },
    read: async (path) => {
      const entry = await entryAt(rawPath(path))
      if (entry === undefined || kinds[entry.mode] !== undefined || !(await isUnfiltered(repo, rawPath(path))))
        return undefined
      const bytes = await repo.readBlob(entry.id).catch(noneIfTooLarge)
      return bytes === undefined || bytes.byteLength > maxBytes ? undefined : bytes
    },
    size: async (path) => {
      const entry = await entryAt(rawPath(path))
      return entry === undefined ? undefined : repo.sizeOf(entry.id)
    },
    files: async () =>
      (await entriesBelow({ mode: treeMode, name: '', id: commit }, ''))
        .filter(({ mode }) => kinds[mode] === undefined)
        .map(({ path }) => shown(path as RawPath)),
    tracked: async (path) => {
      const entry = await entryAt(rawPath(path))
      return entry === undefined
        ? []
        : (await entriesBelow(entry, rawPath(path))).map((each) => shown(each.path as RawPath))
    },
    isIgnored: async (path) => isHere && (await ignores.isIgnored(path)),
    obstacle: async (path) => (isHere ? obstacleAt(repo.root, rawPath(path)) : undefined),
    hasTool: (name) => isOnPath(name, stepEnvironment(env)['PATH'] ?? ''),
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(repo.root)
      return bavail * bsize
    },
    close: () => ignores.close(),
  }
}

/**
 * Uses the plan's tip; for a plan that is only a file, the tip of its base if that is known. Without any commit `work`
 * gets undefined. `fix`: the tree of changes on top of the tip that are not committed yet.
 */
export async function withRepositoryFacts<T>(
  repo: Repository,
  plan: Pick<Plan, 'base'>,
  tip: Oid | undefined,
  context: Pick<CommandContext, 'env'>,
  work: (facts: RepositoryFacts | undefined) => Promise<T>,
  fix?: Oid,
): Promise<T> {
  const base =
    plan.base === undefined
      ? undefined
      : ((await repo.tipOf(`refs/heads/${plan.base}`)) ?? (await repo.tipOf(`refs/remotes/origin/${plan.base}`)))
  const commit = tip ?? base ?? (await repo.resolve('HEAD'))
  if (commit === undefined) return work(undefined)
  // The files of the work tree belong to the commit that is checked out.
  const facts = openFacts(repo, fix ?? commit, context.env, { isHere: (await repo.resolve('HEAD')) === commit })
  try {
    return await work(facts)
  } catch (error) {
    // In a partial clone: reading commands never fetch.
    if (error instanceof PlanError && error.code === 'not-fetched') return await work(undefined)
    throw error
  } finally {
    facts.close()
  }
}

async function obstacleAt(root: string, path: RawPath): Promise<string | undefined> {
  const found = await new NoFollowStat(root).stat(path)
  if (found.kind === 'above') return `${shown(found.path)} is not a directory in the work tree`
  const nested = directoriesAbove(path).find(
    (each) => lstatSync(join(root, each, '.git'), { throwIfNoEntry: false }) !== undefined,
  )
  if (nested !== undefined) return `${nested} is another repository`
  const directory = await nearestDirectory(join(root, shown(path)))
  const isWritable = await access(directory, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!isWritable) return `${directory} cannot be written to`
  if (found.kind === 'absent' || found.facts.isDirectory()) return undefined
  const { facts } = found
  if (facts.isSymbolicLink()) return 'it is a symlink'
  if (!facts.isFile()) return 'it is a device, a pipe or a socket'
  return facts.nlink > 1 ? 'it has other hard links, which would change too' : undefined
}

const directoriesAbove = (path: RawPath): string[] =>
  shown(path)
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'))

async function nearestDirectory(path: string): Promise<string> {
  const above = dirname(path)
  return lstatSync(above, { throwIfNoEntry: false })?.isDirectory() === true || above === path
    ? above
    : nearestDirectory(above)
}
