// Writes a file that a user asked for. A file that exists is never replaced.

import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PlanError } from '../errors.ts'
import { quoteIfNeeded } from '../process/shell-words.ts'

/** `name`: the file as the user typed it. `instead`: a command that shows the text or the existing file. */
export async function writeNewFile(path: string, text: string, name: string, instead: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx' }).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw new PlanError('usage', `${name} already exists`, { hint: instead })
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
    throw new PlanError('usage', `${name} cannot be created: there is no such directory`, {
      hint: `mkdir -p ${quoteIfNeeded(dirname(name))}`,
    })
  })
}
