// Recovery after a crash: kills the survivors of the dead run, removes locks that are proven ours, and makes files,
// index and branch consistent. Every step can be interrupted and repeated.

import { renameSync } from 'node:fs'
import { readdir, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { PlanError } from '../../errors.ts'
import { WorkTree } from '../../git/worktree/work-tree.ts'
import { removeStaleLocks } from '../../git/write/stale-locks.ts'
import { eventOf } from '../../plan/record/trailers.ts'
import { attemptRef, isId, isOid, type Oid, type StepId } from '../../plan/model/ids.ts'
import { identityOf } from '../../process/identity.ts'
import { killProcesses } from '../../process/kill-descendants.ts'
import { refuseBrokenGit } from '../workspace/broken-git.ts'
import { readIntent, refDirsOf, refsOf, type Intent } from '../workspace/intent.ts'
import { recallPreserved, stageable } from '../workspace/preserved-ignored.ts'
import { leave, restoreHere, undoEnter } from '../switch/enter-and-leave.ts'
import { refuseReported, reportedOf, requireGitState } from '../step/git-changes.ts'
import { describeSecrets, restoreTracked } from '../record/quarantine.ts'
import { putPlanBlob, restorePlanFile } from '../record/plan-file-in-tree.ts'
import { nextAttempt, restoreTip, saveAttempt, sweepScratch } from '../record/restore.ts'
import { scanLeft } from '../record/scan-left.ts'
import type { PlanDir } from '../workspace/plan-dir.ts'
import { findPoolTree, poolNumbers, readPoolTree, removeUnmade } from '../pool/pool.ts'
import { poolDir, PoolWorker } from '../pool/pool-worker.ts'
import type { Run } from './run.ts'
import type { Worker } from './worker.ts'
import { undoPartialCheckout } from '../switch/undo-partial-checkout.ts'
import { forgetQuarantined, movedFiles, readQuarantined } from '../record/quarantine-journal.ts'

/** Does nothing if the last command ended normally. */
export async function recover(run: Run): Promise<void> {
  // Reported first, whatever happens later, and forgotten only when everything is done: a repeated report is better
  // than none.
  const unreported = await readQuarantined(run.dir)
  for (const each of unreported) {
    const moved = movedFiles(each)
    if (moved.length === 0) continue
    const message = `an interrupted run found a secret in the changes of a step: ${describeSecrets(moved)}; moved to ${each.place}`
    run.world.emit({ kind: 'notice', message, hint: 'git plan doctor' })
  }
  await recoverIntent(run)
  await recoverPool(run)
  if (unreported.length > 0) await forgetQuarantined(run, () => true)
}

async function recoverIntent(run: Run): Promise<void> {
  const intent = await readIntent(run.dir)
  if (run.tree !== undefined) refuseBrokenGit(run.id, run.repo)
  await refuseReported(run)
  await repairIndex(run)
  if (intent === undefined) {
    await sweepScratch(run.dir)
    return
  }
  await endSurvivors(run, intent)
  if ((await stat(intent.workTree).catch(() => undefined)) === undefined) {
    await run.settle()
    return
  }
  refuseBrokenGit(run.id, { root: intent.workTree, gitDir: intent.gitDir, commonDir: run.repo.commonDir })
  const tip = await run.repo.tipOf(run.branch)
  const isCommitted = tip !== undefined && (await isCommitOf(run, intent, tip))
  await removeLocks(run, run.dir, intent, isCommitted)
  if (tip === undefined) {
    await run.settle()
    return
  }
  await run.findWorkspace()
  await run.load()
  const recovered = await actions[intent.kind](run, intent, isCommitted)
  await run.settle()
  if (recovered !== undefined) run.world.emit({ kind: 'recovered', plan: run.id, what: recovered })
}

/** What remains of the lock files and drafts of a dead workspace. */
async function removeLocks(
  run: Run,
  dir: PlanDir,
  intent: Intent & { readonly writtenAtMs: number },
  isCommitted: boolean,
): Promise<void> {
  await settleIndexLock(dir, intent, isCommitted)
  await removeStaleLocks(
    {
      gitDir: intent.gitDir,
      commonDir: run.repo.commonDir,
      refDirs: refDirsOf(run.id),
      refs: [...refsOf(run.id), ...(intent.refs ?? [])],
      workTree: intent.workTree,
    },
    { locksBefore: intent.locksBefore, writtenAtMs: intent.writtenAtMs },
  )
  await sweepScratch(dir)
}

/** Each work tree of the pool has its own intent. Its results stay under their refs. */
async function recoverPool(run: Run): Promise<void> {
  for (const number of await poolNumbers(run)) {
    const dir = poolDir(run, number)
    const tree = await findPoolTree(run, number)
    if (tree !== undefined) await repairPoolIndex(run, dir, tree)
    // Git cannot make another work tree while there is half of one.
    const known = await readPoolTree(dir)
    if (known?.isMade === false) await removeUnmade(run, dir, known)
    const left = await readIntent(dir)
    if (left === undefined) {
      await sweepScratch(dir)
      continue
    }
    await endSurvivors(run, left)
    if (tree === undefined || (await run.repo.tipOf(run.branch)) === undefined) {
      await dir.remove('intent.json')
      continue
    }
    refuseBrokenGit(run.id, { ...tree, commonDir: run.repo.commonDir })
    await run.load()
    const worker = new PoolWorker(run, number, tree)
    try {
      const head = await worker.workspace.repo.resolve('HEAD')
      const isCommitted = head !== undefined && (await isCommitOf(run, left, head))
      await removeLocks(run, dir, left, isCommitted)
      const recovered = await recoverPoolTree(worker, left, isCommitted)
      await worker.workspace.settle()
      if (recovered !== undefined) run.world.emit({ kind: 'recovered', plan: run.id, what: recovered })
    } finally {
      await worker.close()
    }
  }
}

async function recoverPoolTree(worker: PoolWorker, intent: Intent, isCommitted: boolean): Promise<string | undefined> {
  const { repo, tree } = worker.workspace
  if (intent.kind === 'step' && !isCommitted) {
    worker.at = { ...worker.run.at, tip: intent.input as Oid }
    await repo.git.run(['update-ref', '--no-deref', 'HEAD', intent.input])
    return recoverStep(worker, intent, false)
  }
  // It was clean before, and Git was on its way to another commit: only Git has written here.
  const to = isCommitted ? await repo.headCommit() : intent.input
  if (isCommitted) await tree.installIndex(await tree.indexOf(to as Oid))
  else await repo.git.run(['checkout', '-q', '--force', '--no-recurse-submodules', '--detach', to, '--'])
  return undefined
}

/** The index is not synced, so a power cut may have destroyed it. The tip contains all of its entries. */
async function repairIndex(run: Run): Promise<void> {
  const { tree } = run
  const tip = await run.repo.tipOf(run.branch)
  if (tree === undefined || tip === undefined || !tree.isIndexTorn()) return
  renameSync(await tree.emptyIndex(tip), tree.indexPath)
}

async function repairPoolIndex(
  run: Run,
  dir: PlanDir,
  { root, gitDir }: { readonly root: string; readonly gitDir: string },
): Promise<void> {
  const repo = run.home.at(root, gitDir)
  try {
    const tree = new WorkTree(repo, dir.path)
    if (tree.isIndexTorn()) renameSync(await tree.emptyIndex(await repo.headCommit()), tree.indexPath)
  } finally {
    repo.close()
  }
}

const actions: Record<Intent['kind'], (run: Run, intent: Intent, isCommitted: boolean) => Promise<string | undefined>> =
  {
    step: async (run, intent, isCommitted) => {
      if (isCommitted) await catchUpIndex(run)
      return run.tree === undefined ? undefined : recoverStep(run.worker, intent, isCommitted)
    },
    tree: recoverTree,
    event: recoverEvent,
    // A transaction is atomic, and its locks are already removed.
    refs: async () => undefined,
    enter: async (run, intent) => {
      if (run.tree !== undefined && run.tree.root === intent.workTree) return undefined
      run.useWorkspace(intent.workTree, intent.gitDir)
      await undoEnter(run, { isStashing: intent.isStashing === true })
      await run.findWorkspace()
      return 'the checkout of the plan was interrupted and has been undone'
    },
    base: async (run, intent) => {
      const repo = run.home.at(intent.workTree, intent.gitDir)
      try {
        const tree = new WorkTree(repo, run.dir.path)
        const head = await repo.headCommit()
        // Only the index is written after the branch: if the branch has moved, only the index may be stale.
        const from = intent.start !== undefined && isOid(intent.start) ? (intent.start as Oid) : undefined
        if (head === intent.target)
          await tree.installIndex(await (from === undefined ? tree.indexOf(head) : tree.indexFrom(from, head)))
        else if (intent.target !== undefined && isOid(intent.target))
          await undoPartialCheckout(run, tree, {
            target: intent.target as Oid,
            saved: undefined,
            sparing: [],
            sparesOthers: true,
          })
      } finally {
        repo.close()
      }
      return 'the merge into the base was interrupted'
    },
    leave: async (run, intent) => {
      run.useWorkspace(intent.workTree, intent.gitDir)
      await leave(run, { isAgain: true })
      return 'the return from the plan was interrupted and is now complete'
    },
    restore: async (run, intent) => {
      run.useWorkspace(intent.workTree, intent.gitDir)
      await restoreHere(run)
      await run.findWorkspace()
      return undefined
    },
  }

async function recoverStep(worker: Worker, intent: Intent, isCommitted: boolean): Promise<string | undefined> {
  const { run, workspace } = worker
  if (isCommitted || intent.step === undefined || !isId(intent.step)) return undefined
  const step = intent.step as StepId
  // The dead step may have set up a filter, which Git would run as soon as it reads the files.
  if (intent.gitState !== undefined) await requireGitState(run, workspace.repo, intent.gitState)
  if (intent.isDeclared === true) {
    await restorePlanFile(worker, intent.run)
    return undefined
  }
  await recallPreserved(workspace)
  // Files on their way to quarantine were not deleted by the step.
  const taken = (await readQuarantined(run.dir))
    .filter((each) => each.tip === worker.at.tip && each.run === intent.mark)
    .flatMap(({ found }) => found.map(({ path }) => path))
  if (taken.length > 0) await restoreTracked(worker, taken)
  const scan = await scanLeft(worker)
  const attempt = intent.attempt ?? (await nextAttempt(run, step))
  const isSaved = (await run.repo.resolve(attemptRef(run.id, step, attempt))) !== undefined
  const isDirty = stageable(workspace, scan).length > 0 || scan.nested.length > 0
  // If the attempt is already saved, the restore was interrupted: the tree may be a mix, with new files of the user.
  const number = isSaved && isDirty ? await nextAttempt(run, step) : attempt
  if (!isSaved || isDirty) {
    const reported = await reportedOf(run, intent.gitState)
    const saved = await saveAttempt(worker, {
      step,
      attempt: number,
      reason: reported === undefined ? 'interrupted' : 'git-changed',
      message: reported?.message ?? 'the run ended in the middle of this step',
      claim: reported?.claim,
    })
    await restoreTip(worker, saved, { label: `${step}-${number}` })
  }
  const ref = attemptRef(run.id, step, number)
  const hasChanges = (await run.repo.resolve(ref, 'tree')) !== (await run.repo.resolve(`${ref}^`, 'tree'))
  return `${step} was interrupted; ${hasChanges ? `its changes are saved as attempt ${number}` : 'it had changed no files'}`
}

async function recoverTree(run: Run): Promise<string | undefined> {
  if (run.tree === undefined) return undefined
  const index = await run.tree.indexOf(run.at.tip)
  await run.tree.installIndex(index)
  await recallPreserved(run.checkedOut)
  const scan = await scanLeft(run.worker)
  if (stageable(run.checkedOut, scan).length === 0) return undefined
  const step = 'interrupted' as StepId
  const attempt = await nextAttempt(run, step)
  const saved = await saveAttempt(run.worker, {
    step,
    attempt,
    reason: 'interrupted',
    message: 'the work tree was on its way to another commit',
  })
  await restoreTip(run.worker, saved, { label: `${step}-${attempt}` })
  return 'the work tree was reset to the tip of the plan'
}

/** Only the plan file and the index were being written: all other files may be the user's. */
async function recoverEvent(run: Run, intent: Intent): Promise<string | undefined> {
  if (run.tree === undefined) return undefined
  await restorePlanFile(run.worker, intent.run)
  await catchUpIndex(run)
  return undefined
}

/** Updates an index that is behind the branch: at least the entry of the plan file would show as a change. */
async function catchUpIndex(run: Run): Promise<void> {
  if (run.tree === undefined) return
  const blob = await run.repo.resolve(`${run.at.tip}:${run.planPath}`, 'object')
  const entry = await run.repo.git.text(['ls-files', '-s', '--', run.planPath])
  if (blob === undefined || entry.split(/\s/)[1] === blob) return
  const isStep = ['step', 'declared', 'fixed'].includes(
    eventOf((await run.repo.readCommit(run.at.tip))?.message ?? '')?.event ?? '',
  )
  if (isStep) await run.tree.installIndex(await run.tree.indexOf(run.at.tip))
  else await run.tree.editIndex((next) => putPlanBlob(run.worker, next, blob))
}

async function endSurvivors(run: Run, intent: Intent): Promise<void> {
  // A group of another boot or machine would name unrelated processes here.
  const [then, now] = [intent.identity, await identityOf(process.pid)]
  const isHere = then?.boot === now.boot && then.namespace === now.namespace && then.host === now.host
  const traces = {
    run: intent.mark,
    withGit: true,
    ...(intent.group === undefined || !isHere ? {} : { group: intent.group }),
    ...(intent.groupStart === undefined ? {} : { groupStart: intent.groupStart }),
  }
  const left = await killProcesses(traces, { graceMs: 1000 })
  if (left.length === 0) return
  throw new PlanError('survivors', `processes of an earlier run of ${run.id} cannot be killed: ${left.join(', ')}`, {
    hint: `kill -9 ${left.join(' ')}`,
  })
}

/** True if the branch moved to the commit that this intent was about. */
async function isCommitOf(run: Run, intent: Intent, tip: Oid): Promise<boolean> {
  const commit = tip === intent.input ? undefined : await run.repo.readCommit(tip)
  return commit?.parents[0] === intent.input && eventOf(commit.message)?.run === intent.run
}

/**
 * An index.lock that is a hard link to one of our temporary indexes is ours. If the branch has moved, it is the new
 * index.
 */
async function settleIndexLock(dir: PlanDir, intent: Intent, isCommitted: boolean): Promise<void> {
  const lock = join(intent.gitDir, 'index.lock')
  const facts = await stat(lock).catch(() => undefined)
  if (facts === undefined) return
  for (const name of await readdir(dir.path)) {
    if (!/^index\.(next|mark)\./.test(name)) continue
    const candidate = await stat(dir.file(name)).catch(() => undefined)
    if (candidate?.ino !== facts.ino || candidate.dev !== facts.dev) continue
    // A marker only holds the lock; `index.next` is the index that belongs to the moved branch.
    if (isCommitted && name.startsWith('index.next.')) await rename(lock, join(intent.gitDir, 'index'))
    else await unlink(lock)
    return
  }
}
