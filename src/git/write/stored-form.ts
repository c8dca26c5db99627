// The bytes that Git would store for files with a filter or an encoding. They are made in an object store of their own,
// which only this user can read and which is removed at once: they never enter the repository.

import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { attributesContain, filteredPaths } from '../worktree/unfiltered-files.ts'
import { rawList, type RawPath } from '../read/raw-path.ts'
import type { Repository } from '../repository.ts'

/** The name of such a store, for the cleanup after a crash. */
export const storeName = /^stored\.[0-9a-f]{12}$/

/**
 * For regular files. Leaves out files that are stored unchanged except for line endings, and those of Git LFS, of which
 * Git stores only a digest.
 */
export async function storedForms(
  repo: Repository,
  paths: readonly RawPath[],
  scratch: string,
): Promise<ReadonlyMap<RawPath, Buffer>> {
  const changed = await convertedPaths(repo, await filteredPaths(repo, paths))
  if (changed.length === 0) return new Map()
  const store = join(scratch, `stored.${randomBytes(6).toString('hex')}`)
  await mkdir(store, { mode: 0o700 })
  try {
    const env = {
      GIT_OBJECT_DIRECTORY: store,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(repo.commonDir, 'objects')),
    }
    const input = Buffer.from(changed.map((path) => `${path}\n`).join(''), 'latin1')
    // A failing filter is reported later, when the files are staged.
    const made = await repo.git.run(['hash-object', '-w', '--stdin-paths'], { env, input, ok: [0, 1, 128] })
    const names = made.stdout.toString().trim().split('\n')
    if (made.code !== 0 || names.length !== changed.length) return new Map()
    const { stdout } = await repo.git.run(['cat-file', '--batch'], {
      env,
      input: names.map((name) => `${name}\n`).join(''),
    })
    return new Map(blobsIn(stdout).map((bytes, index) => [changed[index]!, bytes]))
  } finally {
    await rm(store, { recursive: true, force: true })
  }
}

/** The paths with a configured filter or an encoding. A name with a line feed cannot be passed to Git. */
async function convertedPaths(repo: Repository, paths: readonly RawPath[]): Promise<RawPath[]> {
  const asked = paths.filter((path) => !path.includes('\n'))
  const keys = new Set((await repo.config.entries()).map(({ key }) => key))
  const isFiltering = [...keys].some(
    (key) => /^filter\..*\.(?:clean|process)$/s.test(key) && !key.startsWith('filter.lfs.'),
  )
  // Asking Git takes a process, and most attributes are about line endings.
  const isAsked =
    asked.length > 0 &&
    ((await attributesContain(repo, asked, 'working-tree-encoding')) ||
      (isFiltering && (await attributesContain(repo, asked, 'filter'))))
  if (!isAsked) return []
  const { stdout } = await repo.git.run(['check-attr', '-z', '--stdin', 'filter', 'working-tree-encoding'], {
    input: rawList(asked),
  })
  const fields = stdout.toString('latin1').split('\0')
  const found = new Set<RawPath>()
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path, attribute, value = ''] = fields.slice(at, at + 3)
    if (['unspecified', 'unset', 'set', 'lfs'].includes(value)) continue
    if (attribute !== 'filter' || keys.has(`filter.${value}.clean`) || keys.has(`filter.${value}.process`))
      found.add(path as RawPath)
  }
  return [...found]
}

/** Parses `<name> blob <size>`, the bytes, a line feed. */
function blobsIn(output: Buffer): Buffer[] {
  const blobs: Buffer[] = []
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(10, at)
    const size = Number(output.toString('latin1', at, end).split(' ')[2])
    if (end < 0 || !Number.isInteger(size)) break
    blobs.push(output.subarray(end + 1, end + 1 + size))
    at = end + 1 + size + 1
  }
  return blobs
}
