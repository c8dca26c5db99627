// One attempt of one step: intent, effect, checks, checkpoint. On failure the result is saved and the tree restored.

import { requirePermit } from '../../approval/rules/permit.ts'
import { PlanError } from '../../errors.ts'
import type { Fingerprint } from '../../git/trust/fingerprint.ts'
import type { RawPath } from '../../git/read/raw-path.ts'
import { deniedText, type Claim } from '../../plan/model/claim.ts'
import type { Step, StepStatus } from '../../plan/model/plan.ts'
import type { FailReason } from '../../plan/model/fail-reason.ts'
import type { Performed, VerbContext } from '../../plan/model/verb.ts'
import type { WaitsFor } from '../../plan/model/waits-for.ts'
import type { Oid } from '../../plan/model/ids.ts'
import type { TestRecord } from '../../plan/model/test-counts.ts'
import type { Times } from '../../plan/record/trailers.ts'
import { agentOf, verbOf } from '../../plan/verbs/index.ts'
import { commandLine, quoteWord } from '../../process/shell-words.ts'
import { refuseBrokenGit } from '../workspace/broken-git.ts'
import { applyTree } from './apply-tree.ts'
import { refuseMovedAfterSaving, stageAndCommit } from './commit-step.ts'
import { refuseGitChanges } from './git-changes.ts'
import { compareBranches, readBranches, type Branches } from './other-branches.ts'
import { intendEffect, intentionOf, newestEffect, type Effect } from './effects.ts'
import { keepPreserved } from '../workspace/preserved-ignored.ts'
import { restorePlanFile } from '../record/plan-file-in-tree.ts'
import { nextAttempt, restoreTip, saveAttempt } from '../record/restore.ts'
import type { Worker } from '../run/worker.ts'
import { settleEffect } from './settle-effect.ts'
import { stepFailure, type Failure } from './step-failure.ts'
import { cacheKey, findCached, keepCached } from './step-cache.ts'
import { stepFiles } from './step-files.ts'
import { stepRewriter } from './step-rewriter.ts'
import { StepOutput } from './step-output.ts'
import { runAgent } from '../agent/run-agent.ts'
import { shellFor, type Shell } from './step-shell.ts'
import { StepUsage } from './step-usage.ts'
import { verifyStep } from './verify.ts'

export type StepOutcome =
  | {
      readonly kind: 'done'
      readonly commit: Oid
      readonly attempt: number
      readonly times: Times
      /** The commit whose changes were applied again. */
      readonly replayed?: Oid | undefined
    }
  | { readonly kind: 'waiting'; readonly for: WaitsFor; readonly message: string }
  | {
      readonly kind: 'failed'
      readonly status: StepStatus
      readonly reason: FailReason
      readonly message: string
      readonly exit: number | undefined
      readonly check: string | undefined
      readonly attempt: number
      readonly saved: string
      readonly changed: boolean
      readonly times: Times
      readonly note: Uint8Array
      readonly claim: Claim | undefined
      readonly tests: TestRecord | undefined
      readonly usage: ReturnType<StepUsage['facts']>
      /** The commit whose changes were applied again, and did not pass the checks. */
      readonly replayed?: Oid | undefined
      /** True: an external effect may or may not have happened. */
      readonly isUnknown: boolean
    }

/** The part of a result of the pool that a step needs. */
interface Result {
  readonly commit: Oid
  readonly base: Oid
  readonly times: Times
  readonly output: Uint8Array
  readonly claim: Claim | undefined
}

export interface StepOptions {
  readonly keepTree: boolean
  readonly fingerprint: Fingerprint
  /** Start from the files of an earlier attempt. */
  readonly fromAttempt?: Oid | undefined
  /** A result of the pool: take its files, and check them. */
  readonly result?: Result | undefined
  /** The work is already in the tree (`--done`): check it, do not perform it. */
  readonly isDeclared?: boolean
  /** What the driver of the step says about it. */
  readonly claim?: Claim | undefined
  /** The branches when the driver got it. */
  readonly branches?: Branches | undefined
  /** When the driver got it. */
  readonly startedAt?: string | undefined
  /** The session of an agent to continue. */
  readonly session?: string | undefined
  /** A person asked for this step: it runs, whatever is cached. */
  readonly isChosen?: boolean | undefined
  readonly reason?: string | undefined
}

