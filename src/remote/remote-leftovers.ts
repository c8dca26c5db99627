// After a plan was merged here and pushed: what the remote still has of it, which nobody there takes away by
// themselves.

import { PlanError } from '../errors.ts'
import type { PullRequest } from './forge/forge.ts'
import { remoteOf } from '../store/remote-name.ts'
import { forgeOf } from './open-forge.ts'
import type { WriteContext } from '../operation/with-run.ts'

export async function tellLeftThere(writing: WriteContext, mode: 'merge' | 'squash' | 'ff'): Promise<void> {
  const { run } = writing
  const remote = await remoteOf(run.home)
  // Forges see by themselves that a branch was merged. A squash is another commit to them.
  const found = mode === 'squash' ? await pullRequestOf(writing) : undefined
  const isOpen = found?.state === 'open'
  run.world.emit({
    kind: 'notice',
    message: `plan/${run.id} is still on ${remote}${isOpen ? `, and its pull request ${found.url} is still open: the forge does not detect a squash as its merge` : ''}`,
    hint: `git push ${remote} --delete plan/${run.id}`,
  })
}

/** The plan is finished, whatever the forge answers. */
async function pullRequestOf({ run, settings, context }: WriteContext): Promise<PullRequest | undefined> {
  try {
    return await (await forgeOf(run.home, settings, context))?.pullRequestOf(`plan/${run.id}`)
  } catch (error) {
    if (error instanceof PlanError) return undefined
    throw error
  }
}
