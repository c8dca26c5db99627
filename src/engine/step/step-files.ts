// The work tree as file verbs see it: paths stay inside the repository, symlinks are not followed, and files of Git and
// git plan are out of bounds.

import { constants } from 'node:fs'
import { chmod, lstat, mkdir, open, rename, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isOutOfBounds as isOurs } from '../../judge/plan/scope.ts'
import { PlanError } from '../../errors.ts'
import { onDisk, rawPath, shown, splitRaw, type RawPath } from '../../git/read/raw-path.ts'
import type { Step } from '../../plan/model/plan.ts'
import type { VerbContext } from '../../plan/model/verb.ts'
import { globMatcher } from '../../plan/text/glob.ts'
import { pathProblem } from '../../plan/text/repo-path.ts'
import type { Run } from '../run/run.ts'
import type { Worker } from '../run/worker.ts'

/** `touched` collects every path that was written, moved or removed. */
export function stepFiles(worker: Worker, touched: Set<RawPath>): VerbContext['tree'] {
  const { tree, objects } = worker.workspace
  const { at } = worker
  const { root, repo } = tree

  /** The path on disk, checked part by part without following symlinks. */
  async function pathOnDisk(path: string, options: { toWrite: boolean }): Promise<string> {
    const problem = pathProblem(path)
    if (problem !== undefined) throw refusal(path, problem)
    if (options.toWrite && isOutOfBounds(worker.run, path)) throw refusal(path, 'it belongs to the plan')
    if (options.toWrite && worker.workspace.preserved.covers(rawPath(path)))
      throw refusal(path, 'it was ignored before, so no rollback could restore it')
    let at = root
    const parts = path.split('/')
    for (const part of parts.slice(0, -1)) {
      at = join(at, part)
      const facts = await lstat(at).catch(() => undefined)
      if (facts === undefined) break
      if (!facts.isDirectory())
        throw refusal(
          path,
          `${at.slice(root.length + 1)} is ${facts.isSymbolicLink() ? 'a symlink' : 'not a directory'}`,
        )
      if (at !== root && (await lstat(join(at, '.git')).catch(() => undefined)) !== undefined)
        throw refusal(path, `${at.slice(root.length + 1)} is another repository`)
    }
    const file = join(root, path)
    const facts = await lstat(file).catch(() => undefined)
    if (
      options.toWrite &&
      facts?.isDirectory() === true &&
      (await lstat(join(file, '.git')).catch(() => undefined)) !== undefined
    )
      throw refusal(path, 'it is another repository')
    if (options.toWrite && facts !== undefined && !facts.isDirectory()) {
      if (facts.isSymbolicLink()) throw refusal(path, 'it is a symlink')
      if (!facts.isFile()) throw refusal(path, 'it is a device, a pipe or a socket')
      if (facts.nlink > 1) throw refusal(path, 'it has other hard links, which would change too')
    }
    return file
  }

  async function refuseIgnored(path: string): Promise<void> {
    // A tracked file is not ignored, whatever the rules say.
    const isTracked = (await objects.entryIn(await objects.treeOf(at.tip), rawPath(path))) !== undefined
    if (!isTracked && (await tree.isIgnored(path)))
      throw refusal(path, 'Git ignores it, so it would never be committed')
  }

  /** Must be called before the change. */
  function touch(...paths: readonly RawPath[]): void {
    for (const path of paths) touched.add(path)
    if (paths.some((path) => /(^|\/)\.gitignore$/.test(path))) tree.forgetIgnoreRules()
  }

  /** The tracked files below a path. A submodule is another repository, checked out or not: no step may change it. */
  async function filesBelow(path: string): Promise<RawPath[]> {
    const { stdout } = await repo.git.run(['ls-files', '--stage', '-z', '--', path])
    return splitRaw(stdout).map((entry) => {
      const name = entry.slice(entry.indexOf('\t') + 1) as RawPath
      if (entry.startsWith('160000 ')) throw refusal(path, `${shown(name)} is a submodule`)
      return name
    })
  }

  async function readFile(path: string): Promise<Uint8Array> {
    const handle = await open(
      await pathOnDisk(path, { toWrite: false }),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    )
    try {
      if (!(await handle.stat()).isFile()) throw refusal(path, 'it is not a regular file')
      return await handle.readFile()
    } finally {
      await handle.close()
    }
  }

  return {
    async kind(path) {
      const facts = await lstat(await pathOnDisk(path, { toWrite: false })).catch(() => undefined)
      if (facts === undefined) return 'absent'
      return facts.isFile() ? 'file' : facts.isDirectory() ? 'directory' : facts.isSymbolicLink() ? 'symlink' : 'other'
    },

    read: readFile,

    async readUpTo(path, bytes) {
      const file = await pathOnDisk(path, { toWrite: false })
      return (await lstat(file)).size > bytes ? undefined : readFile(path)
    },

    async matching(globs) {
      const { stdout } = await repo.git.run(['ls-files', '--stage', '-z'])
      const isMatch = globMatcher(globs)
      return splitRaw(stdout)
        .filter((entry) => entry.startsWith('100'))
        .map((entry) => shown(entry.slice(entry.indexOf('\t') + 1) as RawPath))
        .filter(isMatch)
        .toSorted()
    },

    async write(path, bytes, options = {}) {
      const file = await pathOnDisk(path, { toWrite: true })
      await refuseIgnored(path)
      const old = await lstat(file).catch(() => undefined)
      if (old?.isDirectory() === true) throw refusal(path, 'it is a directory')
      await mkdir(dirname(file), { recursive: true })
      const draft = join(dirname(file), `.git-plan.${worker.run.token}`)
      const handle = await open(
        draft,
        constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
        0o666,
      )
      try {
        await handle.writeFile(bytes)
      } finally {
        await handle.close()
      }
      const made = (await lstat(draft)).mode & 0o777
      const executable = options.executable ?? ((old?.mode ?? 0) & 0o100) !== 0
      const kept = old === undefined ? made : old.mode & 0o777
      // Everyone who may read may execute, as with a Git checkout.
      await chmod(draft, executable ? kept | ((kept & 0o444) >> 2) : kept & ~0o111)
      touch(rawPath(path))
      await rename(draft, file)
    },

    async tracked(path) {
      await pathOnDisk(path, { toWrite: false })
      return (await filesBelow(path)).map(shown)
    },

    async remove(path) {
      const file = await pathOnDisk(path, { toWrite: true })
      touch(rawPath(path))
      await unlink(file)
      await removeEmptyAbove(Buffer.from(root), Buffer.from(file))
    },

    async rename(from, to) {
      const source = await pathOnDisk(from, { toWrite: true })
      const target = await pathOnDisk(to, { toWrite: true })
      await refuseIgnored(to)
      if ((await lstat(target).catch(() => undefined)) !== undefined) throw refusal(to, 'it already exists')
      if (!(await lstat(source)).isDirectory()) {
        await mkdir(dirname(target), { recursive: true })
        touch(rawPath(from), rawPath(to))
        return rename(source, target)
      }
      // File by file: the step must not move ignored files.
      for (const path of await filesBelow(from)) {
        const moved = `${rawPath(to)}${path.slice(rawPath(from).length)}` as RawPath
        await mkdir(onDisk(root, moved.slice(0, moved.lastIndexOf('/')) as RawPath), { recursive: true })
        touch(path, moved)
        await rename(onDisk(root, path), onDisk(root, moved))
        await removeEmptyAbove(Buffer.from(root), onDisk(root, path))
      }
    },
  }
}

async function removeEmptyAbove(root: Buffer, file: Buffer): Promise<void> {
  for (
    let at = file.subarray(0, file.lastIndexOf(47));
    at.length > root.length;
    at = at.subarray(0, at.lastIndexOf(47))
  ) {
    try {
      await rmdir(at)
    } catch {
      return
    }
  }
}

/** A step must not change the plan file or the configuration. */
const isOutOfBounds = (run: Run, path: string): boolean =>
  isOurs(path, { planFile: run.planPath, dir: run.settings.dir })

/** `step`: the one that changed it. */
export const isOutOfBoundsRaw = (run: Run, path: string, step?: Step): boolean =>
  path === rawPath(run.planPath) || isOurs(path, { planFile: run.planPath, dir: run.settings.dir }, step)

function refusal(path: string, why: string): PlanError {
  return new PlanError('path-refused', `${path} is refused: ${why}`, { facts: { path } })
}
