// A `.git` file names the Git directory of its work tree. A forged one can name any other, with its configuration and
// hooks: if the two evidently do not belong together, the command is refused.

import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { PlanError } from '../../errors.ts'

export function refuseForeignGitFile({
  root,
  gitDir,
  commonDir,
}: {
  readonly root: string
  readonly gitDir: string
  readonly commonDir: string
}): void {
  const file = join(root, '.git')
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return
  const refuse = (why: string, hint: string): never => {
    throw new PlanError('not-a-repository', `${file} names ${gitDir}, ${why}`, { hint })
  }
  const real = realpathSync.native(gitDir)
  if (real !== realpathSync.native(commonDir)) {
    // The Git directory of a linked work tree records the path of that work tree.
    const owner = ownerOf(real)
    if (owner !== root)
      refuse(
        `which belongs to the work tree ${owner ?? 'that no longer exists'}`,
        `if this work tree was moved: git worktree repair ${JSON.stringify(root)}; else remove ${file}`,
      )
    return
  }
  if (real.startsWith(`${root}/`)) refuse('which is in the work tree itself', `rm ${JSON.stringify(file)}`)
  const above = dirname(real)
  const isOfAbove = above !== root && join(above, '.git') === real && existsSync(join(real, 'HEAD'))
  if (isOfAbove && !hasWorkTreeSetting(real))
    refuse(`which belongs to the work tree ${above}`, `cd ${JSON.stringify(above)}, or remove ${file}`)
}

function ownerOf(gitDir: string): string | undefined {
  try {
    return realpathSync.native(dirname(resolve(gitDir, readFileSync(join(gitDir, 'gitdir'), 'utf8').trimEnd())))
  } catch {
    return undefined
  }
}

/** With core.worktree, the Git directory itself points to this work tree. */
function hasWorkTreeSetting(gitDir: string): boolean {
  try {
    return /^\s*worktree\s*=/im.test(readFileSync(join(gitDir, 'config'), 'utf8'))
  } catch {
    return false
  }
}
