// The files on disk in a work tree, tracked or not: finds them without following symlinks, and moves them away.

import { chmod, lstat, mkdir, readdir, rmdir, unlink } from 'node:fs/promises'
import { moveFile } from '../write/durable-fs.ts'
import { NoFollowStat } from './no-follow-stat.ts'
import { onDisk, type RawPath } from '../read/raw-path.ts'

export class TreeFiles {
  readonly root: string

  constructor(root: string) {
    this.root = root
  }

  /** Moves files out of the work tree into `to`, and removes directories that become empty. */
  async moveAside(paths: readonly RawPath[], to: string): Promise<void> {
    for (const path of paths) {
      await makeDirectoriesOf(path, { from: this.root, to })
      await moveFile(onDisk(this.root, path), onDisk(to, path))
      await this.#removeEmptyAbove(path)
    }
  }

  /** Also removes directories that become empty. */
  async removeFile(path: RawPath): Promise<void> {
    await unlink(onDisk(this.root, path))
    await this.#removeEmptyAbove(path)
  }

  /** undefined: not a directory. */
  async filesBelow(directory: RawPath): Promise<RawPath[] | undefined> {
    if (!(await lstat(onDisk(this.root, directory))).isDirectory()) return undefined
    const files: RawPath[] = []
    for (const entry of await readdir(onDisk(this.root, directory), { withFileTypes: true, encoding: 'buffer' })) {
      const path = `${directory}/${entry.name.toString('latin1')}` as RawPath
      // One by one: more than 100,000 arguments would overflow the stack.
      if (entry.isDirectory()) for (const file of (await this.filesBelow(path)) ?? []) files.push(file)
      else files.push(path)
    }
    return files
  }

  /** Files in a directory that has replaced a tracked file. A submodule does not count. */
  async filesInsteadOf(tracked: readonly RawPath[]): Promise<RawPath[]> {
    const found: RawPath[] = []
    for (const path of await this.existingPaths(tracked)) {
      const git = `${path}/.git` as RawPath
      if (!(await this.existingPaths([git])).includes(git)) found.push(...((await this.filesBelow(path)) ?? []))
    }
    return found
  }

  /** The paths that exist on disk, without following symlinks. A path whose parent was replaced yields that parent. */
  async existingPaths(paths: readonly RawPath[]): Promise<RawPath[]> {
    const noFollow = new NoFollowStat(this.root)
    const present = new Set<RawPath>()
    for (const path of paths) {
      const found = await noFollow.stat(path)
      if (found.kind !== 'absent') present.add(found.kind === 'above' ? found.path : path)
    }
    return [...present]
  }

  /** The paths one of whose parents was replaced by something other than a directory. */
  async pathsWithoutParent(paths: readonly RawPath[]): Promise<Set<RawPath>> {
    const noFollow = new NoFollowStat(this.root)
    const beyond = new Set<RawPath>()
    for (const path of paths) {
      const found = await noFollow.stat(path)
      if (found.kind === 'above') beyond.add(path)
    }
    return beyond
  }

  async #removeEmptyAbove(path: RawPath): Promise<void> {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      try {
        await rmdir(onDisk(this.root, path.slice(0, at) as RawPath))
      } catch {
        return
      }
    }
  }
}

/** Makes the parent directories of a path with the modes they have below `from`: private directories stay private. */
export async function makeDirectoriesOf(
  path: RawPath,
  { from, to }: { readonly from: string | undefined; readonly to: string },
): Promise<void> {
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
    const directory = path.slice(0, end) as RawPath
    const target = onDisk(to, directory)
    if ((await lstat(target).catch(() => undefined)) !== undefined) continue
    const model = from === undefined ? undefined : await lstat(onDisk(from, directory)).catch(() => undefined)
    await mkdir(target, model === undefined ? {} : { mode: model.mode })
    // Regardless of the umask.
    if (model !== undefined) await chmod(target, model.mode & 0o7777)
  }
}
