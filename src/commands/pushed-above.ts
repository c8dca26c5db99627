// What somebody has pushed on top of what was approved. That a commit was made by the executor is said by its own words, and whoever can push can write them: so it
// has to come from whoever goes on with the plan, or be signed, or be approved as well.

import type { Verdict } from '../approval/judge.ts'
import { PlanError } from '../errors.ts'
import type { Forge, Person } from '../forge/forge.ts'
import type { History, RecordedEvent } from '../report/history.ts'
import { forgeOf } from './forge.ts'
import { lastSeen } from './push.ts'
import { signatureOf, type Standing } from './standing.ts'
import type { Asking, Subject } from './with-session.ts'

/** `forge`: left out, it is found where it has to be asked. */
export async function refusePushedAbove(writing: Asking, { verdict, requirement, history }: Standing, forge?: Forge): Promise<void> {
  const { session, settings, context } = writing
  // Where a commit is an approval, whoever can push can approve.
  if (requirement.count === 0 || requirement.from.includes('local')) return
  const above = await pushedAbove(session, history, verdict)
  if (above.length === 0 || (await areSigned(writing, above))) return
  const asked = forge ?? (await forgeOf(session.home, settings, context))
  const pusher = await asked?.lastPusher(`plan/${session.id}`)
  const self = await asked?.self()
  if (pusher !== undefined && self !== undefined && isSame(pusher, self)) return
  const by = pusher === undefined ? ', the forge does not say who pushed them' : ` that were pushed by @${pusher.login}`
  const first = above.at(-1)
  throw new PlanError(
    'not-approved',
    `plan/${session.id} has commits above what was approved${by}, and nothing proves that the executor made them: ${first?.commit.slice(0, 10)} ${first?.subject}`,
    {
      hint: requirement.from.includes('review')
        ? `look at them: git log -p ${first?.parent?.slice(0, 10)}..plan/${session.id}; then have plan/${session.id} reviewed as it is now: a review counts for all that lies below it`
        : `look at them: git log -p ${first?.parent?.slice(0, 10)}..plan/${session.id}; then: git plan approve ${session.id} --sign`,
    },
  )
}

/** Newest first: events that the remote has, and that enough people to approve the plan have not seen. */
async function pushedAbove(session: Subject, { events, foreign }: History, { counted, required }: Verdict): Promise<readonly RecordedEvent[]> {
  const seen = await lastSeen(session.home, session.id)
  const common = seen === undefined ? undefined : await session.repo.mergeBase(seen, session.at.tip)
  if (common === undefined) return []
  // How many events lie above a commit.
  const depthOf = (commit: string): number => {
    const index = events.findIndex((event) => event.commit === commit)
    return index >= 0 ? index : (foreign.find((each) => each.commit === commit)?.depth ?? events.length)
  }
  const approved = counted.map(({ commit }) => depthOf(commit)).toSorted((one, other) => one - other)[required - 1] ?? events.length
  return events.slice(depthOf(common), approved)
}

async function areSigned({ session, settings }: Asking, events: readonly RecordedEvent[]): Promise<boolean> {
  for (const { commit, isSigned } of events) if (!isSigned || !(await signatureOf(session, settings, commit)).isGood) return false
  return true
}

const isSame = (one: Person, other: Person): boolean => !one.isGhost && one.login.toLowerCase() === other.login.toLowerCase()
