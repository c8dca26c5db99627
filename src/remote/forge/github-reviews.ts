// Reviews of a pull request on GitHub. Each names the commit that was looked at; who dismissed one is told by the
// timeline alone.

import type { Person, Review, ReviewState } from './forge.ts'
import { review, timelineEvent, type User } from './github-answers.ts'
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
      // Not sent yet, so after all that were.
      at: each.submitted_at ?? now().toISOString(),
      ...(each.html_url === undefined ? {} : { url: each.html_url }),
      // Whoever it was that the timeline does not name: a person, because a run goes on after a push of its own.
      ...(each.state === 'DISMISSED'
        ? { dismissal: dismissals.get(each.id) ?? { kind: 'person', person: undefined } }
        : {}),
    })),
  )
  return reviews.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
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
    // The newest one counts.
    found.set(
      id,
      commit
        ? { kind: 'push', commit }
        : { kind: 'person', person: event.actor === undefined ? undefined : await person(event.actor) },
    )
  }
  return found
}
