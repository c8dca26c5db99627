// Commits an event on the plan's branch, each with the updated plan file.

import { isDone } from '../../plan/model/step-status.ts'
import type { RefMove } from '../../git/read/refs.ts'
import { nextStatus, type PlanEventName } from '../../plan/model/lifecycle.ts'
import { type Plan, type PlanStatus, type StepStatus } from '../../plan/model/plan.ts'
import { readPlan, type PlanText } from '../../plan/file/read-plan.ts'
import { trailersOf, type PlanEvent } from '../../plan/record/trailers.ts'
import type { Oid, StepId } from '../../plan/model/ids.ts'
import { withState, type Written } from '../../plan/file/write.ts'
import { maskMessage } from '../run/known-secrets.ts'
import type { PlanAtTip, Run } from '../run/run.ts'
import { putPlanBlob, writePlanFile } from './plan-file-in-tree.ts'

export interface EventRequest {
  readonly event: PlanEventName
  /** If the life cycle allows more than one status. */
  readonly status?: PlanStatus
  readonly steps?: ReadonlyMap<StepId, StepStatus>
  readonly subject: string
  readonly body?: string
  readonly facts?: Partial<Omit<PlanEvent, 'event' | 'plan'>>
  readonly note?: Uint8Array | undefined
  /** A new text of the whole plan file (replan, edit); default: the one at the tip. */
  readonly planBytes?: Uint8Array
  /** Other refs that move together with the branch, before it. */
  readonly refs?: readonly RefMove[]
  /** Signed, whatever the configuration says; `judge` sees the commit before the branch moves, and may throw. */
  readonly signed?: { readonly judge: (commit: Oid) => Promise<void> }
}

/** The plan file after an event. */
export function planAfter(
  run: Run,
  at: PlanAtTip,
  request: Pick<EventRequest, 'event' | 'status' | 'steps' | 'planBytes'>,
): Written {
  const { plan } = at
  const status = nextStatus(request.event, plan.status, {
    wanted: request.status,
    hint: `git plan status ${plan.id}`,
  })
  const state = new Map(plan.state)
  for (const [step, value] of request.steps ?? []) {
    if (value === 'pending') state.delete(step)
    else state.set(step, value)
  }
  return withState(request.planBytes === undefined ? at : validPlan(run, request.planBytes), status, state)
}

export function messageOf(
  run: Run,
  request: Pick<EventRequest, 'event' | 'subject' | 'body' | 'facts'>,
  digest: string,
): string {
  const { risk } = run
  const verb = verbOfStep(run, request.facts?.step)
  const event: PlanEvent = {
    event: request.event,
    plan: run.id,
    run: run.token,
    digest,
    ...(verb === undefined ? {} : { verb }),
    ...(risk === undefined ? {} : { risk }),
    ...request.facts,
  }
  const { subject, body } = request
  // A reason given by a person may quote the output of a program.
  return maskMessage(run.mask, { subject, ...(body === undefined ? {} : { body }), trailers: trailersOf(event) })
}

const verbOfStep = ({ at }: Run, id: StepId | undefined): string | undefined =>
  id === undefined ? undefined : at.plan.steps.find((step) => step.id === id)?.verb

/** Records an event that changes only the plan file. Changed and staged files of the user stay as they are. */
export const recordEvent = (run: Run, request: EventRequest): Promise<Oid> =>
  run.withKeptObjects(() => record(run, request))

async function record(run: Run, request: EventRequest): Promise<Oid> {
  const { bytes, plan, source } = planAfter(run, run.at, request)
  const { tip } = run.at
  const blob = await run.objects.blob(bytes)
  const tree = await run.objects.treeWith(await run.objects.treeOf(tip), run.planPath, blob)
  const isSigned = request.signed !== undefined
  const commit = await run.objects.commit({
    tree,
    parents: [tip],
    message: messageOf(run, request, plan.digest),
    isSigned,
  })
  await request.signed?.judge(commit)
  const note = await run.note(run.objects, { commit, output: request.note })
  await run.objects.flush()
  const moves = [...(request.refs ?? []), { ref: run.branch, from: tip, to: commit }]
  if (run.tree === undefined) await run.moveRefsWithIntent(() => run.moveWithNote(note, moves))
  else {
    await run.intend({ kind: 'event', input: tip })
    const facts = await writePlanFile(run.worker, blob, bytes)
    await run.tree.editIndex(
      (next) => putPlanBlob(run.worker, next, blob, facts),
      () => run.moveWithNote(note, moves),
    )
    await run.settle()
  }
  run.at = { tip: commit, plan, source }
  const { event, facts } = request
  const { step, reason, approvedBy } = facts ?? {}
  run.recorded.push({ event, status: plan.status, step, reason, approvedBy })
  return commit
}

export const stepsDone = (run: Run): number => run.at.plan.steps.filter((step) => isDone(run.at.plan, step.id)).length

function validPlan(run: Run, bytes: Uint8Array): { readonly plan: Plan; readonly source: PlanText } {
  const parsed = readPlan(bytes, { file: run.planPath, id: run.id })
  if (!parsed.ok) throw new Error('the plan file that was about to be written is not valid')
  return parsed
}
