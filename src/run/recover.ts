// After a crash: end what the dead run left alive, remove the locks that are proven ours, and bring files, index and branch together again.
// Every step of it can be interrupted and repeated.

import { readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { PlanError } from '../errors.ts'
import { removeStaleLocks } from '../git/stale-locks.ts'
import { eventOf } from '../plan/trailers.ts'
import { attemptRef, isId, type Oid, type StepId } from '../plan/values.ts'
import { endTree } from '../process/tree.ts'
import { readIntent, refDirsOf, type Intent } from './intent.ts'
import { recallNotOurs, stageable } from './not-ours.ts'
import { leave, undoEnter } from './place.ts'
import { planFileDraft, restorePlanFile } from './record.ts'
import { nextAttempt, restoreTip, saveAttempt, sweepScratch } from './restore.ts'
import type { Session } from './session.ts'

/** Nothing to do where the last command ended by itself. The plan is loaded when this returns. */
export async function recover(session: Session): Promise<void> {
  const intent = await readIntent(session.dir)
  if (intent === undefined) {
    await sweepScratch(session)
    return
  }
  await endSurvivors(session, intent)
  if ((await stat(intent.workTree).catch(() => undefined)) === undefined) {
    await session.settle()
    return
  }
  const tip = await session.repo.tipOf(session.branch)
  const isCommitted = tip !== undefined && (await isCommitOf(session, intent, tip))
  await settleIndexLock(session, intent, isCommitted)
  await removeStaleLocks(
    { gitDir: intent.gitDir, commonDir: session.repo.commonDir, refDirs: refDirsOf(session.id), refs: intent.refs ?? [], workTree: intent.workTree },
    { locksBefore: intent.locksBefore, writtenAtMs: intent.writtenAtMs },
  )
  await sweepScratch(session)
  if (tip === undefined) {
    await session.settle()
    return
  }
  await session.findTree()
  await session.load()
  const recovered = await actions[intent.kind](session, intent, isCommitted)
  await session.settle()
  if (recovered !== undefined) session.world.emit({ kind: 'recovered', plan: session.id, what: recovered })
}

const actions: Record<Intent['kind'], (session: Session, intent: Intent, isCommitted: boolean) => Promise<string | undefined>> = {
  step: recoverStep,
  tree: recoverTree,
  event: recoverEvent,
  // A transaction is whole or not there; its locks are gone by now.
  refs: async () => undefined,
  enter: async (session, intent) => {
    if (session.tree !== undefined && session.tree.root === intent.workTree) return undefined
    session.useTree(intent.workTree, intent.gitDir)
    await undoEnter(session, { isStashing: intent.isStashing === true })
    await session.findTree()
    return 'the switch to the plan was interrupted and taken back'
  },
  leave: async (session, intent) => {
    session.useTree(intent.workTree, intent.gitDir)
    await leave(session)
    return 'the way back from the plan was interrupted and is finished now'
  },
}

async function recoverStep(session: Session, intent: Intent, isCommitted: boolean): Promise<string | undefined> {
  if (isCommitted || session.tree === undefined || intent.step === undefined || !isId(intent.step)) return undefined
  const step = intent.step as StepId
  await recallNotOurs(session)
  const scan = await session.place.scan()
  const attempt = intent.attempt ?? (await nextAttempt(session, step))
  const isSaved = (await session.repo.resolve(attemptRef(session.id, step, attempt))) !== undefined
  const isDirty = stageable(session, scan).length > 0 || scan.nested.length > 0
  // A saved attempt means that the restoring was interrupted: what is there now may be half of each, and more of the user's.
  const number = isSaved ? await nextAttempt(session, step) : attempt
  if (!isSaved || isDirty) {
    const saved = await saveAttempt(session, { step, attempt: number, reason: 'interrupted', message: 'the run ended in the middle of this step' })
    await restoreTip(session, saved.scan, { label: `${step}-${number}` })
  }
  return `${step} was interrupted; what it left is saved as attempt ${number}`
}

async function recoverTree(session: Session): Promise<string | undefined> {
  if (session.tree === undefined) return undefined
  const index = await session.tree.indexOf(session.at.tip)
  await session.tree.installIndex(index)
  await recallNotOurs(session)
  const scan = await session.tree.scan()
  if (stageable(session, scan).length === 0) return undefined
  const step = 'interrupted' as StepId
  const attempt = await nextAttempt(session, step)
  const saved = await saveAttempt(session, { step, attempt, reason: 'interrupted', message: 'the work tree was on its way to another commit' })
  await restoreTip(session, saved.scan, { label: `${step}-${attempt}` })
  return 'the work tree is at the tip of the plan again'
}

/** Only the plan file and the index were being written: everything else in the tree may be the user's. */
async function recoverEvent(session: Session, intent: Intent): Promise<string | undefined> {
  if (session.tree === undefined) return undefined
  await rm(planFileDraft(session, intent.run), { force: true })
  await restorePlanFile(session)
  return undefined
}

async function endSurvivors(session: Session, intent: Intent): Promise<void> {
  const traces = { run: intent.run, withGit: true, ...(intent.group === undefined ? {} : { group: intent.group }), ...(intent.groupStart === undefined ? {} : { groupStart: intent.groupStart }) }
  const left = await endTree(traces, { graceMs: 1000 })
  if (left.length === 0) return
  throw new PlanError('survivors', `processes of an earlier run of ${session.id} cannot be ended: ${left.join(', ')}`, { hint: `end them (kill -9 ${left.join(' ')}), then run the command again` })
}

/** The branch moved to a commit that this very intent was about. */
async function isCommitOf(session: Session, intent: Intent, tip: Oid): Promise<boolean> {
  if (tip === intent.input) return false
  const commit = await session.repo.readCommit(tip)
  return commit?.parents[0] === intent.input && eventOf(commit.message)?.run === intent.run
}

/** An index.lock that is a link to one of our temporary indexes is ours. Where the branch has moved, it is the index that belongs to it. */
async function settleIndexLock(session: Session, intent: Intent, isCommitted: boolean): Promise<void> {
  const lock = join(intent.gitDir, 'index.lock')
  const facts = await stat(lock).catch(() => undefined)
  if (facts === undefined) return
  for (const name of await readdir(session.dir.path)) {
    if (!name.startsWith('index.next.')) continue
    const candidate = await stat(session.dir.file(name)).catch(() => undefined)
    if (candidate?.ino !== facts.ino || candidate.dev !== facts.dev) continue
    if (isCommitted) await rename(lock, join(intent.gitDir, 'index'))
    else await unlink(lock)
    return
  }
}
