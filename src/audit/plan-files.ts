// The plan file at a commit. In a long plan most commits change only the status block, so the text above it need not be
// parsed again.

import {
  planStatuses,
  stepStatuses,
  type Plan,
  type PlanState,
  type PlanStatus,
  type StepStatus,
} from '../plan/model/plan.ts'
import { readPlan, type PlanText } from '../plan/file/read-plan.ts'
import type { PlanId, StepId } from '../plan/model/ids.ts'
import { withState } from '../plan/file/write.ts'

export interface PlanFile {
  readonly bytes: Buffer
  readonly plan: Plan
  readonly source: PlanText
  /** The text equals that of the previous commit except for the status block, and was not parsed as a whole. */
  readonly isTail?: true
}

/** Returns the plan file, or why it is invalid. `before`: the plan file of the previous commit. */
export function readPlanFile(
  bytes: Buffer | undefined,
  { id, file }: { readonly id: PlanId; readonly file: string },
  before: PlanFile | undefined,
): PlanFile | string {
  if (bytes === undefined) return `there is no ${file}`
  const next = before === undefined ? undefined : replaceTail(bytes, before)
  if (next !== undefined) return next
  const read = readPlan(bytes, { file, id })
  if (!read.ok)
    return `${file} is not a valid plan: line ${read.findings[0]?.line ?? 1}: ${read.findings[0]?.message ?? ''}`
  return read.plan.id === id
    ? { bytes, plan: read.plan, source: read.source }
    : `${file} is the plan file of ${read.plan.id}`
}

/** Accepted only if the executor's own writer produces exactly these bytes. */
function replaceTail(bytes: Buffer, before: PlanFile): PlanFile | undefined {
  const { tail } = before.source
  const text = bytes.toString()
  if (tail === undefined || text.length > 2_000_000 || !text.startsWith(before.source.text.slice(0, tail.start)))
    return undefined
  const written = readTail(text.slice(tail.start), before.plan)
  if (written === undefined) return undefined
  const { bytes: own, plan, source } = withState(before, written.status, written.state)
  return bytes.equals(own) ? { bytes, plan, source, isTail: true } : undefined
}

function readTail(
  text: string,
  { steps }: Plan,
): { readonly status: PlanStatus; readonly state: PlanState } | undefined {
  const lines = text.slice(0, Math.max(0, text.indexOf('\n---'))).split(/\r?\n/)
  const status = planStatuses.find((each) => lines[0] === `status: ${each}`)
  if (status === undefined) return undefined
  const known = new Map<string, StepId>(steps.map(({ id }) => [id, id]))
  const state = new Map<StepId, StepStatus>()
  for (const line of lines.slice(2)) {
    const [, name = '', value] = /^ {2}"?([^":]+)"?: (\w+)$/.exec(line) ?? []
    const [id, found] = [known.get(name), stepStatuses.find((each) => each === value)]
    if (id === undefined || found === undefined) return undefined
    state.set(id, found)
  }
  return { status, state }
}
