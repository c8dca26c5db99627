// Reports the remains of a plan on the remote after it was merged here and pushed: nothing removes them automatically.

import { PlanError } from '../errors.ts'
import type { PullRequest } from './forge/forge.ts'
import { remoteOf } from '../store/remote-name.ts'
import { forgeOf } from './open-forge.ts'
import type { WriteContext } from '../operation/with-run.ts'

export async function reportLeftovers(writing: WriteContext, mode: 'merge' | 'squash' | 'ff'): Promise<void> {
  const { run } = writing
  const remote = await remoteOf(run.home)
  // Forges detect a merged branch themselves, but a squash is a different commit to them.
  const found = mode === 'squash' ? await pullRequestOf(writing) : undefined
  const isOpen = found?.state === 'open'
  run.world.emit({
    kind: 'notice',
    message: `plan/${run.id} is still on ${remote}${isOpen ? `, and its pull request ${found.url} is still open: the forge does not detect a squash as its merge` : ''}`,
    hint: `git push ${remote} --delete plan/${run.id}`,
  })
}

/** The plan is finished even if the forge does not answer. */
async function pullRequestOf({ run, settings, context }: WriteContext): Promise<PullRequest | undefined> {
  try {
    return await (await forgeOf(run.home, settings, context))?.pullRequestOf(`plan/${run.id}`)
  } catch (error) {
    if (error instanceof PlanError) return undefined
    throw error
  }
}
