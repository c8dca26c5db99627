// Directories of a work tree that cannot be listed or entered. Git passes over them with a warning, as if nothing had
// changed in there.

import { accessSync, chmodSync, constants, lstatSync, readdirSync, type Dirent } from 'node:fs'
import { PlanError } from '../../errors.ts'
import { quoteWord } from '../../process/shell-words.ts'
import { describePaths, onDisk, shown, type PathSet, type RawPath } from '../read/raw-path.ts'

export class ClosedDirectories extends PlanError {
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

/** Neither in what is ignored nor in repositories inside: git does not look there either. */
export function closedDirectories(root: string, ignored: readonly PathSet[]): RawPath[] {
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

/** Those that are open now. Only an owner may do it; git records no permissions of directories. */
export function openDirectories(root: string, paths: readonly RawPath[]): RawPath[] {
  return paths.filter((path) => {
    const place = onDisk(root, path.slice(0, -1) as RawPath)
    const facts = lstatSync(place, { throwIfNoEntry: false })
    if (facts?.isDirectory() !== true || facts.uid !== process.geteuid?.()) return false
    chmodSync(place, (facts.mode & 0o7777) | 0o700)
    return isOpen(root, path)
  })
}

/** The directories in one, no link among them. What goes away meanwhile has none. */
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
