// Reviews of a pull request on GitHub. Each names its commit; only the timeline says who dismissed one.

import type { Person, Remark, Review, ReviewState } from './forge.ts'
import { remark, review, timelineEvent, type User } from './github-answers.ts'
import type { GitHubApi } from './github-api.ts'

const states = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes-requested',
  COMMENTED: 'commented',
  DISMISSED: 'dismissed',
  PENDING: 'pending',
} as const satisfies Record<string, ReviewState>

type ToPerson = (given: User) => Promise<Person>

export async function readReviews(
  api: GitHubApi,
  number: number,
  person: ToPerson,
  now: () => Date,
): Promise<Review[]> {
  const all = await api.all('GET /repos/{owner}/{repo}/pulls/{number}/reviews', { number }, review)
  const dismissals = all.some(({ state }) => state === 'DISMISSED')
    ? await readDismissals(api, number, person)
    : new Map<string, never>()
  const reviews = await Promise.all(
    all.map(async (each): Promise<Review> => ({
      id: each.id,
      person: await person(each.user),
      state: states[each.state],
      commit: each.commit_id ?? undefined,
      // Not submitted yet, so it sorts last.
      at: each.submitted_at ?? now().toISOString(),
      ...(each.html_url === undefined ? {} : { url: each.html_url }),
      // A dismissal missing from the timeline is attributed to a person: a dismissal by our own push would not stop a
      // run.
      ...(each.state === 'DISMISSED'
        ? { dismissal: dismissals.get(each.id) ?? { kind: 'person', person: undefined } }
        : {}),
    })),
  )
  return reviews.toSorted(byTime)
}

async function readDismissals(
  api: GitHubApi,
  number: number,
  person: ToPerson,
): Promise<Map<string, NonNullable<Review['dismissal']>>> {
  const events = await api.all('GET /repos/{owner}/{repo}/issues/{number}/timeline', { number }, timelineEvent)
  const found = new Map<string, NonNullable<Review['dismissal']>>()
  for (const event of events) {
    if (event === undefined) continue
    const { review_id: id, dismissal_commit_id: commit } = event.dismissed_review
    // The newest dismissal wins.
    found.set(
      id,
      commit
        ? { kind: 'push', commit }
        : { kind: 'person', person: event.actor === undefined ? undefined : await person(event.actor) },
    )
  }
  return found
}

/** A pending review has no time: nobody else sees it yet. */
export async function readRemarks(api: GitHubApi, number: number, person: ToPerson): Promise<Remark[]> {
  const pull = 'GET /repos/{owner}/{repo}/pulls/{number}'
  const all = [
    ...(await api.all('GET /repos/{owner}/{repo}/issues/{number}/comments', { number }, remark)),
    ...(await api.all(`${pull}/reviews`, { number }, remark)),
    ...(await api.all(`${pull}/comments`, { number }, remark)),
  ]
  const remarks = await Promise.all(
    all.map(async ({ user, body, created_at: created, submitted_at: submitted, path, line }): Promise<Remark[]> => {
      const at = created ?? submitted
      if (!at || (body ?? '').trim() === '') return []
      const place = { ...(path === undefined ? {} : { path }), ...(typeof line === 'number' ? { line } : {}) }
      return [{ person: await person(user), at, text: body ?? '', ...place }]
    }),
  )
  return remarks.flat().toSorted(byTime)
}

const byTime = (a: { readonly at: string }, b: { readonly at: string }): number =>
  a.at < b.at ? -1 : a.at > b.at ? 1 : 0
