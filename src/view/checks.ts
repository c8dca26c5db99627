// What was to hold, and what the record says about it. A check counts as held or failed only where the executor wrote
// it into a commit.

import { describeCheck, scopeCheck } from '../plan/model/describe-check.ts'
import { statusOf, type Plan, type Step, type StepStatus } from '../plan/model/plan.ts'
import { oneLine } from '../plan/record/trailers.ts'
import type { RecordedEvent } from '../store/history.ts'
import type { StepView } from './steps.ts'

export interface CheckView {
  /** null: a check of the whole plan. */
  readonly step: string | null
  readonly kind: 'verify' | 'criteria' | 'test' | 'files'
  /** The command, or what was looked for, or the words of the criterion. */
  readonly check: string
  /** `unproven`: a criterion without a check, which a person judges, or a step that is done without a record of it. */
  readonly result: 'held' | 'failed' | 'pending' | 'skipped' | 'unproven'
  /** The commit that records it. */
  readonly commit: string | null
  /** What the record says of a failure. */
  readonly detail: string | null
}

interface Wanted {
  readonly kind: CheckView['kind']
  readonly check: string
  /** What the record calls it, once for each time that it is checked; empty where a person judges. */
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
    return judged(step.id, wantedOf(step), statusOf(plan, step.id), event)
  })
  const wanted = plan.verify.map((check): Wanted => ({
    kind: 'verify',
    check: describeCheck(check),
    names: [describeCheck(check)],
  }))
  // The newest word, if it is about the whole plan.
  const newest = facts.events.find((each) => each.event === 'completed' || each.event === 'failed')
  const event = newest?.step === undefined ? newest : undefined
  const status = plan.status === 'completed' ? 'done' : plan.status === 'failed' ? 'failed' : 'pending'
  return [...ofSteps, ...judged(null, wanted, status, event)]
}

function wantedOf(step: Step): Wanted[] {
  return [
    ...step.verify.map((check): Wanted => ({
      kind: 'verify',
      check: describeCheck(check),
      names: [describeCheck(check)],
    })),
    ...step.criteria.map(({ text, verify }): Wanted => ({
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

function judged(
  step: string | null,
  wanted: readonly Wanted[],
  status: StepStatus,
  event: RecordedEvent | undefined,
): CheckView[] {
  // All of them or none: what is done has passed every check, and the record lists them in their order.
  const isRecorded = event?.verified === oneLine(wanted.flatMap(({ names }) => names).join('; '))
  return wanted.map(({ kind, check, names }) => {
    const view = (result: CheckView['result'], commit?: string, detail?: string): CheckView => ({
      step,
      kind,
      check,
      result,
      commit: commit ?? null,
      detail: detail ?? null,
    })
    if (status === 'done')
      return names.length > 0 && isRecorded ? view('held', event?.commit) : view('unproven', event?.commit)
    if (status === 'skipped') return view('skipped', event?.commit)
    const isFailed =
      event?.event === 'failed' &&
      event.failedCheck !== undefined &&
      names.some((name) => oneLine(name) === event.failedCheck)
    // Of the checks beside the one that failed nothing is known.
    return isFailed ? view('failed', event.commit, event.reason) : view('pending')
  })
}
