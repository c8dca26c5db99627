// After a failure: first save what is there, then bring the tree back to the checkpoint. Nothing is taken away that was not saved.

import { rm } from 'node:fs/promises'
import { PlanError } from '../errors.ts'
import { describePaths, shown, type RawPath } from '../git/raw-path.ts'
import { storeName } from '../git/stored-form.ts'
import type { Scan } from '../git/work-tree.ts'
import { nextNumber, numberedRefs } from '../plan/numbered-refs.ts'
import { attemptRef, type Oid, type StepId } from '../plan/values.ts'
import { blobsOf, discard, stageChanges, treeOf } from './checkpoint.ts'
import { maskedMessage } from './known-secrets.ts'
import { stageable } from './not-ours.ts'
import { describeSecrets, SecretGuard } from './quarantine.ts'
import { scanLeft } from './scan-left.ts'
import type { Session } from './session.ts'
import { forgetUntold } from './untold.ts'
import { leftFolder } from './plan-dir.ts'

export interface AttemptFacts {
  readonly step: StepId
  readonly attempt: number
  readonly reason: string
  readonly message: string
  readonly exit?: number | undefined
  readonly durationMs?: number | undefined
  readonly note?: Uint8Array | undefined
}

export interface SavedAttempt {
  readonly oid: Oid
  readonly ref: string
  readonly scan: Scan
  readonly facts: AttemptFacts
  /** The checkpoint that it differs from. */
  readonly parent: Oid
}

export async function nextAttempt(session: Session, step: StepId): Promise<number> {
  session.attempts ??= await highestAttempts(session)
  return nextNumber(session.attempts.get(step) ?? 0, (number) => attemptRef(session.id, step, number))
}

/** Read once: the lock is ours, so nobody else makes attempts of this plan. */
async function highestAttempts(session: Session): Promise<Map<string, number>> {
  const highest = new Map<string, number>()
  for (const { step, number } of numberedRefs(session.id, await session.repo.refs(`refs/plan/${session.id}/attempts/`)))
    highest.set(step, Math.max(highest.get(step) ?? 0, number))
  return highest
}

/** The tree as it is now, as a commit under the plan's attempts. Throws, with everything left in place, where git cannot hold it. */
export const saveAttempt = (session: Session, facts: AttemptFacts): Promise<SavedAttempt> => session.keepingObjects(() => save(session, facts))

/** `earlier`: what was saved of the same attempt before. The new commit has all of it, and takes its place. */
async function save(session: Session, facts: AttemptFacts, earlier?: SavedAttempt): Promise<SavedAttempt> {
  const guard = new SecretGuard(
    session,
    session.at.plan.steps.find(({ id }) => id === facts.step),
  )
  const staged = await stageChanges(session, guard)
  await discard(staged)
  if (guard.taken.length > 0) {
    session.world.emit({ kind: 'notice', message: `not saved with the attempt: ${describeSecrets(guard.taken)}; moved to ${guard.place}` })
    await forgetUntold(session, ({ place }) => place === guard.place)
  }
  refuseUnsavable(
    staged.scan.nested,
    staged.changes.filter((change) => change.oldMode === '160000' || change.newMode === '160000').map(({ path }) => path),
  )
  const message = maskedMessage(session.mask, {
    subject: `Attempt ${facts.attempt} of ${facts.step}: ${facts.reason}`,
    trailers: [
      ['Plan-Id', session.id],
      ['Plan-Step', facts.step],
      ['Plan-Attempt', String(facts.attempt)],
      ['Plan-Run', session.run],
      ['Plan-Reason', facts.message],
      ...(facts.exit === undefined ? [] : [['Plan-Exit', String(facts.exit)] as const]),
      ...(facts.durationMs === undefined ? [] : [['Plan-Duration-Ms', String(facts.durationMs)] as const]),
    ],
  })
  const tree = earlier === undefined ? await treeOf(session, staged) : await treeWith(session, earlier.oid, stageable(session, staged.scan))
  const parent = earlier?.parent ?? session.at.tip
  const oid = await session.objects.commit({ tree, parents: [parent], message, isUnsigned: true })
  const note = await session.note(oid, facts.note)
  await session.objects.flush(blobsOf(staged))
  const ref = attemptRef(session.id, facts.step, facts.attempt)
  await session.moveWithNote(note, [{ ref, from: earlier?.oid, to: oid }])
  session.attempts?.set(facts.step, facts.attempt)
  return { oid, ref, scan: staged.scan, facts, parent }
}

