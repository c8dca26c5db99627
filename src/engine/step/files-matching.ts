// The files of a work tree that match globs. Not asked of Git: a command has just run, and may have changed what Git
// would execute.

import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { globBase, globMatcher } from '../../plan/text/glob.ts'

const maxFiles = 200_000

/** In order of their names. Symlinks are not followed. */
export async function filesMatching(root: string, globs: readonly string[]): Promise<string[]> {
  const isMatch = globMatcher(globs, { steps: 200e6 })
  const found = new Set<string>()
  for (const glob of globs) {
    const base = globBase(glob)
    let seen = 0
    const walk = async (directory: string): Promise<void> => {
      const entries = await readdir(join(root, directory), { withFileTypes: true }).catch(() => [])
      for (const entry of entries) {
        const path = directory === '' ? entry.name : `${directory}/${entry.name}`
        if (entry.name === '.git' || ++seen > maxFiles) continue
        if (entry.isDirectory()) await walk(path)
        else if (isMatch(path)) found.add(path)
      }
    }
    await walk(base)
    const isFile = (await lstat(join(root, base)).catch(() => undefined))?.isDirectory() === false
    if (isFile && isMatch(base)) found.add(base)
  }
  return [...found].toSorted()
}
