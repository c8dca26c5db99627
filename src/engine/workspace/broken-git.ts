// Detects a Git directory that a command of the plan has broken, so that nothing could be recorded. Refuses before Git
// runs, while everything can still be repaired.

import { lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PlanError } from '../../errors.ts'
import type { PlanId } from '../../plan/model/ids.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'

interface GitPaths {
  readonly root: string
  readonly gitDir: string
  readonly commonDir: string
}

export function refuseBrokenGit(id: PlanId, { root, gitDir, commonDir }: GitPaths): void {
  const isLinked = gitDir !== commonDir
  const resume = `git plan resume ${id}`
  const goneError = (path: string, hint: string): PlanError =>
    new PlanError('cannot-save', `${path} no longer exists: nothing can be recorded`, { hint })
  const shared = firstMissing(commonDir, join(commonDir, 'HEAD'))
  if (shared !== undefined)
    throw goneError(shared, 'restore it from a backup or from another clone, then: git plan doctor')
  const own = isLinked ? firstMissing(gitDir, join(gitDir, 'HEAD')) : undefined
  if (own !== undefined)
    throw goneError(own, `mv ${quoteIfNeeded(root)} ${quoteIfNeeded(`${root}.moved`)} && ${resume}`)
  const link = isLinked ? firstMissing(join(root, '.git')) : undefined
  if (link !== undefined) throw goneError(link, `git worktree repair && ${resume}`)
  const index = join(gitDir, 'index')
  if (statSync(index, { throwIfNoEntry: false })?.isFile() !== false) return
  throw new PlanError('cannot-save', `the index ${index} is no longer a file: nothing can be recorded`, {
    hint: `mv ${quoteIfNeeded(index)} ${quoteIfNeeded(`${index}.moved`)} && ${resume}`,
  })
}

const firstMissing = (...paths: string[]): string | undefined =>
  paths.find((path) => lstatSync(path, { throwIfNoEntry: false }) === undefined)
