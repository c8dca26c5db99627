// The texts that a plan had: the first one is revision 0, and each replacement is one more.

import type { Repository } from '../git/repository.ts'
import type { PlanId } from '../plan/model/ids.ts'
import type { Plan } from '../plan/model/plan.ts'
import type { RecordedEvent } from '../store/history.ts'
import { readPlanAt } from '../store/plan-at.ts'

export interface PreviousText {
  readonly plan: Plan
  readonly commit: string
  readonly wasApproved: boolean
  /** Why the text was replaced since, oldest first. */
  readonly reasons: readonly string[]
}

interface Texts {
  readonly repo: Repository
  readonly id: PlanId
  readonly file: string
  /** Of the current text. */
  readonly digest: string
  /** Newest first. */
  readonly events: readonly RecordedEvent[]
}

const isText = ({ event }: RecordedEvent): boolean => ['proposed', 'replanned', 'rebased'].includes(event)

/** The events that recorded a text, oldest first: the place of an event is its revision. */
export const revisionsIn = (events: readonly RecordedEvent[]): readonly RecordedEvent[] =>
  events.filter((event, at) => isText(event) && (event.event !== 'rebased' || at === events.length - 1)).toReversed()

/** The last approved text, or else the last one: a reader may know all of it except the changes since. */
export function previousText(texts: Texts): Promise<PreviousText | undefined> {
  const { digest, events } = texts
  const isOther = (event: RecordedEvent): boolean => event.digest !== undefined && event.digest !== digest
  const approved = events.findIndex((event) => event.event === 'approved' && isOther(event))
  const index = approved >= 0 ? approved : events.findIndex(isOther)
  return textAt(texts, index, approved >= 0)
}

/** undefined: there is no such text, or it cannot be read. */
export async function textAt(
  { repo, id, file, events }: Texts,
  index: number,
  wasApproved: boolean,
): Promise<PreviousText | undefined> {
  const commit = events[index]?.commit
  if (commit === undefined) return undefined
  const plan = await readPlanAt(repo, commit, { id, file }).catch(() => undefined)
  const reasons = events
    .slice(0, index)
    .flatMap(({ event, reason }) => (['proposed', 'replanned'].includes(event) && reason !== undefined ? [reason] : []))
  return plan === undefined ? undefined : { plan, commit, wasApproved, reasons: reasons.toReversed() }
}
