// The loop: runs ready steps in order of wave and plan. Each step becomes a commit or stops the plan.

import { hasFailed } from '../../plan/model/step-status.ts'
import { requirePermit } from '../../approval/rules/permit.ts'
import { PlanError } from '../../errors.ts'
import { Fingerprint } from '../../git/trust/fingerprint.ts'
import { openNeeds, readySteps } from '../../plan/graph/graph.ts'
import { outcomeOf } from '../../plan/model/lifecycle.ts'
import { statusOf, type PlanStatus, type Step } from '../../plan/model/plan.ts'
import type { Oid, StepId } from '../../plan/model/ids.ts'
import { effectsOf, newestEffect, recordEffect, type Effect } from '../step/effects.ts'
import { OtherPlans } from '../run/other-plans.ts'
import { emitOutcome } from '../step/emit-outcome.ts'
import { performStep, probeEffect, type StepOutcome } from '../step/perform-step.ts'
import { tryPlanCommand } from '../step/plan-command.ts'
import { recordEvent, stepsDone } from '../record/record-event.ts'
import { nextAttempt } from '../record/restore.ts'
import type { Run } from '../run/run.ts'
import { StepOutput } from '../step/step-output.ts'
import { shellFor } from '../step/step-shell.ts'
import { forgetQuarantined } from '../record/quarantine-journal.ts'
import { describeCheck } from '../../plan/model/describe-check.ts'
import { runCheck } from '../step/verify.ts'

export interface RunOptions {
  readonly keepGoing: boolean
  readonly keepTree: boolean
  /** The step that the user asked to run again, whatever is known about its effect. */
  readonly retry?: { readonly step: StepId; readonly fromAttempt?: Oid | undefined } | undefined
  /** Called before each step; throws if the step may no longer run. */
  readonly permit?: ((step: Step) => Promise<void>) | undefined
}

export type RunEnd =
  | { readonly kind: 'completed'; readonly outcome: 'complete' | 'partial' }
  | {
      readonly kind: 'failed'
      readonly step: StepId | undefined
      readonly message: string
      readonly isUnknown: boolean
    }
  | {
      readonly kind: 'waiting'
      readonly step: StepId
      readonly for: 'person' | 'decision' | 'pause'
      readonly message: string
    }
  | { readonly kind: 'interrupted' }

export async function runPlan(run: Run, options: RunOptions): Promise<RunEnd> {
  requirePermit(run.permit, run.at.plan)
  const { world } = run
  const { plan } = run.at
  world.emit({
    kind: 'run-started',
    plan: plan.id,
    run: run.token,
    title: plan.title,
    where: run.checkedOut.tree.root,
    done: stepsDone(run),
    total: plan.steps.length,
    steps: plan.steps.map(({ id, title }) => ({ id, title, status: statusOf(plan, id) })),
  })
  const end = await runSteps(run, options)
  world.emit({
    kind: 'run-ended',
    plan: plan.id,
    status: run.at.plan.status,
    tip: run.at.tip,
    done: stepsDone(run),
    total: plan.steps.length,
  })
  return end
}

