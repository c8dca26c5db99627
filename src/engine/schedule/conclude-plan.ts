// Completes the plan when no step is left.

import { deliverablesCheck, describeCheck } from '../../plan/model/describe-check.ts'
import { namesToText, someNames } from '../../plan/model/test-counts.ts'
import type { Check } from '../../plan/model/plan.ts'
import { outcomeOf } from '../../plan/model/lifecycle.ts'
import { hasFailed } from '../../plan/model/step-status.ts'
import { poolOwner, removePool } from '../pool/remove-pool.ts'
import { recordEvent } from '../record/record-event.ts'
import { tryPlanCommand } from '../step/plan-command.ts'
import { runCheck } from '../step/run-check.ts'
import { findArtifacts } from '../step/verify.ts'
import type { Loop } from './loop.ts'
import type { RunEnd } from './run-end.ts'

/** If its own checks pass and no step has failed. */
export async function concludePlan({ run, failed, pool }: Loop): Promise<RunEnd> {
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
  const { deliverables } = plan
  const delivered = await findArtifacts(run.checkedOut.tree.root, deliverables, {
    key: 'deliverables',
    isDesign: false,
  })
  if (!delivered.ok) {
    const { problem: message } = delivered
    await recordEvent(run, {
      event: 'failed',
      status: 'failed',
      subject: `Failed: ${plan.title}`,
      facts: { reason: message, failedCheck: deliverablesCheck },
    })
    return { kind: 'failed', step: undefined, message, isUnknown: false }
  }
  for (const check of plan.verify) {
    const problem =
      check.kind === 'run'
        ? await tryPlanCommand(run.worker, 'verify', check.command)
        : await problemOf(run.checkedOut.tree.root, check)
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
  const verified = [...(deliverables.length === 0 ? [] : [deliverablesCheck]), ...plan.verify.map(describeCheck)]
  const outcome = outcomeOf(plan)
  // First: nothing would remove the work trees of a completed plan after a kill.
  await pool.close()
  await removePool(poolOwner(run))
  await recordEvent(run, {
    event: 'completed',
    subject: `Completed: ${plan.title}`,
    facts: {
      ...(verified.length === 0 ? {} : { verified: verified.join('; ') }),
      ...(deliverables.length === 0 ? {} : { evidence: namesToText([someNames(delivered.paths)]) }),
      ...(outcome === 'partial' ? { reason: 'partial' } : {}),
    },
  })
  return { kind: 'completed', outcome }
}

async function problemOf(root: string, check: Check): Promise<string | undefined> {
  const outcome = await runCheck(root, check, unusedShell)
  return outcome.ok ? undefined : outcome.message
}

const unusedShell = (): never => {
  throw new Error('a check of files runs no command')
}
