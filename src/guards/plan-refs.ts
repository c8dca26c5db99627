// Judges a push to the refs beside a plan: attempts, rollbacks, effects, its final commit, the output of its steps.
// They are append-only.

import { numberedRefs } from '../plan/record/numbered-refs.ts'
import { isFinal } from '../plan/model/lifecycle.ts'
import { archiveRefs, finalRef, isId, notesRef, rollbackRefs, type PlanId } from '../plan/model/ids.ts'
import { planFile, readPlanAt } from '../store/plan-at.ts'
import { auditRefusal } from './audited.ts'
import type { Receiving } from './receiving.ts'
import type { Refusal } from './refusal.ts'
import type { Update } from './updates.ts'

export async function judgePlanRef({ ref, from, to }: Update, receiving: Receiving): Promise<Refusal | undefined> {
  const { repo } = receiving
  const id = (/^refs\/(?:notes\/)?plan\/([^/]+)/.exec(ref)?.[1] ?? '') as PlanId
  const isName =
    isId(id) && (ref === finalRef(id) || ref === notesRef(id) || numberedRefs(id, [{ name: ref }]).length > 0)
  // A ref of another name could block one that a rollback needs (a file/directory conflict).
  if (!isName)
    return to === undefined
      ? undefined
      : { message: `${ref} is not a valid name for a ref of a plan`, hint: 'git push origin REF:refs/heads/BRANCH' }
  if (to === undefined)
    return {
      message: `${ref} is permanent and cannot be deleted by a push`,
      hint: `on the server, by its administrator: git update-ref -d ${ref}`,
    }
  const commit = await repo.resolve(to)
  if (commit === undefined) return { message: `${ref} must be a commit`, hint: `git plan fetch ${id}` }
  const isTag = [rollbackRefs(id), archiveRefs(id)].some((prefix) => ref.startsWith(prefix))
  const isForward =
    from === undefined ||
    from === to ||
    (!isTag && (await repo.resolve(from)) !== undefined && (await repo.isAncestor(from, commit)))
  if (!isForward)
    return { message: `${ref} would be rewritten: it is append-only`, hint: `git ls-remote origin ${ref}` }
  if (ref !== finalRef(id)) return undefined
  const plan = await readPlanAt(repo, commit, { id, file: planFile(receiving.settings.dir, id) }).catch(() => undefined)
  if (plan === undefined || !isFinal(plan.status))
    return {
      message: `${ref} must be a finished plan, but this one is ${plan?.status ?? 'unreadable'}`,
      hint: `git plan finish ${id}`,
    }
  return auditRefusal(
    receiving,
    { id, tip: commit, known: await receiving.knownTips(id), merged: { into: undefined } },
    ref,
  )
}

/** Local refs record where the user was and hold their stashed changes: they are private. */
export const judgeLocalRef = ({ ref, to }: Update): Refusal | undefined =>
  to === undefined
    ? undefined
    : {
        message: `${ref} is local to the repository that created it and may hold data that must not be pushed`,
        hint: 'git push origin BRANCH',
      }
