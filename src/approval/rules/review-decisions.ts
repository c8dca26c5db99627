// Converts reviews on a forge to decisions: the last review of each person, if it covers the current branch.

import type { Permission, Review } from '../../remote/forge/forge.ts'
import type { Decision } from './judge-decisions.ts'

export interface ReviewFacts {
  /** Commits whose review covers this exact plan: its text and everything below it. */
  readonly commits: ReadonlySet<string>
  /** Commits that we pushed ourselves: a review that such a push dismissed remains valid. */
  readonly own: ReadonlySet<string>
  readonly permissions: ReadonlyMap<string, Permission>
  readonly teams: ReadonlyMap<string, readonly string[]>
}

/** A decision and its evidence. */
export interface ReviewDecision extends Decision {
  readonly review: string
}

/** Returns the decisions, oldest first. Comments and pending reviews decide nothing. */
export function decisionsOf(reviews: readonly Review[], facts: ReviewFacts): ReviewDecision[] {
  return lastReviews(reviews, facts.own).map((review) => {
    const login = review.person?.login
    return {
      source: 'review' as const,
      by: {
        login: login ?? 'ghost',
        isBot: review.person?.isBot === true,
        ...(review.person?.owner === undefined ? {} : { owner: review.person.owner }),
      },
      at: review.at,
      commit: review.commit ?? '',
      review: review.id,
      problem: problemOf(review, facts),
      teams: login === undefined ? [] : (facts.teams.get(login) ?? []),
    }
  })
}

/** Returns the last decisive review of each person. A review dismissed by our own push counts as approved. */
function lastReviews(reviews: readonly Review[], own: ReadonlySet<string>): Review[] {
  const last = new Map<string, Review>()
  for (const [index, review] of reviews.entries()) {
    if (review.state === 'commented' || review.state === 'pending') continue
    const isOwnPush =
      review.dismissal?.kind === 'push' && (review.dismissal.commit === undefined || own.has(review.dismissal.commit))
    const key =
      review.person === undefined || review.person.isGhost ? `ghost ${index}` : review.person.login.toLowerCase()
    last.delete(key)
    last.set(key, review.state === 'dismissed' && isOwnPush ? { ...review, state: 'approved' } : review)
  }
  return [...last.values()]
}

function problemOf({ state, person, commit }: Review, { commits, own, permissions }: ReviewFacts): string | undefined {
  if (person === undefined || person.isGhost) return 'a deleted user'
  if (state === 'changes-requested') return `@${person.login} has requested changes`
  if (state === 'dismissed') return `the review by @${person.login} was dismissed`
  if (commit === undefined) return `the review by @${person.login} does not name its commit`
  if (!commits.has(commit))
    return own.has(commit)
      ? `@${person.login} reviewed an older state of the plan (${commit.slice(0, 12)})`
      : `@${person.login} reviewed ${commit.slice(0, 12)}, which is not the current plan`
  const permission = permissions.get(person.login) ?? 'none'
  return permission === 'write' || permission === 'admin'
    ? undefined
    : `@${person.login} may not write to the repository`
}

/** Returns the people who requested changes: any one of them stops the plan, however many others approve. */
export const objectors = (decisions: readonly Decision[]): readonly string[] =>
  decisions.flatMap(({ problem, by }) => (problem?.endsWith('has requested changes') === true ? [`@${by.login}`] : []))
