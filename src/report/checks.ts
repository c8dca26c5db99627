// What was to hold, and what the record says about it. A check counts as held only where the executor wrote it into the commit.

import { describeCheck } from '../plan/describe-check.ts'
import type { Plan, Step } from '../plan/plan.ts'
import { oneLine } from '../plan/trailers.ts'
import type { RecordedEvent } from './history.ts'
import type { StepView } from './steps.ts'

export interface CheckView {
  /** null: a check of the whole plan. */
  readonly step: string | null
  readonly kind: 'verify' | 'criteria' | 'test' | 'files'
  /** The command, or what was looked for, or the words of the criterion. */
  readonly check: string
  /** `unproven`: a criterion without a check, which a person judges; or the step was declared done before there was a record of it. */
  readonly result: 'held' | 'failed' | 'pending' | 'unproven'
  /** The commit that records it. */
  readonly commit: string | null
  /** What the record says of a failure. */
  readonly detail: string | null
}

interface Wanted {
  readonly kind: CheckView['kind']
  readonly check: string
  readonly isProvable: boolean
}

export function viewChecks(plan: Plan, facts: { steps: readonly StepView[]; events: readonly RecordedEvent[] }): CheckView[] {
  const completed = facts.events.find((event) => event.event === 'completed')
  return [
    ...plan.steps.flatMap((step) => {
      const view = facts.steps.find((each) => each.id === step.id)
      const event = facts.events.find((each) => each.commit === view?.commit)
      return wantedOf(step).map((wanted) => judged(step.id, wanted, view?.status ?? 'pending', event))
    }),
    ...plan.verify.map((check) =>
      judged(null, { kind: 'verify', check: describeCheck(check), isProvable: true }, completed === undefined ? 'pending' : 'done', completed),
    ),
  ]
}

const wantedOf = (step: Step): Wanted[] => [
  ...step.verify.map((check) => ({ kind: 'verify' as const, check: describeCheck(check), isProvable: true })),
  ...step.criteria.map(({ text, verify }) => ({ kind: 'criteria' as const, check: text, isProvable: verify.length > 0 })),
  ...(step.test === undefined ? [] : [{ kind: 'test' as const, check: step.test, isProvable: true }]),
  ...(step.files === undefined ? [] : [{ kind: 'files' as const, check: `changes stay inside ${step.files.join(', ')}`, isProvable: true }]),
]

function judged(step: string | null, { kind, check, isProvable }: Wanted, status: string, event: RecordedEvent | undefined): CheckView {
  const view = (result: CheckView['result'], detail: string | null = null): CheckView => ({
    step,
    kind,
    check,
    result,
    commit: result === 'pending' ? null : (event?.commit ?? null),
    detail,
  })
  if (status === 'done') return view(isProvable && recorded(event, kind === 'files' ? 'files' : check) ? 'held' : 'unproven')
  // The failure that stopped the step names one check; of the others nothing is known.
  const failure = event?.event === 'failed' ? (event.reason ?? '') : ''
  return isProvable && failure !== '' && failure.includes(check) ? view('failed', failure) : view('pending')
}

const recorded = (event: RecordedEvent | undefined, name: string): boolean =>
  event?.verified !== undefined && `; ${event.verified};`.includes(`; ${oneLine(name)};`)
