// Blobs as files, and files as blobs, one piece at a time: a file of the user's may be larger than memory.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, open, readlink } from 'node:fs/promises'
import type { Oid } from '../../plan/model/ids.ts'
import type { Repository } from '../repository.ts'

/** What git would call what lies there, no filter applied. undefined: it is neither a file nor a link. */
export async function blobIdOf(place: string | Buffer, format: Repository['objectFormat']): Promise<Oid | undefined> {
  const facts = await lstat(place).catch(() => undefined)
  const hash = createHash(format)
  if (facts?.isSymbolicLink() === true) {
    const target = await readlink(place, { encoding: 'buffer' })
    return hash.update(`blob ${target.length}\0`).update(target).digest('hex') as Oid
  }
  if (facts?.isFile() !== true) return undefined
  hash.update(`blob ${facts.size}\0`)
  for await (const piece of createReadStream(place, { highWaterMark: 1 << 20 })) hash.update(piece as Buffer)
  return hash.digest('hex') as Oid
}

/**
 * Writes a blob to a file that is not there yet, and onto the disk. `path`: only to be compared, as git would check it
 * out there, through the filters. False: git could not.
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
