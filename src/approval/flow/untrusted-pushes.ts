// Commits on top of the approved ones. A commit message alone does not prove that the executor made the commit, since
// anybody who can push can write one. So this clone must have made it, or the forge must report that its own user
// pushed it, or it must be signed or approved too.

import { isSamePerson } from '../rules/identity.ts'
import type { Decision } from '../rules/judge-decisions.ts'
import { PlanError } from '../../errors.ts'
import type { Forge, Person } from '../../remote/forge/forge.ts'
import type { RecordedEvent } from '../../store/history.ts'
import { forgeOf } from '../../remote/open-forge.ts'
import { readMade } from '../../engine/run/made-here.ts'
import { signatureOf, type ApprovalState } from './approval-state.ts'
import type { AskContext, Subject } from '../../operation/with-run.ts'

/** If local approvals are valid, anybody who can push can approve. */
export const isLocalEnough = ({ count, from }: ApprovalState['requirement']): boolean =>
  count === 0 || from.includes('local')

/** `forge`: found on demand if left out; null: no forge is asked. */
export async function refuseUntrustedPushes(
  writing: AskContext,
  state: ApprovalState,
  forge?: Forge | null,
): Promise<void> {
  const { run, settings, context } = writing
  const { requirement } = state
  if (isLocalEnough(requirement)) return
  const above = unprovenEvents(run, state)
  if (above.length === 0 || (await areSigned(writing, above))) return
  const forgeToAsk = forge === null ? undefined : (forge ?? (await forgeOf(run.home, settings, context)))
  const pusher = await forgeToAsk?.lastPusher(`plan/${run.id}`)
  const self = await forgeToAsk?.self()
  if (pusher !== undefined && self !== undefined && isSame(pusher, self)) return
  const by = pusher === undefined ? ', pushed by an unknown user' : `, pushed by @${pusher.login}`
  const first = above.at(-1)
  throw new PlanError(
    'not-approved',
    `plan/${run.id} has commits on top of the approved ones${by}, and nothing proves that git plan made them: ${first?.commit.slice(0, 10)} ${first?.subject}`,
    {
      hint: requirement.from.includes('review')
        ? {
            'look at them': `git log -p ${first?.parent?.slice(0, 10)}..plan/${run.id}`,
            'after a new review': `git plan resume ${run.id}`,
          }
        : {
            'look at them': `git log -p ${first?.parent?.slice(0, 10)}..plan/${run.id}`,
            'approve them': `git plan approve ${run.id} --sign`,
          },
    },
  )
}

/** True if a new signature would help: the branch has commits on top of the approved ones that nothing proves. */
export async function hasUnprovenCommits(writing: AskContext, state: ApprovalState): Promise<boolean> {
  if (isLocalEnough(state.requirement) || !state.requirement.from.includes('signature')) return false
  const above = unprovenEvents(writing.run, state)
  return above.length > 0 && !(await areSigned(writing, above))
}

/** Returns the events above the last sufficient approval that this clone did not make, newest first. */
function unprovenEvents(
  { repo, id }: Subject,
  { verdict: { counted, required }, decisions, history: { events, foreign } }: ApprovalState,
): readonly RecordedEvent[] {
  // Returns the number of events above a commit.
  const depthOf = (commit: string): number => {
    const index = events.findIndex((event) => event.commit === commit)
    return index >= 0 ? index : (foreign.find((each) => each.commit === commit)?.depth ?? events.length)
  }
  // Whoever has signed again has seen the commits that were there by then. A repeated decision of another source may be
  // forged: nothing verifies it here.
  const signatures = decisions.filter(({ source, problem }) => source === 'signature' && problem === undefined)
  const newestOf = ({ by, source, commit }: Decision): number =>
    source === 'signature'
      ? Math.min(...signatures.filter((each) => isSamePerson(each.by, by)).map((each) => depthOf(each.commit)))
      : depthOf(commit)
  const approved = counted.map(newestOf).toSorted((one, other) => one - other)[required - 1] ?? events.length
  const made = readMade(repo.commonDir, id)
  return events.slice(0, approved).filter(({ commit }) => !made.has(commit))
}

async function areSigned({ run, settings }: AskContext, events: readonly RecordedEvent[]): Promise<boolean> {
  for (const { commit, isSigned } of events)
    if (!isSigned || !(await signatureOf(run, settings, commit)).isGood) return false
  return true
}

const isSame = (one: Person, other: Person): boolean =>
  !one.isGhost && one.login.toLowerCase() === other.login.toLowerCase()
