// Writes a file that programs read while it is replaced, such as metrics.

import { randomBytes } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PlanError } from '../errors.ts'
import { quoteIfNeeded } from '../process/shell-words.ts'

/** A reader sees the old file or the new one, never a part. The file is ours, and replaced each time. */
export async function replaceFile(path: string, text: string, name: string): Promise<void> {
  // Not `.prom`: the collector must not read it.
  const half = `${path}.${randomBytes(4).toString('hex')}.tmp`
  try {
    await writeFile(half, text, { flag: 'wx', mode: 0o644 })
    await rename(half, path)
  } catch (error) {
    await rm(half, { force: true }).catch(() => {})
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new PlanError('usage', `${name} cannot be created: there is no such directory`, {
        hint: `mkdir -p ${quoteIfNeeded(dirname(name))}`,
      })
    if (code === 'EISDIR') throw new PlanError('usage', `${name} is a directory`, { hint: 'git plan metrics -h' })
    throw error
  }
}