async function runSteps(run: Run, options: RunOptions): Promise<RunEnd> {
  const fingerprint = await Fingerprint.take(run.repo)
  const others = await OtherPlans.of(run)
  const failed = new Map<StepId, StepOutcome & { kind: 'failed' }>()
  let retry = options.retry
  for (let count = 1; ; count += 1) {
    if (run.world.signal.aborted) return { kind: 'interrupted' }
    const step = nextStep(run, failed, retry?.step)
    if (step === undefined) break
    await options.permit?.(step)
    const isChosen = retry?.step === step.id
    await settleUnknown(run, step, isChosen)
    const outcome = await performWithRetries(run, step, {
      keepTree: options.keepTree,
      fingerprint,
      fromAttempt: isChosen ? retry?.fromAttempt : undefined,
    })
    if (isChosen) retry = undefined
    if (outcome.kind === 'waiting') return wait(run, step, outcome.for, outcome.message)
    if (outcome.kind === 'done') {
      emitOutcome(run, step.id, outcome)
      await others.refuseChanges(step.id, { isLast: readySteps(run.at.plan).length === 0 })
      const isPause = step.pause || (run.settings.pauseEvery > 0 && count % run.settings.pauseEvery === 0)
      if (isPause && readySteps(run.at.plan).length > 0)
        return wait(
          run,
          step,
          'pause',
          step.pause ? 'the plan pauses after this step' : 'the configuration pauses plans here',
        )
      continue
    }
    if (outcome.reason === 'interrupted' && !outcome.isUnknown) return { kind: 'interrupted' }
    const continues = step.allowFailure || (options.keepGoing && !outcome.isUnknown)
    await recordFailure(run, step, outcome, continues ? 'active' : 'failed')
    await others.refuseChanges(step.id, { isLast: !continues || readySteps(run.at.plan).length === 0 })
    failed.set(step.id, outcome)
    if (!continues) return { kind: 'failed', step: step.id, message: outcome.message, isUnknown: outcome.isUnknown }
  }
  return concludePlan(run, failed)
}

function nextStep(run: Run, failed: ReadonlyMap<StepId, unknown>, chosen: StepId | undefined): Step | undefined {
  const { plan } = run.at
  // A step that failed with `allowFailure` is not ready, since nothing waits for it; the user may still retry it.
  const again = plan.steps.find((step) => step.id === chosen && openNeeds(plan, step).length === 0)
  return again ?? readySteps(plan).find((step) => !failed.has(step.id))
}

async function performWithRetries(
  run: Run,
  step: Step,
  options: Parameters<typeof performStep>[2],
): Promise<StepOutcome> {
  const canRetry = step.effect === 'tree' || step.idempotent
  for (let left = canRetry ? step.retries : 0; ; left -= 1) {
    // Only the last failure stays in the tree for inspection.
    const outcome = await performStep(run.worker, step, { ...options, keepTree: options.keepTree && left <= 0 })
    if (outcome.kind !== 'failed') return outcome
    const isRetrying = left > 0 && outcome.reason !== 'interrupted'
    emitOutcome(run, step.id, outcome, { isRetrying })
    // The failure message has named the quarantine directory.
    await forgetQuarantined(run, (each) => each.run === run.token)
    if (!isRetrying) return outcome
  }
}

async function recordFailure(
  run: Run,
  step: Step,
  outcome: StepOutcome & { kind: 'failed' },
  status: PlanStatus,
): Promise<void> {
  await recordEvent(run, {
    event: 'failed',
    status,
    steps: new Map([[step.id, outcome.status]]),
    subject: `Failed: ${step.title}`,
    facts: {
      step: step.id,
      attempt: outcome.attempt,
      ...outcome.times,
      reason: outcome.message,
      ...(outcome.exit === undefined ? {} : { exit: outcome.exit }),
      ...(outcome.check === undefined ? {} : { failedCheck: outcome.check }),
    },
    note: outcome.note,
  })
}

async function wait(run: Run, step: Step, reason: 'person' | 'decision' | 'pause', message: string): Promise<RunEnd> {
  const isWaiting =
    run.at.plan.status === 'waiting' && (reason === 'pause' || statusOf(run.at.plan, step.id) === 'waiting')
  if (!isWaiting) {
    await recordEvent(run, {
      event: 'waiting',
      ...(reason === 'pause' ? {} : { steps: new Map([[step.id, 'waiting' as const]]) }),
      subject: `Waiting: ${step.title}`,
      facts: { step: step.id, reason: message },
    })
  }
  run.world.emit({ kind: 'step-waiting', step: step.id, for: reason, message })
  return { kind: 'waiting', step: step.id, for: reason, message }
}

