// Commits the changes of a step whose checks have passed.

import type { RawPath } from '../../git/read/raw-path.ts'
import { shown } from '../../git/read/raw-path.ts'
import { claimToText, type Claim } from '../../plan/model/claim.ts'
import type { Oid } from '../../plan/model/ids.ts'
import type { Step } from '../../plan/model/plan.ts'
import { namesToText, type TestRecord } from '../../plan/model/test-counts.ts'
import { singleLine } from '../../plan/text/display.ts'
import type { Times } from '../../plan/record/trailers.ts'
import { verbOf } from '../../plan/verbs/index.ts'
import {
  commitStaged,
  discard,
  outsideSparse,
  refuseMovedBranch,
  stageChanges,
  subjectOf,
  type StepCommit,
} from '../record/checkpoint.ts'
import { nextAttempt, restoreTip, saveAttempt } from '../record/restore.ts'
import { SecretGuard } from '../record/quarantine.ts'
import type { Worker } from '../run/worker.ts'
import { testFacts } from './counted-tests.ts'
import type { StepOptions } from './perform-step.ts'
import { stepFailure, type Failure } from './step-failure.ts'
import type { StepUsage } from './step-usage.ts'
import { verifyChanges } from './verify.ts'

export async function stageAndCommit(
  worker: Worker,
  step: Step,
  options: StepOptions,
  facts: {
    attempt: number
    times: Times
    verified: readonly string[]
    evidence: readonly string[]
    tests: TestRecord | undefined
    claim: Claim | undefined
    usage: ReturnType<StepUsage['facts']>
    replayed: Oid | undefined
    note: Uint8Array
    touched?: ReadonlySet<RawPath>
  },
): Promise<{ readonly kind: 'done'; readonly commit: Oid } | Failure> {
  await refuseMovedAfterSaving(worker, step)
  const guard = new SecretGuard(worker, step)
  const staged = await stageChanges(worker, guard, facts.touched)
  if (guard.taken.length > 0) {
    await discard(staged)
    worker.workspace.objects.discard()
    return stepFailure({ reason: 'secret', message: guard.message })
  }
  if (staged.scan.nested.length > 0)
    return stepFailure({
      reason: 'nested-repository',
      message: `it left a Git repository inside the work tree: ${staged.scan.nested.map(shown).join(', ')}`,
    })
  const sparse = outsideSparse(staged)
  if (sparse !== undefined)
    return stepFailure({ reason: 'scope', message: `${sparse.message}; to include them: ${sparse.remedy}` })
  // A driver is held to what an agent may do.
  const by = options.isDeclared === true && options.claim === undefined ? 'person' : 'executor'
  const declared = options.isDeclared === true ? undefined : verbOf(step).declaredDone?.(step.spec)
  const scope = verifyChanges(worker, step, staged.changes, by)
  if (!scope.ok) return stepFailure(scope)
  const verified = [...facts.verified, ...scope.verified]
  const committed = await commitStaged(
    worker,
    staged,
    {
      ...stepCommit(worker, step, {
        ...facts,
        event: by === 'person' || declared !== undefined ? 'declared' : 'step',
        verified,
        reason: declared ?? options.reason,
      }),
      note: facts.note,
      withHooks: true,
    },
    (changes) => problemIn(verifyChanges(worker, step, changes, by)),
  )
  return committed.ok
    ? { kind: 'done', commit: committed.commit }
    : stepFailure({ reason: 'hook', message: committed.message })
}

function stepCommit(
  { run, number }: Worker,
  step: Step,
  facts: {
    event: 'step' | 'declared'
    attempt: number
    times: Times
    verified: readonly string[]
    evidence: readonly string[]
    tests: TestRecord | undefined
    claim: Claim | undefined
    usage: ReturnType<StepUsage['facts']>
    replayed: Oid | undefined
    reason?: string | undefined
  },
): Omit<StepCommit, 'note' | 'withHooks'> {
  const { attempt, times, verified, evidence, tests, claim, usage, replayed, reason } = facts
  // A result of the pool gets them when it is integrated.
  const remarks = number === undefined ? run.remarks.splice(0) : []
  return {
    event: facts.event,
    step,
    steps: new Map([[step.id, 'done']]),
    subject: subjectOf(run, step.title, step.id),
    ...(remarks.length === 0 ? {} : { body: remarks.join('\n') }),
    facts: {
      step: step.id,
      attempt,
      ...times,
      ...(verified.length === 0 ? {} : { verified: verified.join('; ') }),
      ...(evidence.length === 0 ? {} : { evidence: namesToText(evidence.map(singleLine)) }),
      ...testFacts(tests),
      ...claimFacts(claim),
      ...usage,
      ...(replayed === undefined ? {} : { replayed }),
      ...(reason === undefined ? {} : { reason }),
    },
  }
}

export const claimFacts = (claim: Claim | undefined): { claim?: string } =>
  claim === undefined ? {} : { claim: claimToText(claim) }

const problemIn = (verdict: ReturnType<typeof verifyChanges>): string | undefined =>
  verdict.ok ? undefined : verdict.message

export async function refuseMovedAfterSaving(worker: Worker, step: Step): Promise<void> {
  try {
    await refuseMovedBranch(worker)
  } catch (error) {
    const attempt = await nextAttempt(worker.run, step.id)
    const saved = await saveAttempt(worker, {
      step: step.id,
      attempt,
      reason: 'branch-moved',
      message: (error as Error).message,
    })
    const { repo } = worker.workspace
    const isThere = worker.number === undefined && (await repo.tipOf(worker.run.branch)) !== undefined
    if (isThere && (await repo.headBranch()) === worker.run.branch) {
      await worker.run.load()
      await restoreTip(worker, saved, { label: `${step.id}-${attempt}` })
    }
    if (worker.number !== undefined) {
      await repo.git.run(['update-ref', '--no-deref', 'HEAD', worker.at.tip])
      await restoreTip(worker, saved, { label: `${step.id}-${attempt}` })
    }
    await worker.workspace.settle()
    throw error
  }
}
