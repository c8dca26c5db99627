// The version of Git. 2.38 is needed for `merge-tree --write-tree`.

import { PlanError } from '../../errors.ts'
import type { GitRunner } from './runner.ts'

export const neededGit = 'install git 2.38 or newer'

export async function gitVersion(git: GitRunner): Promise<{ readonly text: string; readonly isEnough: boolean }> {
  const text = await git.text(['version'])
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(text) ?? []
  return { text, isEnough: Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38) }
}

/** An old Git fails in confusing ways, so commands that write check first. */
export async function refuseOldGit(git: GitRunner): Promise<void> {
  const version = await gitVersion(git)
  if (!version.isEnough) throw new PlanError('old-git', `${version.text} is too old`, { hint: neededGit })
}