/** The tree of a commit, with these files as they lie in the work tree. */
async function treeWith({ place }: Session, commit: Oid, paths: readonly RawPath[]): Promise<Oid> {
  const index = await place.emptyIndex(commit)
  try {
    await place.stage(index, paths)
    return await place.writeTree(index)
  } finally {
    await rm(index, { force: true })
  }
}

/** The attempt that holds what the scan found; or, where an earlier command saved that, the one in which to save what else turns up. */
type Saved = SavedAttempt | Pick<SavedAttempt, 'scan' | 'facts'>

/** Work tree and index back to the tip. What the scan found must have been saved before. */
export async function restoreTip(session: Session, saved: Saved, options: { label: string }): Promise<void> {
  const { place } = session
  const { scan } = saved
  refuseUnsavable(scan.nested, [])
  // Where the branch moved under the step, a path can be both: gone from the index and untracked.
  const loose = [...new Set(stageable(session, scan))].filter((path) => scan.untracked.includes(path))
  // Also what the step put in the place of a directory that comes back: where it is ignored, no commit holds it.
  const inTheWay = await place.present([...loose, ...scan.changed.filter((path) => path.includes('/'))])
  const changed = new Set(scan.changed)
  const aside = [...new Set([...inTheWay, ...(await place.insteadOf(scan.changed))])].filter((path) => !changed.has(path))
  if (aside.length > 0) await place.moveAside(aside, await session.dir.newAside(options.label, leftFolder))
  // The command may have put a file of the user's into the index: with the index from before it, git has no reason to touch that file.
  await place.installIndex(await place.indexOf(session.at.tip))
  await place.resetTo(session.at.tip)
  const left = await saveUncovered(session, saved, options.label)
  const dirty = stageable(session, left)
  if (dirty.length > 0 || left.nested.length > 0) {
    throw new PlanError('cannot-save', `the work tree could not be reset to the checkpoint; it still has ${describePaths([...dirty, ...left.nested])}`, {
      hint: `move these files away, then: git plan resume ${session.id}`,
    })
  }
}

/** A `.gitignore` may ignore a directory with another one in it, and so on: deeper than this something else is at work. */
const mostRounds = 20

/** Files that the step made and ignored: git lists them once the step's rules are gone. They go into its attempt, like everything else that it left. */
async function saveUncovered(session: Session, saved: Saved, label: string): Promise<Scan> {
  const { place } = session
  let all = 'oid' in saved ? saved : undefined
  for (let round = 1; ; round += 1) {
    const left = await scanLeft(session)
    if (stageable(session, left).length === 0 || left.changed.length + left.nested.length > 0 || round > mostRounds) return left
    const earlier = all
    all = await session.keepingObjects(() => save(session, saved.facts, earlier))
    const loose = await place.present(stageable(session, all.scan))
    if (loose.length > 0) await place.moveAside(loose, await session.dir.newAside(label, leftFolder))
  }
}

function refuseUnsavable(nested: readonly RawPath[], submodules: readonly RawPath[]): void {
  const [first] = nested
  if (first !== undefined) {
    throw new PlanError('cannot-save', `there is a Git repository inside the work tree, which Git cannot commit: ${describePaths(nested)}`, {
      hint: `mv ${JSON.stringify(shown(first).replace(/\/$/, ''))} ELSEWHERE, ignore it, or make it a submodule; then run the command again`,
      facts: { paths: nested.map(shown) },
    })
  }
  const [moved] = submodules
  if (moved !== undefined) {
    throw new PlanError('cannot-save', `the submodule ${describePaths(submodules)} is at a different commit, which git plan does not restore`, {
      hint: `git submodule update -- ${JSON.stringify(shown(moved))}`,
      facts: { paths: submodules.map(shown) },
    })
  }
}

/** Temporary indexes and drafts of this plan that a crash may have left. */
export async function sweepScratch(session: Session): Promise<void> {
  for (const name of session.dir.list()) {
    const isScratch = /^(index\.(next|mark)\.|draft\.|claim\.|(intent|quarantine)\.json\.new$|message$)/.test(name) || storeName.test(name)
    if (isScratch) await rm(session.dir.file(name), { recursive: true, force: true })
  }
}
