// After a failure: saves the work tree as an attempt, then resets it to the checkpoint. Nothing is removed that was not
// saved.

import { rm } from 'node:fs/promises'
import { PlanError } from '../../errors.ts'
import { describePaths, shown, type RawPath } from '../../git/read/raw-path.ts'
import type { ObjectWriter } from '../../git/write/objects.ts'
import { storeName } from '../../git/write/stored-form.ts'
import type { Scan } from '../../git/worktree/work-tree.ts'
import { claimToText, type Claim } from '../../plan/model/claim.ts'
import { nextNumber, numberedRefs } from '../../plan/record/numbered-refs.ts'
import { attemptRef, type Oid, type StepId } from '../../plan/model/ids.ts'
import { blobsOf, discard, stageChanges, treeOf } from './checkpoint.ts'
import { maskMessage } from '../run/known-secrets.ts'
import { stageable } from '../workspace/preserved-ignored.ts'
import { describeSecrets, SecretGuard } from './quarantine.ts'
import { namesToText, type TestRecord } from '../../plan/model/test-counts.ts'
import type { Times } from '../../plan/record/trailers.ts'
import { scanLeft } from './scan-left.ts'
import type { Run } from '../run/run.ts'
import type { Worker } from '../run/worker.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { forgetQuarantined } from './quarantine-journal.ts'
import { leftFolder, type PlanDir } from '../workspace/plan-dir.ts'

export interface AttemptFacts {
  readonly step: StepId
  readonly attempt: number
  readonly reason: string
  readonly message: string
  readonly exit?: number | undefined
  readonly times?: Times
  readonly note?: Uint8Array | undefined
  readonly claim?: Claim | undefined
  readonly tests?: TestRecord | undefined
}

export interface SavedAttempt {
  readonly oid: Oid
  readonly ref: string
  readonly scan: Scan
  readonly facts: AttemptFacts
  /** The checkpoint on which the attempt is based. */
  readonly parent: Oid
  readonly changed: boolean
}

export async function nextAttempt(run: Run, step: StepId): Promise<number> {
  return nextIn(await attemptsOf(run), run, step)
}

/** For a name that several workers use, such as `setup`: no other attempt gets this number. */
export async function takeAttempt(run: Run, step: StepId): Promise<number> {
  const attempts = await attemptsOf(run)
  const number = nextIn(attempts, run, step)
  attempts.set(step, number)
  return number
}

const nextIn = (attempts: ReadonlyMap<string, number>, { id }: Run, step: StepId): number =>
  nextNumber(attempts.get(step) ?? 0, (number) => attemptRef(id, step, number))

const attemptsOf = (run: Run): Promise<Map<string, number>> => (run.attempts ??= highestAttempts(run))

/** Read once: we hold the lock, so nobody else makes attempts of this plan. */
async function highestAttempts(run: Run): Promise<Map<string, number>> {
  const highest = new Map<string, number>()
  for (const { step, number } of numberedRefs(run.id, await run.repo.refs(`refs/plan/${run.id}/attempts/`)))
    highest.set(step, Math.max(highest.get(step) ?? 0, number))
  return highest
}

/** Saves the tree as a commit under the plan's attempts. Throws, and changes nothing, if Git cannot store it. */
export const saveAttempt = (worker: Worker, facts: AttemptFacts): Promise<SavedAttempt> =>
  worker.withKeptObjects(() => save(worker, facts))

/** `earlier`: an earlier save of the same attempt. The new commit contains all of it and replaces it. */
async function save(worker: Worker, facts: AttemptFacts, earlier?: SavedAttempt): Promise<SavedAttempt> {
  const guard = new SecretGuard(
    worker,
    worker.at.plan.steps.find(({ id }) => id === facts.step),
  )
  const staged = await stageChanges(worker, guard)
  await discard(staged)
  if (guard.taken.length > 0) {
    worker.emit({
      kind: 'notice',
      message: `not saved with the attempt: ${describeSecrets(guard.taken)}; moved to ${guard.directory}`,
    })
    await forgetQuarantined(worker.run, ({ place }) => place === guard.directory)
  }
  refuseUnsavable(
    staged.scan.nested,
    staged.changes
      .filter((change) => change.oldMode === '160000' || change.newMode === '160000')
      .map(({ path }) => path),
  )
  const tree =
    earlier === undefined
      ? await treeOf(worker, staged)
      : await treeWith(worker.workspace, earlier.oid, stageable(worker.workspace, staged.scan))
  const parent = earlier?.parent ?? worker.at.tip
  const { oid, ref } = await recordAttempt(worker.run, worker.workspace.objects, facts, {
    tree,
    parent,
    from: earlier?.oid,
    blobs: blobsOf(staged),
  })
  return { oid, ref, scan: staged.scan, facts, parent, changed: earlier?.changed === true || staged.changes.length > 0 }
}

