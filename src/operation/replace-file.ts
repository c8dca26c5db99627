// Writes a file of the user's choice that programs read while it is replaced, such as metrics.

import { dirname } from 'node:path'
import { PlanError } from '../errors.ts'
import { replaceFile } from '../git/write/durable-fs.ts'
import { quoteIfNeeded } from '../process/shell-words.ts'

/** `name`: as the user typed it. */
export async function replaceNamedFile(path: string, text: string, name: string): Promise<void> {
  await replaceFile(path, text).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new PlanError('usage', `${name} cannot be created: there is no such directory`, {
        hint: `mkdir -p ${quoteIfNeeded(dirname(name))}`,
      })
    if (code === 'EISDIR') throw new PlanError('usage', `${name} is a directory`, { hint: 'git plan metrics -h' })
    throw error
  })
}
