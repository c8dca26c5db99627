// Results: steps that have run in the pool and are not on the plan's branch yet. Each is a commit on the commit that
// the step started from, below a commit with the step's output, under `refs/plan-local/<id>/results/<step>`.

import { differsOnlyAt } from '../../git/read/differs-only-at.ts'
import { rawPath } from '../../git/read/raw-path.ts'
import type { RefMove } from '../../git/read/refs.ts'
import type { TreeChange } from '../../git/read/tree-text.ts'
import { WorkTree } from '../../git/worktree/work-tree.ts'
import { claimFromText, type Claim } from '../../plan/model/claim.ts'
import { eventOf, type Times } from '../../plan/record/trailers.ts'
import { resultRefs, resultRef, type Oid, type StepId } from '../../plan/model/ids.ts'
import { isSettled } from '../../plan/model/step-status.ts'
import { nextAttempt, recordAttempt } from '../record/restore.ts'
import { readMade } from '../run/made-here.ts'
import type { Run } from '../run/run.ts'
import { outputName } from './pool-worker.ts'

export interface Result {
  readonly step: StepId
  readonly ref: string
  /** The commit that the ref names. */
  readonly oid: Oid
  readonly commit: Oid
  /** The commit that the step started from. */
  readonly base: Oid
  readonly message: string
  readonly attempt: number
  readonly times: Times
  readonly output: Uint8Array
  /** What the agent of the step says about it. */
  readonly claim: Claim | undefined
  /** Without the plan file. */
  readonly changes: readonly TreeChange[]
}

export async function readResult(run: Run, step: StepId): Promise<Result | undefined> {
  const ref = resultRef(run.id, step)
  const [top] = await run.repo.firstParents(ref as Oid, 1).catch(() => [])
  const commit = top?.parents[0] === undefined ? undefined : await run.repo.readCommit(top.parents[0])
  const base = commit?.parents[0]
  const event = commit === undefined ? undefined : eventOf(commit.message)
  if (top === undefined || commit === undefined || base === undefined || event?.step !== step) return undefined
  const { attempt = 1, startedAt = '', endedAt = '' } = event
  const output = (await run.repo.readBlob(`${top.oid}:${outputName}`)) ?? Buffer.alloc(0)
  const times = { startedAt, endedAt }
  const changes = await changesOf(run, base, commit.oid)
  const claim = claimFromText(event.claim)
  const { oid, message } = commit
  return { step, ref, oid: top.oid, commit: oid, base, message, attempt, times, output, claim, changes }
}

async function changesOf(run: Run, base: Oid, commit: Oid): Promise<TreeChange[]> {
  const { repo, planPath } = run
  const trees = await Promise.all([repo.resolve(base, 'tree'), repo.resolve(commit, 'tree')])
  if (await differsOnlyAt(repo, trees[0], trees[1], planPath)) return []
  const tree = run.tree ?? new WorkTree(run.home, run.dir.path)
  const changes = await tree.changesBetween(base, commit)
  return changes.filter(({ path }) => path !== rawPath(planPath))
}

/**
 * The results of earlier runs that can still be integrated: this clone made them for this text of the plan, on a commit
 * that the branch still has. Any other becomes an attempt of its step. `except`: a step that is to run again.
 */
export async function waitingResults(
  run: Run,
  { except }: { readonly except?: StepId | undefined } = {},
): Promise<Map<StepId, Result>> {
  const results = new Map<StepId, Result>()
  const refs = await run.repo.refs(resultRefs(run.id))
  if (refs.length === 0) return results
  const made = readMade(run.repo.commonDir, run.id)
  for (const { name, oid } of refs) {
    const id = name.slice(resultRefs(run.id).length) as StepId
    const result = await readResult(run, id)
    const { plan, tip } = run.at
    const step = plan.steps.find((each) => each.id === id)
    const isUsable =
      result !== undefined &&
      step !== undefined &&
      id !== except &&
      !isSettled(plan, id) &&
      made.has(result.oid) &&
      eventOf(result.message)?.digest === plan.digest &&
      (await run.repo.isAncestor(result.base, tip))
    if (isUsable) results.set(id, result)
    else if (result !== undefined) await keepAsAttempt(run, result, unused)
    else await dropUnreadable(run, name, oid)
  }
  return results
}

/** It would be in the way of the result of its step. */
async function dropUnreadable(run: Run, ref: string, oid: Oid): Promise<void> {
  run.world.emit({ kind: 'notice', message: `${ref} was removed: ${oid} is not the result of a step` })
  await run.moveRefsWithIntent(() => run.repo.moveRefs([{ ref, from: oid, to: undefined }]))
}

/** Before a rollback, or when the plan ends without them. */
export async function keepResults(run: Run): Promise<void> {
  for (const result of (await waitingResults(run)).values()) await keepAsAttempt(run, result, unused)
}

export const dropResult = (run: Run, result: Result): Promise<void> =>
  run.moveRefsWithIntent(() => run.repo.moveRefs([removalOf(result)]))

const removalOf = ({ ref, oid }: Result): RefMove => ({ ref, from: oid, to: undefined })

const unused = { reason: 'unused', message: 'the step ran, but its result was not used' }

/** Makes a result an attempt of its step, and removes it. */
export async function keepAsAttempt(
  run: Run,
  result: Result,
  why: { readonly reason: string; readonly message: string },
): Promise<string> {
  const { step, base, times, output, claim } = result
  const facts = { step, attempt: await nextAttempt(run, step), ...why, times, note: output, claim }
  let saved = ''
  await run.withKeptObjects(async () => {
    const planBlob = await run.repo.resolve(`${base}:${run.planPath}`, 'object')
    const tree = await run.objects.treeWith(await run.objects.treeOf(result.commit), run.planPath, planBlob)
    await run.moveRefsWithIntent(async () => {
      saved = (await recordAttempt(run, run.objects, facts, { tree, parent: base })).ref
      await run.repo.moveRefs([removalOf(result)])
    })
  })
  return saved
}