export async function performStep(worker: Worker, step: Step, options: StepOptions): Promise<StepOutcome> {
  requirePermit(worker.run.permit, worker.at.plan)
  const attempt = await nextAttempt(worker.run, step.id)
  const { plan } = worker.at
  const number = plan.steps.findIndex((each) => each.id === step.id) + 1
  worker.emit({
    kind: 'step-started',
    step: step.id,
    title: step.title,
    verb: step.verb,
    attempt,
    number,
    total: plan.steps.length,
  })
  const startedAt = options.result?.times.startedAt ?? options.startedAt ?? worker.run.world.now().toISOString()
  const output = new StepOutput(worker, step.id, attempt)
  if (options.result !== undefined) output.keep(options.result.output)
  await keepPreserved(worker.workspace)
  const intent = await worker.workspace.intend({
    kind: 'step',
    step: step.id,
    attempt,
    input: worker.at.tip,
    ...(options.isDeclared === true ? { isDeclared: true } : {}),
    gitState: options.fingerprint.digest,
  })
  const touched = new Set<RawPath>()
  // Once a command has run, or the tree contains somebody else's work, only Git can tell what changed.
  let isAllTouched =
    options.isDeclared !== true &&
    options.fromAttempt === undefined &&
    options.result === undefined &&
    step.effect === 'tree'
  const usage = new StepUsage()
  const run = shellFor(worker, { intent, output, step, attempt, usage })
  const shell: Shell = (command, more) => {
    isAllTouched = false
    return run(command, more)
  }
  const context: VerbContext = {
    shell: (command, words = []) => shell([command, ...words.map(quoteWord)].join(' ')),
    program: (words, where) => shell(commandLine(words, where)),
    rewrite: stepRewriter(worker, step),
    tree: stepFiles(worker, touched),
    agent: (spec) => {
      isAllTouched = false
      return runAgent(worker, { step, spec, attempt, intent, output, usage, session: options.session })
    },
  }

  const isOfAgent = agentOf(step) !== undefined && options.isDeclared !== true && options.result === undefined
  const branches = isOfAgent ? await readBranches(worker.workspace.repo) : options.branches
  let effect: Effect | undefined
  let failure: Failure | undefined
  let written: readonly string[] | undefined
  let claim = options.claim ?? options.result?.claim
  const isPlain = options.fromAttempt === undefined && options.result === undefined && options.isDeclared !== true
  const key = isPlain && options.isChosen !== true ? await cacheKey(worker, step, intent) : undefined
  const cached = key === undefined ? undefined : await findCached(worker, key)
  // The program that told its version may have written files.
  if (key !== undefined) isAllTouched = false
  if (options.fromAttempt !== undefined) await applyTree(worker, options.fromAttempt)
  if (options.result !== undefined) await applyTree(worker, options.result.commit, options.result.base)
  else if (cached !== undefined) await applyTree(worker, cached.commit, cached.parent, [cached.planFile])
  else if (options.isDeclared !== true) {
    const before = step.effect === 'external' ? await newestEffect(worker.run, step.id) : undefined
    if (before?.state === 'happened') {
      // It happened in an attempt whose checks or checkpoint failed: never run it twice, only restore its files.
      effect = before
      worker.emit({ kind: 'notice', message: `${step.id} had already happened; not run again` })
      await applyTree(worker, before.oid, await intentionOf(worker.workspace.repo, before))
    } else {
      if (step.effect === 'external') effect = await intendEffect(worker.run, step.id)
      const performed = await perform(step, context)
      if (performed.kind === 'waiting') {
        await output.end()
        await worker.workspace.settle()
        return performed
      }
      claim = performed.claim
      if (performed.kind === 'failed') failure = performed
      else {
        written = performed.writes
        for (const message of [performed.summary, performed.warning])
          if (message !== undefined) worker.emit({ kind: 'notice', message: `${step.id}: ${message}` })
      }
      // Before Git reads any file: a filter, hook or signing program that the command has just set up must not run.
      await refuseGitChanges(worker, options.fingerprint, claim)
      // With a new shell, because the step's timeout may be used up.
      if (effect !== undefined) {
        const settled = await settleEffect(
          worker,
          step,
          effect,
          failure,
          shellFor(worker, { intent, output, step, attempt, usage }),
        )
        effect = settled.effect
        failure ??= settled.failure
      }
    }
  }
  // With all files as inputs, the checks have seen the same files.
  const isChecked = cached !== undefined && step.cache?.inputs === undefined
  const verdict = isChecked
    ? { ok: true as const, ...cached }
    : failure === undefined
      ? await verifyStep(worker, step, shell, undefined, written)
      : undefined
  refuseBrokenGit(worker.run.id, worker.workspace.repo)
  if (verdict?.ok === false) failure = stepFailure(verdict)
  await output.end()
  if (branches !== undefined) {
    const moved = await compareBranches(worker, branches)
    failure = moved.failure ?? failure
    if (moved.notice !== undefined) {
      worker.emit({ kind: 'notice', message: `${step.id}: ${moved.notice}`, hint: 'git log --oneline --all -20' })
      output.keep(Buffer.from(`${moved.notice}\n`))
    }
  }
  const times = { startedAt, endedAt: worker.run.world.now().toISOString() }
  if (verdict?.ok === true && failure === undefined) {
    await refuseGitChanges(worker, options.fingerprint, claim)
    const facts = {
      attempt,
      times,
      verified: verdict.verified,
      evidence: verdict.evidence ?? [],
      tests: verdict.tests,
      claim,
      usage: usage.facts(),
      replayed: cached?.commit,
      note: output.note(),
      ...(isAllTouched ? { touched } : {}),
    }
    const committed = await worker.withKeptObjects(() => stageAndCommit(worker, step, options, facts))
    if (committed.kind === 'done') {
      if (key !== undefined && cached === undefined) await keepCached(worker, key, committed.commit)
      await worker.workspace.settle()
      return { kind: 'done', commit: committed.commit, attempt, times, replayed: cached?.commit }
    }
    failure = committed
  }
  if (failure === undefined) throw new Error('a step neither succeeded nor failed')

  await refuseMovedAfterSaving(worker, step)
  const message = output.mask(`${failure.message}${failure.reason === 'changes' ? deniedText(claim) : ''}`)
  const saved = await saveAttempt(worker, {
    step: step.id,
    attempt,
    reason: failure.reason,
    message,
    exit: failure.exit,
    times,
    note: output.note(),
    claim,
    tests: failure.tests,
  })
  // A person's work (--done) and a tree kept for inspection stay. After a replay the step runs, in a clean tree.
  if ((options.keepTree && cached === undefined) || options.isDeclared === true) await restorePlanFile(worker)
  else await restoreTip(worker, saved, { label: `${step.id}-${attempt}` })
  await worker.workspace.settle()
  return {
    kind: 'failed',
    status: failure.reason === 'timeout' || failure.reason === 'plan-timeout' ? 'timeout' : 'failed',
    reason: failure.reason,
    message,
    exit: failure.exit,
    check: failure.check === undefined ? undefined : output.mask(failure.check),
    attempt,
    saved: saved.ref,
    changed: saved.changed,
    times,
    note: output.note(),
    tests: failure.tests,
    claim,
    usage: usage.facts(),
    replayed: cached?.commit,
    isUnknown: effect?.state === 'intended',
  }
}

/** A verb that is denied its files has failed. Any other error is ours, not the plan's, and is rethrown. */
async function perform(step: Step, context: VerbContext): Promise<Performed> {
  try {
    return await verbOf(step).perform(step.spec, context)
  } catch (error) {
    const isFileError =
      error instanceof PlanError ? error.code === 'path-refused' : (error as NodeJS.ErrnoException).code !== undefined
    if (!isFileError) throw error
    return { kind: 'failed', reason: 'verb', message: (error as Error).message }
  }
}
