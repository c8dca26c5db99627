// Streams between blobs and files: a user's file may be larger than memory.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, open, readlink } from 'node:fs/promises'
import type { Oid } from '../../plan/model/ids.ts'
import type { Repository } from '../repository.ts'

/** The id that Git would give to the file without filters. undefined: neither a file nor a symlink. */
export async function blobIdOf(path: string | Buffer, format: Repository['objectFormat']): Promise<Oid | undefined> {
  const facts = await lstat(path).catch(() => undefined)
  const hash = createHash(format)
  if (facts?.isSymbolicLink() === true) {
    const target = await readlink(path, { encoding: 'buffer' })
    return hash.update(`blob ${target.length}\0`).update(target).digest('hex') as Oid
  }
  if (facts?.isFile() !== true) return undefined
  hash.update(`blob ${facts.size}\0`)
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(piece as Buffer)
  return hash.digest('hex') as Oid
}

/**
 * Writes a blob to a new file and syncs it. With `path`, writes the blob as Git would check it out there, through the
 * filters; this is only for comparison, so it is not synced. False: Git could not.
 */
export async function writeBlob(repo: Repository, blob: Oid, to: string, path?: string): Promise<boolean> {
  const file = await open(to, 'wx')
  try {
    const args = path === undefined ? ['cat-file', 'blob', blob] : ['cat-file', '--filters', `--path=${path}`, blob]
    const answer = await repo.git.run(args, { output: file.fd, ok: path === undefined ? [0] : [0, 1, 128] })
    if (path === undefined) await file.sync()
    return answer.code === 0
  } finally {
    await file.close()
  }
}
