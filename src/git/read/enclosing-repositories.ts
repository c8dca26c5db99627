// The repositories around a directory, found by looking at files, without Git: for an answer that must not depend on
// whether Git can be started, or trusts the repository.

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export interface RepositoryPaths {
  readonly root: string
  readonly gitDir: string
  readonly commonDir: string
}

/** Innermost first. A directory that does not exist counts as its nearest existing parent. */
export function enclosingRepositories(directory: string): RepositoryPaths[] {
  const found: RepositoryPaths[] = []
  for (let at = existing(resolve(directory)); ; at = dirname(at)) {
    const repository = repositoryAt(at)
    if (repository !== undefined) found.push(repository)
    if (dirname(at) === at) return found
  }
}

function existing(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return dirname(path) === path ? path : existing(dirname(path))
  }
}

function repositoryAt(root: string): RepositoryPaths | undefined {
  const dotGit = join(root, '.git')
  try {
    const facts = statSync(dotGit, { throwIfNoEntry: false })
    if (facts === undefined) return undefined
    const named = facts.isDirectory() ? undefined : /^gitdir: (.+)$/m.exec(readFileSync(dotGit, 'utf8'))?.[1]
    if (!facts.isDirectory() && named === undefined) return undefined
    const gitDir = named === undefined ? dotGit : resolve(root, named.trimEnd())
    return { root, gitDir, commonDir: commonDirOf(gitDir) }
  } catch {
    return undefined
  }
}

/** The file is in the Git directory of a linked work tree. */
function commonDirOf(gitDir: string): string {
  try {
    return resolve(gitDir, readFileSync(join(gitDir, 'commondir'), 'utf8').trimEnd())
  } catch {
    return gitDir
  }
}
