// Removing a plan's refs without a session (`delete`, `prune`): under an intent, or nobody could tell whose the locks are that a kill leaves.

import { PlanError } from '../../errors.ts'
import type { Ref, Repository } from '../../git/repository.ts'
import { removeStaleLocks } from '../../git/write/stale-locks.ts'
import type { Oid, PlanId } from '../../plan/model/ids.ts'
import { clearIntent, readIntent, refDirsOf, refsOf, removeIntent, writeIntent } from './intent.ts'
import type { PlanDir } from './plan-dir.ts'

interface Removal {
  readonly dir: PlanDir
  readonly repo: Repository
  readonly id: PlanId
}

/** With the lock held. False: a run was interrupted, and only a session can put it in order. A removal that was interrupted is put in order here. */
export async function isInOrder({ dir, repo, id }: Removal): Promise<boolean> {
  const intent = await readIntent(dir)
  if (intent === undefined) return true
  if (intent.kind !== 'refs') return false
  const places = {
    gitDir: intent.gitDir,
    commonDir: repo.commonDir,
    refDirs: refDirsOf(id),
    refs: [...refsOf(id), ...(intent.refs ?? [])],
    workTree: intent.workTree,
  }
  await removeStaleLocks(places, intent)
  return true
}

/** `alsoRemove`: what goes with them. The intent is the last thing to go: until then the command can be given again, and goes on. */
export async function removeRefs(
  { dir, repo, id }: Removal,
  refs: readonly Ref[],
  by: { run: string; since: string; tip: Oid; alsoRemove?: () => Promise<void> },
): Promise<void> {
  const request = { kind: 'refs' as const, run: by.run, input: by.tip, workTree: repo.root, gitDir: repo.gitDir, since: by.since }
  await writeIntent(dir, request, { commonDir: repo.commonDir, id })
  try {
    await repo.moveRefs(refs.map(({ name, oid }) => ({ ref: name, from: oid, to: undefined })))
    await by.alsoRemove?.()
  } catch (error) {
    // Git that was ended in the middle leaves its locks, and the intent stays.
    if (error instanceof PlanError && error.code !== 'system') await clearIntent(dir)
    throw error
  }
  await clearIntent(dir)
  await removeIntent(dir)
}
