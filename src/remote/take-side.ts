// Resolves a divergence as the user chooses: the remote's branch or the local one. The other side is saved under
// refs/plan/<id>/rollbacks, here and on the remote. Each step can be repeated after a kill.

import { PlanError } from '../errors.ts'
import { finalRef, rollbackRefs, type Oid } from '../plan/model/ids.ts'
import { quoteIfNeeded } from '../process/shell-words.ts'
import { dropBranch, goBack } from '../engine/switch/go-back.ts'
import { goTo, keepTip, requireClean } from '../engine/rollback/rollback.ts'
import type { Run } from '../engine/run/run.ts'
import { loadPlanAt } from '../store/plan-at.ts'
import { pushRecords } from './push.ts'
import { markBuilt } from './remote-marks.ts'

export type Side = 'theirs' | 'ours'

/** Returns the ref that saves the other side; null if the chosen side contains all of it. */
export async function takeTheirs(run: Run, there: Oid): Promise<string | null> {
  // Before anything moves: a branch whose plan cannot be read would be a dead end.
  await loadPlanAt(run.repo, there, { id: run.id, file: run.planPath })
  const saved = await run.withKeptObjects(async () => {
    const tag = await tagFor(run, 'theirs', { left: run.at.tip, to: there })
    if (run.at.tip !== there) await moveTo(run, there, tag === undefined ? [] : [tag])
    return tag?.ref ?? null
  })
  await markBuilt(run.home, run.id, there)
  await publishRecords(run)
  return saved
}

export async function takeOurs(run: Run, there: Oid): Promise<string | null> {
  const saved = await run.withKeptObjects(async () => {
    const tag = await tagFor(run, 'ours', { left: there, to: run.at.tip })
    if (tag !== undefined) await run.moveRefsWithIntent(() => run.repo.moveRefs([tag]))
    return tag?.ref ?? null
  })
  await markBuilt(run.home, run.id, there)
  await publishRecords(run)
  return saved
}

/** Finished elsewhere: as after `finish` here, only the final ref is left of the branch. */
export async function takeFinished(run: Run): Promise<string | null> {
  const final = await run.repo.tipOf(finalRef(run.id))
  if (final === undefined)
    throw new PlanError('branch-moved', `${finalRef(run.id)} is gone`, { hint: `git plan fetch ${run.id}` })
  await requireCleanTree(run)
  const saved = await run.withKeptObjects(async () => {
    const tag = await tagFor(run, 'theirs', { left: run.at.tip, to: final })
    if (tag !== undefined) await run.moveRefsWithIntent(() => run.repo.moveRefs([tag]))
    return tag?.ref ?? null
  })
  await goBack(run)
  await dropBranch(run, run.at.tip)
  await markBuilt(run.home, run.id, undefined)
  await publishRecords(run)
  return saved
}

/** The choice is made even if the push fails: every later push of the plan pushes the records first. */
async function publishRecords({ home, id, world }: Run): Promise<void> {
  await pushRecords(home, id).catch((error: unknown) => {
    if (!(error instanceof PlanError)) throw error
    world.emit({
      kind: 'notice',
      message: `the records of ${id} are saved only in this clone: ${error.message}`,
      hint: `git plan submit ${id}`,
    })
  })
}

/** Moves the branch and the work tree in which it is checked out. */
export async function moveTo(
  run: Run,
  to: Oid,
  refs: readonly { ref: string; from: Oid | undefined; to: Oid }[] = [],
): Promise<void> {
  await requireCleanTree(run)
  await goTo(run, to, refs)
}

async function requireCleanTree(run: Run): Promise<void> {
  const { tree, home } = run
  if (tree === undefined) return
  const gitOption = tree.root === home.root ? '' : ` -C ${quoteIfNeeded(tree.root)}`
  await requireClean(run, { hint: `git${gitOption} stash --include-untracked` })
}

/** Returns undefined if nothing would be lost, or if an earlier call already created the tag. */
async function tagFor(
  run: Run,
  side: Side,
  { left, to }: { left: Oid; to: Oid },
): Promise<{ ref: string; from: undefined; to: Oid } | undefined> {
  const { repo, id } = run
  if (left === to || (await repo.isAncestor(left, to))) return undefined
  for (const { name } of await repo.refs(rollbackRefs(id))) if ((await repo.resolve(name)) === left) return undefined
  const { ref, oid } = await keepTip(
    run,
    { to, step: undefined, kind: 'rollback', reason: `fetch --take ${side}` },
    left,
  )
  return { ref, from: undefined, to: oid }
}
