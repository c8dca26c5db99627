// Which git this is, and whether it is enough: `merge-tree --write-tree` came with 2.38.

import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { PlanError } from '../errors.ts'
import type { GitRunner } from './runner.ts'
import { stampOfGit } from './usual-git.ts'

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

/** Beside what runs of plans keep: to ask takes a process, and git is the same for months. What is there is believed for the very file that it was asked of. */
const seenFile = (commonDir: string): string => `${commonDir}/plan/.git-seen`

export function isGitSeen(commonDir: string, env: Readonly<Record<string, string>>): boolean {
  const path = seenFile(commonDir)
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true && readFileSync(path, 'utf8') === stampOfGit(env)
  } catch {
    return false
  }
}

/** For a git that was not too old. Without it the next command asks again. */
export function rememberGit(commonDir: string, env: Readonly<Record<string, string>>): void {
  if (isGitSeen(commonDir, env)) return
  try {
    const stamp = stampOfGit(env)
    if (stamp !== undefined) writeFileSync(seenFile(commonDir), stamp)
  } catch {
    // No room, or not ours to write.
  }
}
