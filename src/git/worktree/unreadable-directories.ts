// Directories of a work tree that cannot be listed or entered. Git skips them with a warning, as if nothing in them had
// changed.

import { accessSync, chmodSync, constants, lstatSync, readdirSync, type Dirent } from 'node:fs'
import { PlanError } from '../../errors.ts'
import { quoteWord } from '../../process/shell-words.ts'
import { describePaths, onDisk, shown, type PathSet, type RawPath } from '../read/raw-path.ts'

export class UnreadableDirectories extends PlanError {
  /** Each ends with `/`. */
  readonly paths: readonly RawPath[]

  constructor(root: string, paths: readonly [RawPath, ...RawPath[]]) {
    const [first] = paths
    const isOwn = lstatSync(onDisk(root, first), { throwIfNoEntry: false })?.uid === process.geteuid?.()
    const open = `${isOwn ? 'chmod u+rwx' : 'sudo chown -R "$(id -u)"'} ${quoteWord(shown(first))}`
    super('cannot-save', `${describePaths(paths)} cannot be read, so changes in it are unknown`, {
      hint: `${open}, or let Git ignore it; then run the command again`,
      facts: { paths: paths.map(shown) },
    })
    this.paths = paths
  }
}

/** Skips ignored directories and nested repositories, as Git does. */
export function findUnreadable(root: string, ignored: readonly PathSet[]): RawPath[] {
  const closed: RawPath[] = []
  const walk = (above: string): void => {
    for (const name of namesIn(root, above)) {
      const path = `${above}${name}/` as RawPath
      if (ignored.some((paths) => paths.covers(path))) continue
      if (!isOpen(root, path)) closed.push(path)
      else if (!isThere(root, `${path}.git` as RawPath)) walk(path)
    }
  }
  walk('')
  return closed
}

/** Returns the directories that are accessible now. Only the owner may chmod; Git records no directory modes. */
export function makeReadable(root: string, paths: readonly RawPath[]): RawPath[] {
  return paths.filter((path) => {
    const directory = onDisk(root, path.slice(0, -1) as RawPath)
    const facts = lstatSync(directory, { throwIfNoEntry: false })
    if (facts?.isDirectory() !== true || facts.uid !== process.geteuid?.()) return false
    chmodSync(directory, (facts.mode & 0o7777) | 0o700)
    return isOpen(root, path)
  })
}

/** The subdirectories, without symlinks. Empty if the directory has disappeared. */
function namesIn(root: string, above: string): string[] {
  try {
    return readdirSync(onDisk(root, above as RawPath), { withFileTypes: true, encoding: 'buffer' })
      .filter((entry: Dirent<Buffer>) => entry.isDirectory())
      .map((entry) => entry.name.toString('latin1'))
      .filter((name) => name !== '.git')
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

function isOpen(root: string, path: RawPath): boolean {
  try {
    accessSync(onDisk(root, path), constants.R_OK | constants.X_OK)
    return true
  } catch (error) {
    return isGone(error)
  }
}

const isGone = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

const isThere = (root: string, path: RawPath): boolean =>
  lstatSync(onDisk(root, path), { throwIfNoEntry: false }) !== undefined
