// A push to what is kept beside a plan: attempts, rollbacks, effects, its end, the output of its steps. It grows, and nothing of it goes.

import { numberedRefs } from '../plan/record/numbered-refs.ts'
import { isFinal } from '../plan/model/lifecycle.ts'
import { finalRef, isId, notesRef, type PlanId } from '../plan/model/ids.ts'
import { planFile, readPlanAt } from '../store/plan-at.ts'
import { auditRefusal } from './audited.ts'
import type { Receiving } from './receiving.ts'
import type { Refusal } from './refusal.ts'
import type { Update } from './updates.ts'

export async function judgePlanRef({ ref, from, to }: Update, receiving: Receiving): Promise<Refusal | undefined> {
  const { repo } = receiving
  const id = (/^refs\/(?:notes\/)?plan\/([^/]+)/.exec(ref)?.[1] ?? '') as PlanId
  const isName = isId(id) && (ref === finalRef(id) || ref === notesRef(id) || numberedRefs(id, [{ name: ref }]).length > 0)
  // Another name could be in the way of one that a rollback needs.
  if (!isName) return to === undefined ? undefined : { message: `${ref} is no name for what belongs to a plan`, hint: 'git push origin REF:refs/heads/BRANCH' }
  if (to === undefined)
    return { message: `${ref} is kept for good, and is not removed by a push`, hint: `on the server, by its administrator: git update-ref -d ${ref}` }
  const commit = await repo.resolve(to)
  if (commit === undefined) return { message: `${ref} would be no commit`, hint: `git plan fetch ${id}` }
  const isTag = ref.startsWith(`refs/plan/${id}/rollbacks/`)
  const isForward = from === undefined || from === to || (!isTag && (await repo.resolve(from)) !== undefined && (await repo.isAncestor(from, commit)))
  if (!isForward) return { message: `${ref} would be rewritten: it only ever grows`, hint: `see what is there: git ls-remote origin ${ref}` }
  if (ref !== finalRef(id)) return undefined
  const plan = await readPlanAt(repo, commit, { id, file: planFile(receiving.settings.dir, id) }).catch(() => undefined)
  if (plan === undefined || !isFinal(plan.status))
    return { message: `${ref} would be a plan that is ${plan?.status ?? 'unreadable'}, and not its end`, hint: `git plan finish ${id}` }
  return auditRefusal(receiving, { id, tip: commit, known: await receiving.knownTips(id), merged: { into: undefined } }, ref)
}

/** Where the user was and what was put aside for them is nobody else's. */
export const judgeLocalRef = ({ ref, to }: Update): Refusal | undefined =>
  to === undefined
    ? undefined
    : { message: `${ref} is for the repository that it was made in, and may hold what was never meant to be pushed`, hint: 'git push origin BRANCH' }
