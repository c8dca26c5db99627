// Whether a program is on a PATH.

import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

export async function isOnPath(name: string, path: string): Promise<boolean> {
  const places = path.split(delimiter).filter((place) => place !== '')
  const found = await Promise.all(
    places.map((place) =>
      access(join(place, name), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  )
  return found.includes(true)
}
