// After a crash: end what the dead run left alive, remove the locks that are proven ours, and bring files, index and branch together again.
// Every step of it can be interrupted and repeated.

import { renameSync } from 'node:fs'
import { readdir, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { PlanError } from '../../errors.ts'
import { Fingerprint } from '../../git/trust/fingerprint.ts'
import { WorkTree } from '../../git/worktree/work-tree.ts'
import { removeStaleLocks } from '../../git/write/stale-locks.ts'
import { eventOf } from '../../plan/record/trailers.ts'
import { attemptRef, isId, isOid, type Oid, type StepId } from '../../plan/model/ids.ts'
import { identityOf } from '../../process/identity.ts'
import { endTree } from '../../process/kill-descendants.ts'
import { refuseBrokenGit } from '../workspace/broken-git.ts'
import { readIntent, refDirsOf, refsOf, type Intent } from '../workspace/intent.ts'
import { recallPreserved, stageable } from '../workspace/preserved-ignored.ts'
import { leave, restoreHere, undoEnter } from '../switch/enter-and-leave.ts'
import { gitChanged } from '../step/perform-step.ts'
import { describeSecrets, putBack } from '../record/quarantine.ts'
import { putPlanBlob, restorePlanFile } from '../record/plan-file-in-tree.ts'
import { nextAttempt, restoreTip, saveAttempt, sweepScratch } from '../record/restore.ts'
import { scanLeft } from '../record/scan-left.ts'
import type { Run } from './run.ts'
import { takeBackCheckout } from '../switch/undo-partial-checkout.ts'
import { forgetUntold, movedThere, readUntold } from '../record/quarantine-journal.ts'

/** Nothing to do where the last command ended by itself. */
export async function recover(session: Run): Promise<void> {
  // First, whatever becomes of the rest; and until the rest is done it is not forgotten: it may have to be told again, but never not at all.
  const untold = await readUntold(session.dir)
  for (const each of untold) {
    const moved = movedThere(each)
    if (moved.length === 0) continue
    const message = `an interrupted run found a secret in the changes of a step: ${describeSecrets(moved)}; moved to ${each.place}`
    session.world.emit({ kind: 'notice', message, hint: 'git plan doctor' })
  }
  await recoverIntent(session)
  if (untold.length > 0) await forgetUntold(session, () => true)
}

async function recoverIntent(session: Run): Promise<void> {
  const intent = await readIntent(session.dir)
  if (session.tree !== undefined) refuseBrokenGit(session.id, session.repo)
  await mendIndex(session)
  if (intent === undefined) {
    await sweepScratch(session)
    return
  }
  await endSurvivors(session, intent)
  if ((await stat(intent.workTree).catch(() => undefined)) === undefined) {
    await session.settle()
    return
  }
  refuseBrokenGit(session.id, { root: intent.workTree, gitDir: intent.gitDir, commonDir: session.repo.commonDir })
  const tip = await session.repo.tipOf(session.branch)
  const isCommitted = tip !== undefined && (await isCommitOf(session, intent, tip))
  await settleIndexLock(session, intent, isCommitted)
  await removeStaleLocks(
    {
      gitDir: intent.gitDir,
      commonDir: session.repo.commonDir,
      refDirs: refDirsOf(session.id),
      refs: [...refsOf(session.id), ...(intent.refs ?? [])],
      workTree: intent.workTree,
    },
    { locksBefore: intent.locksBefore, writtenAtMs: intent.writtenAtMs },
  )
  await sweepScratch(session)
  if (tip === undefined) {
    await session.settle()
    return
  }
  await session.findWorkspace()
  await session.load()
  const recovered = await actions[intent.kind](session, intent, isCommitted)
  await session.settle()
  if (recovered !== undefined) session.world.emit({ kind: 'recovered', plan: session.id, what: recovered })
}

/** An index is not synced: a power cut may have left nothing of it. All that the plan's tree had in it is in the tip. */
async function mendIndex(session: Run): Promise<void> {
  const { tree } = session
  const tip = await session.repo.tipOf(session.branch)
  if (tree === undefined || tip === undefined || !tree.isIndexTorn()) return
  const index = await tree.emptyIndex(tip)
  renameSync(index, tree.indexPath)
}

const actions: Record<Intent['kind'], (session: Run, intent: Intent, isCommitted: boolean) => Promise<string | undefined>> = {
  step: recoverStep,
  tree: recoverTree,
  event: recoverEvent,
  // A transaction is whole or not there; its locks are gone by now.
  refs: async () => undefined,
  enter: async (session, intent) => {
    if (session.tree !== undefined && session.tree.root === intent.workTree) return undefined
    session.useWorkspace(intent.workTree, intent.gitDir)
    await undoEnter(session, { isStashing: intent.isStashing === true })
    await session.findWorkspace()
    return 'the checkout of the plan was interrupted and has been undone'
  },
  base: async (session, intent) => {
    const repo = session.home.at(intent.workTree, intent.gitDir)
    try {
      const place = new WorkTree(repo, session.dir.path)
      const head = await repo.headCommit()
      // The branch moves last but one: where it has moved, only the index may lag.
      if (head === intent.target) await place.installIndex(await place.indexOf(head))
      else if (intent.target !== undefined && isOid(intent.target))
        await takeBackCheckout(session, place, { target: intent.target as Oid, saved: undefined, sparing: [] })
    } finally {
      repo.close()
    }
    return 'the merge into the base was interrupted'
  },
  leave: async (session, intent) => {
    session.useWorkspace(intent.workTree, intent.gitDir)
    await leave(session, { isAgain: true })
    return 'the return from the plan was interrupted and is now complete'
  },
  restore: async (session, intent) => {
    session.useWorkspace(intent.workTree, intent.gitDir)
    await restoreHere(session)
    await session.findWorkspace()
    return undefined
  },
}

async function recoverStep(session: Run, intent: Intent, isCommitted: boolean): Promise<string | undefined> {
  if (isCommitted) await catchUpIndex(session)
  if (isCommitted || session.tree === undefined || intent.step === undefined || !isId(intent.step)) return undefined
  const step = intent.step as StepId
  await refuseGitChangedByStep(session, intent)
  if (intent.isDeclared === true) {
    await restorePlanFile(session.worker, intent.run)
    return undefined
  }
  await recallPreserved(session.checkedOut)
  // What was on its way into quarantine was not deleted by the step.
  const taken = (await readUntold(session.dir)).filter(({ tip }) => tip === session.at.tip).flatMap(({ found }) => found.map(({ path }) => path))
  if (taken.length > 0) await putBack(session.worker, taken)
  const scan = await scanLeft(session.worker)
  const attempt = intent.attempt ?? (await nextAttempt(session, step))
  const isSaved = (await session.repo.resolve(attemptRef(session.id, step, attempt))) !== undefined
  const isDirty = stageable(session.checkedOut, scan).length > 0 || scan.nested.length > 0
  // A saved attempt means that the restoring was interrupted: what is there now may be half of each, and more of the user's.
  const number = isSaved && isDirty ? await nextAttempt(session, step) : attempt
  if (!isSaved || isDirty) {
    const saved = await saveAttempt(session.worker, { step, attempt: number, reason: 'interrupted', message: 'the run ended in the middle of this step' })
    await restoreTip(session.worker, saved, { label: `${step}-${number}` })
  }
  return `${step} was interrupted; its changes are saved as attempt ${number}`
}

async function recoverTree(session: Run): Promise<string | undefined> {
  if (session.tree === undefined) return undefined
  const index = await session.tree.indexOf(session.at.tip)
  await session.tree.installIndex(index)
  await recallPreserved(session.checkedOut)
  const scan = await scanLeft(session.worker)
  if (stageable(session.checkedOut, scan).length === 0) return undefined
  const step = 'interrupted' as StepId
  const attempt = await nextAttempt(session, step)
  const saved = await saveAttempt(session.worker, { step, attempt, reason: 'interrupted', message: 'the work tree was on its way to another commit' })
  await restoreTip(session.worker, saved, { label: `${step}-${attempt}` })
  return 'the work tree was reset to the tip of the plan'
}

/** Only the plan file and the index were being written: everything else in the tree may be the user's. */
async function recoverEvent(session: Run, intent: Intent): Promise<string | undefined> {
  if (session.tree === undefined) return undefined
  await restorePlanFile(session.worker, intent.run)
  await catchUpIndex(session)
  return undefined
}

/** The branch has moved and its index did not come through: at least the plan file's entry would be a change that nobody made. */
async function catchUpIndex(session: Run): Promise<void> {
  if (session.tree === undefined) return
  const blob = await session.repo.resolve(`${session.at.tip}:${session.planPath}`, 'object')
  const entry = await session.repo.git.text(['ls-files', '-s', '--', session.planPath])
  if (blob === undefined || entry.split(/\s/)[1] === blob) return
  const isStep = ['step', 'declared', 'fixed'].includes(eventOf((await session.repo.readCommit(session.at.tip))?.message ?? '')?.event ?? '')
  if (isStep) await session.tree.installIndex(await session.tree.indexOf(session.at.tip))
  else await session.tree.editIndex((next) => putPlanBlob(session.worker, next, blob))
}

/** The dead step may have set up a filter that git would run on the first look at its files. */
async function refuseGitChangedByStep(session: Run, intent: Intent): Promise<void> {
  if (intent.gitState === undefined) return
  const now = (await Fingerprint.take(session.repo)).digest
  const told = (await session.dir.readJson('git-changed.json'))?.value as { now?: unknown } | undefined
  if (now === intent.gitState || told?.now === now) return
  throw await gitChanged(session.worker, ['configuration, hooks or attributes'])
}

async function endSurvivors(session: Run, intent: Intent): Promise<void> {
  // A number of another boot or machine names somebody else's processes here.
  const [then, now] = [intent.identity, await identityOf(process.pid)]
  const isHere = then?.boot === now.boot && then.namespace === now.namespace && then.host === now.host
  const traces = {
    run: intent.run,
    withGit: true,
    ...(intent.group === undefined || !isHere ? {} : { group: intent.group }),
    ...(intent.groupStart === undefined ? {} : { groupStart: intent.groupStart }),
  }
  const left = await endTree(traces, { graceMs: 1000 })
  if (left.length === 0) return
  throw new PlanError('survivors', `processes of an earlier run of ${session.id} cannot be killed: ${left.join(', ')}`, {
    hint: `kill -9 ${left.join(' ')}`,
  })
}

/** The branch moved to the commit that this very intent was about. */
async function isCommitOf(session: Run, intent: Intent, tip: Oid): Promise<boolean> {
  const commit = tip === intent.input ? undefined : await session.repo.readCommit(tip)
  return commit?.parents[0] === intent.input && eventOf(commit.message)?.run === intent.run
}

/** An index.lock that is a link to one of our temporary indexes is ours. Where the branch has moved, it is the index that belongs to it. */
async function settleIndexLock(session: Run, intent: Intent, isCommitted: boolean): Promise<void> {
  const lock = join(intent.gitDir, 'index.lock')
  const facts = await stat(lock).catch(() => undefined)
  if (facts === undefined) return
  for (const name of await readdir(session.dir.path)) {
    if (!/^index\.(next|mark)\./.test(name)) continue
    const candidate = await stat(session.dir.file(name)).catch(() => undefined)
    if (candidate?.ino !== facts.ino || candidate.dev !== facts.dev) continue
    // A marker only holds the place; the new index itself belongs where the branch has gone.
    if (isCommitted && name.startsWith('index.next.')) await rename(lock, join(intent.gitDir, 'index'))
    else await unlink(lock)
    return
  }
}