/** Completes the plan when no step is left, if its own checks pass and no step has failed. */
async function concludePlan(run: Run, failed: ReadonlyMap<StepId, StepOutcome & { kind: 'failed' }>): Promise<RunEnd> {
  const { plan } = run.at
  const broken = plan.steps.find((step) => !step.allowFailure && hasFailed(plan, step.id))
  if (broken !== undefined) {
    const message = failed.get(broken.id)?.message ?? `${broken.id} failed`
    await recordEvent(run, {
      event: 'failed',
      status: 'failed',
      subject: `Failed: ${plan.title}`,
      facts: { reason: message },
    })
    return { kind: 'failed', step: broken.id, message, isUnknown: false }
  }
  for (const check of plan.verify) {
    const problem =
      check.kind === 'run'
        ? await tryPlanCommand(run.worker, 'verify', check.command)
        : (await runCheck(run.checkedOut.tree.root, check, unusedShell))?.message
    run.world.emit({
      kind: 'check',
      step: plan.id,
      name: describeCheck(check),
      ok: problem === undefined,
      ...(problem === undefined ? {} : { detail: problem }),
    })
    if (run.world.signal.aborted) return { kind: 'interrupted' }
    if (problem !== undefined) {
      const message = `the plan's own check failed: ${describeCheck(check)}: ${problem}`
      await recordEvent(run, {
        event: 'failed',
        status: 'failed',
        subject: `Failed: ${plan.title}`,
        facts: { reason: message, failedCheck: describeCheck(check) },
      })
      return { kind: 'failed', step: undefined, message, isUnknown: false }
    }
  }
  const outcome = outcomeOf(plan)
  await recordEvent(run, {
    event: 'completed',
    subject: `Completed: ${plan.title}`,
    facts: {
      ...(plan.verify.length === 0 ? {} : { verified: plan.verify.map(describeCheck).join('; ') }),
      ...(outcome === 'partial' ? { reason: 'partial' } : {}),
    },
  })
  return { kind: 'completed', outcome }
}

const unusedShell = (): never => {
  throw new Error('a check of files runs no command')
}

/**
 * A retry states that the effect did not happen or was undone. Unrecorded, its outcome would stay unknown. An outcome
 * that another clone has recorded stays, even if it is not trusted here.
 */
async function settleByRetry(run: Run, step: Step, effect: Effect): Promise<void> {
  const recorded = (await effectsOf({ id: run.id, repo: run.repo }, step.id)).find(({ ref }) => ref === effect.ref)
  const state = recorded?.state === 'intended' ? 'failed' : recorded?.state === 'undoing' ? 'undone' : undefined
  if (state !== undefined) await recordEffect(run, effect, step.id, state, { reason: 'a person retried the step' })
}

/** An effect in an unknown state is never repeated automatically: a probe or a person settles it. */
async function settleUnknown(run: Run, step: Step, isChosen: boolean): Promise<void> {
  if (step.effect !== 'external') return
  const effect = await newestEffect(run, step.id)
  if (effect === undefined || effect.state === 'happened' || effect.state === 'undone') return
  if (isChosen) return settleByRetry(run, step, effect)
  if (effect.state === 'failed' && (step.idempotent || step.probe !== undefined)) return
  const intent = await run.intend({ kind: 'step', step: step.id, input: run.at.tip })
  const output = new StepOutput(run, `${step.id}-probe`, await nextAttempt(run, step.id))
  const answer = await probeEffect(run.worker, step, shellFor(run.worker, { intent, output, step }))
  await output.end()
  await run.settle()
  if (answer === 'happened') await recordEffect(run, effect, step.id, 'happened', { reason: 'the probe says so' })
  else if (answer === 'not') await recordEffect(run, effect, step.id, 'failed', { reason: 'the probe says so' })
  else {
    const what =
      { failed: 'ended with an error and is not declared idempotent', kept: 'was kept by a rollback' }[
        effect.state as string
      ] ?? 'may or may not have happened'
    run.world.emit({ kind: 'step-unknown', step: step.id, message: `its external effect ${what}` })
    throw new PlanError('unknown-effect', `the external effect of ${step.id} ${what}`, {
      hint: {
        'if it happened': `git plan resume ${run.id} --done ${step.id}`,
        'if it did not, run it again': `git plan resume ${run.id} --retry ${step.id}`,
        'continue without it': `git plan resume ${run.id} --skip ${step.id}`,
      },
      facts: { step: step.id, effect: effect.ref },
    })
  }
}
