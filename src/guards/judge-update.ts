// Judges one ref of a push by the kind of ref.

import type { Oid } from '../plan/model/ids.ts'
import { judgeOtherBranch } from './other-branch.ts'
import { judgePlanBranch } from './plan-branch.ts'
import { judgeLocalRef, judgePlanRef } from './plan-refs.ts'
import type { Receiving } from './receiving.ts'
import type { Refusal } from './refusal.ts'
import type { Update } from './updates.ts'

export async function judgeUpdate(update: Update, receiving: Receiving): Promise<Refusal[]> {
  const { ref, to } = update
  const only = (refusal: Refusal | undefined): Refusal[] => (refusal === undefined ? [] : [refusal])
  if (ref.startsWith('refs/heads/plan/')) return only(await judgePlanBranch(update, receiving))
  if (ref.startsWith('refs/plan/') || ref.startsWith('refs/notes/plan/'))
    return only(await judgePlanRef(update, receiving))
  if (ref.startsWith('refs/plan-local/')) return only(judgeLocalRef(update))
  // On a case-insensitive file system such a ref would share its file with a plan's ref; `refs/heads/plan` without an
  // id would block every plan's branch.
  if (to !== undefined && /^refs\/(heads\/plan|plan|notes\/plan|plan-local)(\/|$)/i.test(ref))
    return [
      {
        message: `${ref} could be mistaken for a ref of git plan`,
        hint: 'git push origin HEAD:refs/heads/ANOTHER-NAME',
      },
    ]
  if (to === undefined || !receiving.isProtected(ref)) return []
  return judgeOtherBranch(
    { ref: ref.replace(/^refs\/heads\//, ''), from: await judgedBase(update, to, receiving), to },
    receiving,
  )
}

/**
 * The commit up to which the branch was judged before. For a new branch, or an unknown old tip, this is the merge base
 * with the policy branch.
 */
async function judgedBase({ from }: Update, to: Oid, receiving: Receiving): Promise<Oid | undefined> {
  const { repo, settings } = receiving
  const there = from === undefined ? undefined : await repo.resolve(from)
  if (there !== undefined) return there
  const policy = settings.policyRef === undefined ? undefined : await repo.resolve(settings.policyRef)
  return policy === undefined ? undefined : repo.mergeBase(policy, to)
}
