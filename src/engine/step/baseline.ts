// The baseline: the tests of the base, counted once before the first step. It is an event commit, so it survives a
// crash, and a rollback or a rebase to before it removes it.

import { PlanError } from '../../errors.ts'
import type { Fingerprint } from '../../git/trust/fingerprint.ts'
import { describeBaseline, failingNames, type Baseline } from '../../judge/tests/compare-tests.ts'
import { statusOf, type Step } from '../../plan/model/plan.ts'
import { isSettled } from '../../plan/model/step-status.ts'
import { countsText, namesFromText, namesToText, parseCounts } from '../../plan/model/test-counts.ts'
import { eventOf } from '../../plan/record/trailers.ts'
import { recordEvent } from '../record/record-event.ts'
import type { Run } from '../run/run.ts'
import { isCounted, maskNames, runCounted, testKey, type CountedRun, type CountedStep } from './counted-tests.ts'
import { inPlanPhase } from './plan-command.ts'
import { describeResult } from './step-shell.ts'

/** More names than this are not recorded: nobody reads them, and every reader of the branch would load them. */
const maxNames = 5000

/** By test, read from the branch once. */
async function readBaselines(run: Run): Promise<Map<string, Baseline>> {
  if (run.baselines !== undefined) return run.baselines
  const found = new Map<string, Baseline>()
  const isFirst = (message: string): boolean => ['proposed', 'rebased'].includes(eventOf(message)?.event ?? '')
  for await (const { message } of run.repo.history(run.at.tip, (commit) => isFirst(commit.message))) {
    const event = eventOf(message)
    if (event?.event !== 'baseline' || event.testKey === undefined || found.has(event.testKey)) continue
    found.set(event.testKey, { counts: parseCounts(event.tests), failing: namesFromText(event.testsFailing) })
  }
  run.baselines = found
  return found
}

/** Without a baseline every failure is one of the step. */
export const baselineOf = async (run: Run, step: CountedStep): Promise<Baseline> =>
  (await readBaselines(run)).get(testKey(step)) ?? { counts: undefined, failing: [] }

/** Counts the tests of the remaining steps where that has not been done. Returns false if it was interrupted. */
export async function takeBaselines(
  run: Run,
  options: { readonly fingerprint: Fingerprint; permit(step: Step): Promise<void> },
): Promise<boolean> {
  const { plan } = run.at
  for (const step of plan.steps) {
    if (!isCounted(step) || isSettled(plan, step.id) || statusOf(plan, step.id) === 'skipped') continue
    const known = await readBaselines(run)
    if (known.has(testKey(step))) continue
    await options.permit(step)
    const result = await takeBaseline(run, step, options.fingerprint)
    if (result === undefined) return false
    known.set(testKey(step), result)
  }
  return true
}

async function takeBaseline(run: Run, step: CountedStep, fingerprint: Fingerprint): Promise<Baseline | undefined> {
  const { result, note } = await inPlanPhase(
    run.worker,
    { phase: 'baseline', command: step.test, step, fingerprint },
    (shell) => runCounted(run.checkedOut.tree.root, step, shell),
  )
  if (result.kind === 'killed' && result.result.reason === 'interrupted') return undefined
  if (result.kind === 'killed')
    throw new PlanError(
      'preflight',
      `the tests of ${step.id} could not be counted before the first step: \`${step.test}\`: ${describeResult(result.result)}`,
      {
        hint: {
          'its output': run.dir.file('logs', 'baseline-1.log'),
          'once it is fixed': `git plan resume ${run.id}`,
        },
      },
    )
  const { baseline, reason } = toBaseline(result, run.mask)
  await recordEvent(run, {
    event: 'baseline',
    status: run.at.plan.status,
    subject: `Baseline: ${describeBaseline(baseline)}`,
    facts: {
      testKey: testKey(step),
      ...(baseline.counts === undefined ? {} : { tests: countsText(baseline.counts) }),
      ...(baseline.failing.length === 0 ? {} : { testsFailing: namesToText(baseline.failing) }),
      ...(reason === undefined ? {} : { reason }),
    },
    note,
  })
  run.world.emit({
    kind: 'notice',
    message: `before the first step: ${describeBaseline(baseline)}${reason === undefined ? '' : ` (${reason}); every test has to pass`}`,
  })
  return baseline
}

/** Results that cannot be counted or believed excuse no failure. */
function toBaseline(
  run: Extract<CountedRun, { kind: 'ended' }>,
  mask: (text: string) => string,
): { readonly baseline: Baseline; readonly reason: string | undefined } {
  const none: Baseline = { counts: undefined, failing: [] }
  const reading = maskNames(run.reading, mask)
  if (reading === undefined)
    return { baseline: none, reason: run.exit === 0 ? 'its output has no test results' : `exit code ${run.exit}` }
  if ('contradiction' in reading) return { baseline: none, reason: reading.contradiction }
  const { cases, passed, failed, skipped } = reading.report
  const failing = failingNames(cases)
  if (failing.length > maxNames) return { baseline: none, reason: `more than ${maxNames} tests fail` }
  return { baseline: { counts: { run: reading.report.run, passed, failed, skipped }, failing }, reason: undefined }
}
