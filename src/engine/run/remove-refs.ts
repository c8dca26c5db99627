// Removes a plan's refs without a run (`delete`, `prune`). Needs an intent: otherwise locks left by a kill could not be
// attributed.

import { PlanError } from '../../errors.ts'
import type { Ref, Repository } from '../../git/repository.ts'
import { removeStaleLocks } from '../../git/write/stale-locks.ts'
import type { Oid, PlanId } from '../../plan/model/ids.ts'
import { IntentFile, readIntent, refDirsOf, refsOf } from '../workspace/intent.ts'
import type { PlanDir } from '../workspace/plan-dir.ts'

interface Removal {
  readonly dir: PlanDir
  readonly repo: Repository
  readonly id: PlanId
}

/**
 * Completes an interrupted removal. The lock must be held. False: a run was interrupted, and only a run can recover it.
 */
export async function recoverRemoval({ dir, repo, id }: Removal): Promise<boolean> {
  const intent = await readIntent(dir)
  if (intent === undefined) return true
  if (intent.kind !== 'refs') return false
  const paths = {
    gitDir: intent.gitDir,
    commonDir: repo.commonDir,
    refDirs: refDirsOf(id),
    refs: [...refsOf(id), ...(intent.refs ?? [])],
    workTree: intent.workTree,
  }
  await removeStaleLocks(paths, intent)
  return true
}

/**
 * `alsoRemove`: removes data that belongs to the refs. The intent is cleared last: until then the command can be
 * repeated and continues.
 */
export async function removeRefs(
  { dir, repo, id }: Removal,
  refs: readonly Ref[],
  by: { run: string; now: Date; tip: Oid; alsoRemove?: () => Promise<void> },
): Promise<void> {
  const intents = new IntentFile(dir, { id, run: by.run, mark: by.run, now: () => by.now })
  await intents.write(repo, { kind: 'refs', input: by.tip })
  try {
    await repo.moveRefs(refs.map(({ name, oid }) => ({ ref: name, from: oid, to: undefined })))
    await by.alsoRemove?.()
  } catch (error) {
    // A killed Git leaves its locks, so the intent stays.
    if (error instanceof PlanError && error.code !== 'system') await intents.clear()
    throw error
  }
  await intents.clear()
  await intents.remove()
}
