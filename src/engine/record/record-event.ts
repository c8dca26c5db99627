// Commits on the plan's branch: one for each event, each with the plan file that says what is then true.

import { isDone } from '../../plan/model/step-status.ts'
import type { RefMove } from '../../git/read/refs.ts'
import { nextStatus, type PlanEventName } from '../../plan/model/lifecycle.ts'
import { type Plan, type PlanStatus, type StepStatus } from '../../plan/model/plan.ts'
import { readPlan, type PlanText } from '../../plan/file/read-plan.ts'
import { trailersOf, type PlanEvent } from '../../plan/record/trailers.ts'
import type { Oid, StepId } from '../../plan/model/ids.ts'
import { withState, type Written } from '../../plan/file/write.ts'
import { maskedMessage } from '../run/known-secrets.ts'
import type { Run } from '../run/run.ts'
import { putPlanBlob, writePlanFile } from './plan-file-in-tree.ts'

export interface EventRequest {
  readonly event: PlanEventName
  /** Where the table allows more than one. */
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
  /** Signed, whatever the configuration says; `judge` sees the commit before the branch has it, and throws where it is not to. */
  readonly signed?: { readonly judge: (commit: Oid) => Promise<void> }
}

/** The plan file after an event, from the plan at the tip. */
export function planAfter(session: Run, request: Pick<EventRequest, 'event' | 'status' | 'steps' | 'planBytes'>): Written {
  const { plan } = session.at
  const status = nextStatus(request.event, plan.status, request.status)
  const state = new Map(plan.state)
  for (const [step, value] of request.steps ?? []) {
    if (value === 'pending') state.delete(step)
    else state.set(step, value)
  }
  return withState(request.planBytes === undefined ? session.at : validPlan(session, request.planBytes), status, state)
}

export function messageOf(session: Run, request: Pick<EventRequest, 'event' | 'subject' | 'body' | 'facts'>, digest: string): string {
  const event: PlanEvent = { event: request.event, plan: session.id, run: session.token, digest, ...request.facts }
  const { subject, body } = request
  // A reason that a person gives may quote what a program has printed.
  return maskedMessage(session.mask, { subject, ...(body === undefined ? {} : { body }), trailers: trailersOf(event) })
}

/** An event that changes nothing but the plan file. What the user has changed or staged meanwhile is left as it is. */
export const recordEvent = (session: Run, request: EventRequest): Promise<Oid> => session.keepingObjects(() => record(session, request))

async function record(session: Run, request: EventRequest): Promise<Oid> {
  const { bytes, plan, source } = planAfter(session, request)
  const { tip } = session.at
  const blob = await session.objects.blob(bytes)
  const tree = await session.objects.treeWith(await session.objects.treeOf(tip), session.planPath, blob)
  const isSigned = request.signed !== undefined
  const commit = await session.objects.commit({ tree, parents: [tip], message: messageOf(session, request, plan.digest), isSigned })
  await request.signed?.judge(commit)
  const note = await session.note(commit, request.note)
  await session.objects.flush()
  const moves = [...(request.refs ?? []), { ref: session.branch, from: tip, to: commit }]
  if (session.tree === undefined) await session.movingRefs(() => session.moveWithNote(note, moves))
  else {
    await session.intend({ kind: 'event', input: tip })
    const facts = await writePlanFile(session.worker, blob, bytes)
    const { tree: place } = session
    await place.editIndex(
      (next) => putPlanBlob(session.worker, next, blob, facts),
      () => session.moveWithNote(note, moves),
    )
    await session.settle()
  }
  session.at = { tip: commit, plan, source }
  return commit
}

export const stepsDone = (session: Run): number => session.at.plan.steps.filter((step) => isDone(session.at.plan, step.id)).length

function validPlan(session: Run, bytes: Uint8Array): { readonly plan: Plan; readonly source: PlanText } {
  const parsed = readPlan(bytes, { file: session.planPath, id: session.id })
  if (!parsed.ok) throw new Error('the plan file that was about to be written is not valid')
  return parsed
}
