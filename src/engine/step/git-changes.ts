// Refuses to continue if a step has changed what Git executes.

import { PlanError } from '../../errors.ts'
import { Fingerprint } from '../../git/trust/fingerprint.ts'
import { refuseBrokenGit } from '../workspace/broken-git.ts'
import type { Worker } from '../run/worker.ts'

/** Configuration, hooks and attributes must be unchanged: Git must not execute anything that the step has set up. */
export async function refuseGitChanges(worker: Worker, before: Fingerprint): Promise<void> {
  refuseBrokenGit(worker.run.id, worker.workspace.repo)
  const changed = await before.changes()
  if (changed.length === 0) return
  throw await gitChangedError(worker, changed)
}

/** Reported once: resuming after the report accepts the current state. */
export async function gitChangedError(worker: Worker, changed: readonly string[]): Promise<PlanError> {
  await worker.run.dir.writeJson('git-changed.json', { now: (await Fingerprint.take(worker.workspace.repo)).digest })
  return new PlanError('not-allowed', `the step changed files that Git executes: ${changed.join(', ')}`, {
    hint: `check them; to accept the changes: git plan resume ${worker.run.id}`,
    facts: { changed },
  })
}
