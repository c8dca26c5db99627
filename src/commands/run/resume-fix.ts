// `git plan resume --fix`: records manual work after a failure.

import { PlanError } from '../../errors.ts'
import { describePaths, shown, type RawPath } from '../../git/read/raw-path.ts'
import type { TreeChange } from '../../git/read/tree-text.ts'
import { statusOf } from '../../plan/model/plan.ts'
import type { Oid } from '../../plan/model/ids.ts'
import type { ForeignCommit } from '../../store/history.ts'
import {
  commitStaged,
  discard,
  outsideSparse,
  stageChanges,
  treeOf,
  type StepCommit,
} from '../../engine/record/checkpoint.ts'
import { scanWorkspace } from '../../engine/workspace/preserved-ignored.ts'
import { refuseSecrets, SecretGuard } from '../../engine/record/quarantine.ts'
import { recordEvent } from '../../engine/record/record-event.ts'
import type { Run } from '../../engine/run/run.ts'
import { isOutOfBoundsRaw } from '../../engine/step/step-files.ts'

/**
 * Commits the user's edits and adopts their commits; the failed step becomes pending again. `check` sees the tree of
 * the fix first and throws if the step could not run in it: then nothing is recorded, and the edits stay.
 */
export async function fix(
  run: Run,
  message: string | undefined,
  adopted: readonly ForeignCommit[],
  check: (tree: Oid) => Promise<void>,
): Promise<void> {
  const { plan } = run.at
  const failed = plan.steps.filter(
    (step) => ['failed', 'timeout', 'conflict', 'waiting'].includes(statusOf(plan, step.id)) && !step.allowFailure,
  )
  const steps = new Map(failed.map((step) => [step.id, 'pending' as const]))
  const [first] = failed
  const { dirty } = await scanWorkspace(run.checkedOut)
  if (dirty.length === 0 && adopted.length === 0)
    throw new PlanError('usage', 'nothing to commit as a fix: the work tree is clean and you have made no commits', {
      hint: `git plan resume ${run.id}`,
    })
  await refuseSecrets(run.worker, undefined, dirty)
  const facts = {
    ...(first === undefined ? {} : { step: first.id }),
    ...(message === undefined ? {} : { reason: message }),
  }
  const subject = message ?? (first === undefined ? 'Fix by hand' : `Fix for ${first.title}`)
  if (dirty.length === 0) {
    await check(run.at.tip)
    await recordEvent(run, { event: 'fixed', steps, subject, facts })
    reportFix(run, [], adopted)
    return
  }
  const changes = await run.withKeptObjects(() => commitFix(run, { steps, subject, facts }, check))
  reportFix(
    run,
    changes.map(({ path }) => path),
    adopted,
  )
}

async function commitFix(
  run: Run,
  request: Pick<StepCommit, 'steps' | 'subject' | 'facts'>,
  check: (tree: Oid) => Promise<void>,
): Promise<readonly TreeChange[]> {
  await run.intend({ kind: 'event', input: run.at.tip })
  const staged = await stageChanges(run.worker, new SecretGuard(run.worker, undefined, { isOfPerson: true }))
  const touched = staged.changes.find(({ path }) => isOutOfBoundsRaw(run, path))
  if (staged.scan.nested.length > 0)
    throw new PlanError(
      'cannot-save',
      `there is a Git repository inside the work tree: ${staged.scan.nested.map(shown).join(', ')}`,
      {
        hint: 'move it out of the work tree',
      },
    )
  const sparse = outsideSparse(staged)
  if (sparse !== undefined)
    throw new PlanError('cannot-save', sparse.message, { hint: `${sparse.remedy} && git plan resume ${run.id} --fix` })
  if (touched !== undefined)
    throw new PlanError('spec-changed', `a fix cannot change ${shown(touched.path)}`, {
      hint: `git plan replan ${run.id}`,
    })
  const tree = await treeOf(run.worker, staged)
  // The check reads the repository, which does not see objects in memory.
  await run.worker.workspace.objects.writeOut()
  try {
    await check(tree)
  } catch (error) {
    await discard(staged)
    await run.settle()
    throw error
  }
  const committed = await commitStaged(
    run.worker,
    staged,
    { event: 'fixed', step: undefined, ...request, withHooks: false },
    () => undefined,
  )
  await run.settle()
  if (!committed.ok)
    throw new PlanError('step-failed', `the fix could not be committed: ${committed.message}`, {
      hint: `git plan resume ${run.id} --fix`,
    })
  return staged.changes
}

function reportFix(
  run: Run,
  paths: readonly RawPath[],
  adopted: readonly { readonly commit: string; readonly subject: string }[],
): void {
  const commits = adopted.map(({ commit, subject }) => `${commit.slice(0, 10)} ${subject}`).join('; ')
  const adoptedText = [
    ...(paths.length === 0 ? [] : [`committed as a fix: ${describePaths(paths)}`]),
    ...(commits === '' ? [] : [`adopted as a fix: ${commits}`]),
  ].join('; ')
  run.world.emit({ kind: 'notice', message: adoptedText })
}
