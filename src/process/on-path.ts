// Finds a program on a PATH.

import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

export async function isOnPath(name: string, path: string): Promise<boolean> {
  const directories = path.split(delimiter).filter((directory) => directory !== '')
  const found = await Promise.all(
    directories.map((directory) =>
      access(join(directory, name), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  )
  return found.includes(true)
}
