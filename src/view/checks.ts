// The checks of a plan and their recorded results. A check has passed or failed only if the executor recorded that in a
// commit.

import { deliverablesCheck, describeCheck, scopeCheck } from '../plan/model/describe-check.ts'
import { statusOf, type Plan, type Step, type StepStatus } from '../plan/model/plan.ts'
import { namesFromText } from '../plan/model/test-counts.ts'
import { isFailure } from '../plan/model/step-status.ts'
import { oneLine } from '../plan/record/trailers.ts'
import type { RecordedEvent } from '../store/history.ts'
import type { StepView } from './steps.ts'

export interface CheckView {
  /** null: a check of the whole plan. */
  readonly step: string | null
  readonly kind: 'verify' | 'criteria' | 'test' | 'files' | 'deliverables'
  /** The command, the pattern, or the text of the criterion. */
  readonly check: string
  /**
   * `unproven`: a criterion without a check, which a person judges, or a step that is done without a record of the
   * check. `not-recorded`: a check of a step that failed, other than the one that it failed because of.
   */
  readonly result: 'held' | 'failed' | 'pending' | 'skipped' | 'unproven' | 'not-recorded'
  /** The commit that records the result. */
  readonly commit: string | null
  /** The recorded reason of a failure, or what proves that the check passed. */
  readonly detail: string | null
}

interface ExpectedCheck {
  readonly kind: CheckView['kind']
  readonly check: string
  /** Names in the record, one per execution of the check; empty if a person judges. */
  readonly names: readonly string[]
}

export function viewChecks(
  plan: Plan,
  facts: { steps: readonly StepView[]; events: readonly RecordedEvent[] },
): CheckView[] {
  const commits = new Map(facts.steps.map(({ id, commit }) => [id, commit]))
  const recorded = new Map(facts.events.map((event) => [event.commit as string, event]))
  const ofSteps = plan.steps.flatMap((step) => {
    const event = recorded.get(commits.get(step.id) ?? '')
    return viewsOf(step.id, expectedChecks(step), statusOf(plan, step.id), event)
  })
  const wanted = [
    ...expectedDeliverables(plan),
    ...plan.verify.map((check): ExpectedCheck => ({
      kind: 'verify',
      check: describeCheck(check),
      names: [describeCheck(check)],
    })),
  ]
  // The newest event, if it is about the whole plan.
  const newest = facts.events.find((each) => each.event === 'completed' || each.event === 'failed')
  const event = newest?.step === undefined ? newest : undefined
  const status = plan.status === 'completed' ? 'done' : plan.status === 'failed' ? 'failed' : 'pending'
  return [...ofSteps, ...viewsOf(null, wanted, status, event)]
}

const expectedDeliverables = ({ deliverables }: Plan | Step): ExpectedCheck[] =>
  deliverables.length === 0
    ? []
    : [{ kind: 'deliverables', check: `not empty: ${deliverables.join(', ')}`, names: [deliverablesCheck] }]

function expectedChecks(step: Step): ExpectedCheck[] {
  return [
    ...expectedDeliverables(step),
    ...step.verify.map((check): ExpectedCheck => ({
      kind: 'verify',
      check: describeCheck(check),
      names: [describeCheck(check)],
    })),
    ...step.criteria.map(({ text, verify }): ExpectedCheck => ({
      kind: 'criteria',
      check: text,
      names: verify.map(() => text),
    })),
    ...(step.test === undefined ? [] : [{ kind: 'test' as const, check: step.test, names: [step.test] }]),
    ...(step.files === undefined
      ? []
      : [{ kind: 'files' as const, check: `changes stay inside ${step.files.join(', ')}`, names: [scopeCheck] }]),
  ]
}

function viewsOf(
  step: string | null,
  wanted: readonly ExpectedCheck[],
  status: StepStatus,
  event: RecordedEvent | undefined,
): CheckView[] {
  // All or none: a step that is done has passed every check, and the record lists them in order.
  const isRecorded = event?.verified === oneLine(wanted.flatMap(({ names }) => names).join('; '))
  const proofs = namesFromText(event?.evidence)
  let at = 0
  return wanted.map(({ kind, check, names }) => {
    const own = proofs.slice(at, at + names.length)
    at += names.length
    const view = (result: CheckView['result'], commit?: string, detail?: string): CheckView => ({
      step,
      kind,
      check,
      result,
      commit: commit ?? null,
      detail: detail ?? null,
    })
    if (status === 'done')
      return names.length > 0 && isRecorded
        ? view('held', event?.commit, own.join('; ') || undefined)
        : view('unproven', event?.commit)
    if (status === 'skipped') return view('skipped', event?.commit)
    const isFailed =
      event?.event === 'failed' &&
      event.failedCheck !== undefined &&
      names.some((name) => oneLine(name) === event.failedCheck)
    if (isFailed) return view('failed', event.commit, event.reason)
    return isFailure(status) && event?.event === 'failed' ? view('not-recorded') : view('pending')
  })
}
