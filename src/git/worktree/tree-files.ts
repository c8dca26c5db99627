// The files of a work tree as they lie there, tracked or not: looked at with no link followed, and moved out of the
// way.

import { chmod, lstat, mkdir, readdir, rmdir, unlink } from 'node:fs/promises'
import { moveFile } from '../write/durable-fs.ts'
import { Inside } from './no-follow-stat.ts'
import { onDisk, type RawPath } from '../read/raw-path.ts'

export class TreeFiles {
  readonly root: string

  constructor(root: string) {
    this.root = root
  }

  /** Moves files out of the work tree into a directory of ours, and removes the directories that this leaves empty. */
  async moveAside(paths: readonly RawPath[], to: string): Promise<void> {
    for (const path of paths) {
      await makeDirectoriesOf(path, { from: this.root, to })
      await moveFile(onDisk(this.root, path), onDisk(to, path))
      await this.#removeEmptyAbove(path)
    }
  }

  /** And the directories that this leaves empty. */
  async removeFile(path: RawPath): Promise<void> {
    await unlink(onDisk(this.root, path))
    await this.#removeEmptyAbove(path)
  }

  /** undefined: it is no directory. */
  async filesBelow(directory: RawPath): Promise<RawPath[] | undefined> {
    if (!(await lstat(onDisk(this.root, directory))).isDirectory()) return undefined
    const files: RawPath[] = []
    for (const entry of await readdir(onDisk(this.root, directory), { withFileTypes: true, encoding: 'buffer' })) {
      const path = `${directory}/${entry.name.toString('latin1')}` as RawPath
      if (entry.isDirectory()) files.push(...((await this.filesBelow(path)) ?? []))
      else files.push(path)
    }
    return files
  }

  /** Files in a directory that stands in the place of a tracked file. A submodule is no such directory. */
  async insteadOf(tracked: readonly RawPath[]): Promise<RawPath[]> {
    const found: RawPath[] = []
    for (const path of await this.present(tracked)) {
      const git = `${path}/.git` as RawPath
      if (!(await this.present([git])).includes(git)) found.push(...((await this.filesBelow(path)) ?? []))
    }
    return found
  }

  /**
   * What exists on disk at these paths, no link followed: the path itself, or what stands in the place of one of its
   * directories.
   */
  async present(paths: readonly RawPath[]): Promise<RawPath[]> {
    const inside = new Inside(this.root)
    const present = new Set<RawPath>()
    for (const path of paths) {
      const found = await inside.look(path)
      if (found.kind !== 'absent') present.add(found.kind === 'above' ? found.path : path)
    }
    return [...present]
  }

  /** Those with something in the place of one of their directories. */
  async withoutDirectory(paths: readonly RawPath[]): Promise<Set<RawPath>> {
    const inside = new Inside(this.root)
    const beyond = new Set<RawPath>()
    for (const path of paths) {
      const found = await inside.look(path)
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

/**
 * The directories on the way to a path, each with the mode that it has below `from`, if it is there: what was private
 * stays private.
 */
export async function makeDirectoriesOf(
  path: RawPath,
  { from, to }: { readonly from: string | undefined; readonly to: string },
): Promise<void> {
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
    const directory = path.slice(0, end) as RawPath
    const target = onDisk(to, directory)
    if ((await lstat(target).catch(() => undefined)) !== undefined) continue
    const like = from === undefined ? undefined : await lstat(onDisk(from, directory)).catch(() => undefined)
    await mkdir(target, like === undefined ? {} : { mode: like.mode })
    // Whatever the umask takes away.
    if (like !== undefined) await chmod(target, like.mode & 0o7777)
  }
}
