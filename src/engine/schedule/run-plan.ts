// The loop: runs ready steps in order of wave and plan, alone in the plan's own checkout or together in the pool. Each
// step becomes a commit or stops the plan.

import { requirePermit } from '../../approval/rules/permit.ts'
import { Fingerprint } from '../../git/trust/fingerprint.ts'
import { statusOf } from '../../plan/model/plan.ts'
import { Pool } from '../pool/pool.ts'
import { waitingResults } from '../pool/results.ts'
import { recordEvent, stepsDone } from '../record/record-event.ts'
import { takeBaselines } from '../step/baseline.ts'
import { OtherPlans } from '../run/other-plans.ts'
import type { Run } from '../run/run.ts'
import { concludePlan } from './conclude-plan.ts'
import type { Loop, RunOptions } from './loop.ts'
import { nextSteps } from './next-steps.ts'
import type { RunEnd } from './run-end.ts'
import { runHere } from './run-here.ts'
import { runTogether } from './run-together.ts'
import { Slots } from './slots.ts'

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
  const { planTimeoutMs } = run.settings
  run.deadline = planTimeoutMs === undefined ? undefined : Date.now() + planTimeoutMs
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
  const loop: Loop = {
    run,
    options,
    slots: options.slots ?? new Slots(options.jobs ?? 1),
    pool: new Pool(run),
    fingerprint: await Fingerprint.take(run.repo),
    others: await OtherPlans.of(run),
    failed: new Map(),
    results: await waitingResults(run, { except: options.retry?.step }),
    retry: options.retry,
    count: 0,
    mayBeEdited: false,
  }
  try {
    if (!(await countBefore(loop))) return { kind: 'interrupted' }
    for (;;) {
      if (run.world.signal.aborted) return { kind: 'interrupted' }
      const [step, ...more] = nextSteps(loop)
      if (step === undefined) break
      if (run.deadline !== undefined && Date.now() >= run.deadline) return await endOverdue(run)
      const isHere = more.length === 0 && !loop.results.has(step.id)
      const end = isHere ? await runHere(loop, step) : await runTogether(loop, [step, ...more])
      if (end !== undefined) return end
    }
    return await concludePlan(loop)
  } finally {
    await loop.pool.close()
  }
}

/** Counts the tests before the first step. False: it was interrupted. */
async function countBefore({ run, options, slots, fingerprint }: Loop): Promise<boolean> {
  const release = await slots.take()
  return takeBaselines(run, { fingerprint, permit: async (step) => options.permit?.(step) }).finally(release)
}

/** No step has failed, but none may begin. */
async function endOverdue(run: Run): Promise<RunEnd> {
  const message = 'the plan exceeded its timeout (limits.plan_timeout)'
  await recordEvent(run, {
    event: 'failed',
    status: 'failed',
    subject: `Failed: ${run.at.plan.title}`,
    facts: { reason: message },
  })
  return { kind: 'failed', step: undefined, message, isUnknown: false }
}