/** Commits a tree as an attempt. `from`: an earlier save of it; `blobs`: blobs that Git may have written. */
export async function recordAttempt(
  run: Run,
  objects: ObjectWriter,
  facts: AttemptFacts,
  { tree, parent, from, blobs = [] }: { tree: Oid; parent: Oid; from?: Oid | undefined; blobs?: readonly Oid[] },
): Promise<{ readonly oid: Oid; readonly ref: string }> {
  const message = maskMessage(run.mask, {
    subject: `Attempt ${facts.attempt} of ${facts.step}: ${facts.reason}`,
    trailers: [
      ['Plan-Id', run.id],
      ['Plan-Step', facts.step],
      ['Plan-Attempt', String(facts.attempt)],
      ['Plan-Run', run.token],
      ['Plan-Reason', facts.message],
      ...(facts.tests?.broken === undefined ? [] : [['Plan-Tests-Broken', namesToText(facts.tests.broken)] as const]),
      ...(facts.claim === undefined ? [] : [['Plan-Claim', claimToText(facts.claim)] as const]),
      ...(facts.exit === undefined ? [] : [['Plan-Exit', String(facts.exit)] as const]),
      ...(facts.times === undefined
        ? []
        : [['Plan-Started', facts.times.startedAt] as const, ['Plan-Ended', facts.times.endedAt] as const]),
    ],
  })
  const oid = await objects.commit({ tree, parents: [parent], message, isUnsigned: true })
  const ref = attemptRef(run.id, facts.step, facts.attempt)
  await run.inTurn(async () => {
    const note = await run.note(objects, { commit: oid, output: facts.note })
    await objects.flush(blobs)
    await run.moveWithNote(note, [{ ref, from, to: oid }])
  })
  const attempts = await run.attempts
  attempts?.set(facts.step, Math.max(facts.attempt, attempts.get(facts.step) ?? 0))
  return { oid, ref }
}

/** The tree of a commit, with these files taken from the work tree. */
async function treeWith({ tree }: Workspace, commit: Oid, paths: readonly RawPath[]): Promise<Oid> {
  const index = await tree.emptyIndex(commit)
  try {
    await tree.stage(index, paths)
    return await tree.writeTree(index)
  } finally {
    await rm(index, { force: true })
  }
}

/** The attempt that contains the scanned files; if an earlier command saved it, the facts to save more under. */
type Saved = SavedAttempt | Pick<SavedAttempt, 'scan' | 'facts'>

/** Resets work tree and index to the tip. The scanned files must have been saved before. */
export async function restoreTip(worker: Worker, saved: Saved, options: { label: string }): Promise<void> {
  const { tree } = worker.workspace
  const { scan } = saved
  refuseUnsavable(scan.nested, [])
  // If the branch moved during the step, a path can be both deleted from the index and untracked.
  const loose = [...new Set(stageable(worker.workspace, scan))].filter((path) => scan.untracked.includes(path))
  // Includes files that the step put in the place of a directory: if ignored, no commit contains them.
  const inTheWay = await tree.existingPaths([...loose, ...scan.changed.filter((path) => path.includes('/'))])
  const changed = new Set(scan.changed)
  const aside = [...new Set([...inTheWay, ...(await tree.filesInsteadOf(scan.changed))])].filter(
    (path) => !changed.has(path),
  )
  if (aside.length > 0) await tree.moveAside(aside, await worker.run.dir.newAside(options.label, leftFolder))
  // The command may have added a file of the user to the index. With the old index, Git has no reason to touch it.
  await tree.installIndex(await tree.indexOf(worker.at.tip))
  await tree.resetTo(worker.at.tip)
  const left = await saveUncovered(worker, saved, options.label)
  const dirty = stageable(worker.workspace, left)
  if (dirty.length > 0 || left.nested.length > 0) {
    throw new PlanError(
      'cannot-save',
      `the work tree could not be reset to the checkpoint; it still has ${describePaths([...dirty, ...left.nested])}`,
      {
        hint: `move these files away, then: git plan resume ${worker.run.id}`,
      },
    )
  }
}

/** A `.gitignore` can hide a directory with another `.gitignore`, and so on; deeper nesting has another cause. */
const maxRounds = 20

/** Saves files that the step made and ignored: Git lists them once the step's ignore rules are gone. */
async function saveUncovered(worker: Worker, saved: Saved, label: string): Promise<Scan> {
  const { tree } = worker.workspace
  let all = 'oid' in saved ? saved : undefined
  for (let round = 1; ; round += 1) {
    const left = await scanLeft(worker)
    if (
      stageable(worker.workspace, left).length === 0 ||
      left.changed.length + left.nested.length > 0 ||
      round > maxRounds
    )
      return left
    const earlier = all
    all = await worker.withKeptObjects(() => save(worker, saved.facts, earlier))
    const loose = await tree.existingPaths(stageable(worker.workspace, all.scan))
    if (loose.length > 0) await tree.moveAside(loose, await worker.run.dir.newAside(label, leftFolder))
  }
}

function refuseUnsavable(nested: readonly RawPath[], submodules: readonly RawPath[]): void {
  const [first] = nested
  if (first !== undefined) {
    throw new PlanError(
      'cannot-save',
      `there is a Git repository inside the work tree, which Git cannot commit: ${describePaths(nested)}`,
      {
        hint: `mv ${JSON.stringify(shown(first).replace(/\/$/, ''))} ..`,
        facts: { paths: nested.map(shown) },
      },
    )
  }
  const [moved] = submodules
  if (moved !== undefined) {
    throw new PlanError(
      'cannot-save',
      `the submodule ${describePaths(submodules)} is at a different commit, which git plan does not restore`,
      {
        hint: `git submodule update -- ${JSON.stringify(shown(moved))}`,
        facts: { paths: submodules.map(shown) },
      },
    )
  }
}

/** Removes temporary indexes and drafts that a crash may have left. */
export async function sweepScratch(dir: PlanDir): Promise<void> {
  for (const name of dir.list()) {
    const isScratch =
      /^(index\.(next|mark)\.|draft\.|claim\.|(intent|quarantine)\.json\.new$|message$)/.test(name) ||
      storeName.test(name)
    if (isScratch) await rm(dir.file(name), { recursive: true, force: true })
  }
}
