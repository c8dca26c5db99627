// Which git this is, and whether it is enough: `merge-tree --write-tree` came with 2.38.

import { PlanError } from '../../errors.ts'
import type { GitRunner } from './runner.ts'

export const neededGit = 'install git 2.38 or newer'

/** What `git version` says, with the judgement. */
export async function gitVersion(git: GitRunner): Promise<{ readonly text: string; readonly isEnough: boolean }> {
  const text = await git.text(['version'])
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(text) ?? []
  return { text, isEnough: Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38) }
}

/** An old git fails in ways that nobody understands, so writers look first. */
export async function refuseOldGit(git: GitRunner): Promise<void> {
  const version = await gitVersion(git)
  if (!version.isEnough) throw new PlanError('old-git', `${version.text} is too old`, { hint: neededGit })
}
