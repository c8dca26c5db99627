// A push to what is kept beside a plan: attempts, rollbacks, effects, its end, the output of its steps. It grows, and nothing of it goes.

import { isId, type PlanId } from '../../plan/values.ts'
import { auditRefusal } from './audited.ts'
import type { Receiving } from './receiving.ts'
import type { Refusal } from './refusal.ts'
import type { Update } from './updates.ts'

const number = '[1-9][0-9]{0,8}'
const names = new RegExp(`^refs/(?:plan/([^/]+)/(?:attempts/([^/]+)/${number}|effects/([^/]+)/${number}|rollbacks/${number}|final)|notes/plan/([^/]+))$`)

export async function judgePlanRef({ ref, from, to }: Update, receiving: Receiving): Promise<Refusal | undefined> {
  const { repo } = receiving
  // The plan, and the step where there is one.
  const parts = (names.exec(ref) ?? []).slice(1).filter((part) => part !== undefined)
  const [id = ''] = parts
  // Another name could be in the way of one that a rollback needs.
  if (id === '' || !parts.every(isId))
    return to === undefined ? undefined : { message: `${ref} is no name for what belongs to a plan`, hint: 'git push origin REF:refs/heads/BRANCH' }
  if (to === undefined)
    return { message: `${ref} is kept for good, and is not removed by a push`, hint: `on the server, by its administrator: git update-ref -d ${ref}` }
  const commit = await repo.resolve(to)
  if (commit === undefined) return { message: `${ref} would be no commit`, hint: `git plan fetch ${id}` }
  const isTag = ref.startsWith(`refs/plan/${id}/rollbacks/`)
  const isForward = from === undefined || from === to || (!isTag && (await repo.resolve(from)) !== undefined && (await repo.isAncestor(from, commit)))
  if (!isForward) return { message: `${ref} would be rewritten: it only ever grows`, hint: `see what is there: git ls-remote origin ${ref}` }
  return ref === `refs/plan/${id}/final`
    ? auditRefusal(receiving, { id: id as PlanId, tip: commit, known: await receiving.knownTips(id as PlanId), merged: { into: undefined } }, ref)
    : undefined
}

/** Where the user was and what was put aside for them is nobody else's. */
export const judgeLocalRef = ({ ref, to }: Update): Refusal | undefined =>
  to === undefined
    ? undefined
    : { message: `${ref} is for the repository that it was made in, and may hold what was never meant to be pushed`, hint: 'git push origin BRANCH' }
