// GitLab approves a merge request, not a commit. The list of approvals says who approves now, GitLab's system notes say
// when, and the versions say which commit was the head at that time. An approval for which these three do not agree
// names no commit and is not valid.

import * as z from 'zod/mini'
import type { Person, Remark, Review } from './forge.ts'
import { approvals, note, reviewer, version, type MergeRequestAnswer, type Note, type User } from './gitlab-answers.ts'
import { withQuery, type Rest } from './rest.ts'

type ToPerson = (given: User) => Promise<Person>

interface Entry {
  readonly user: User
  readonly review: Omit<Review, 'person'>
}

interface Version {
  readonly head_commit_sha: string
  readonly created_at: string
}

/** GitLab's system notes are in English whatever the language of its pages. */
const notePatterns = {
  approved: /^approved this merge request$/,
  withdrawn: /^unapproved this merge request$/,
  changes: /^requested changes\b/,
  reset: /^reset approvals from (.+) by pushing to the branch$/,
} as const

export async function readReviews(
  rest: Rest,
  request: MergeRequestAnswer,
  at: string,
  person: ToPerson,
  now: () => Date,
): Promise<Review[]> {
  const [approving, notes, versions, reviewers] = [
    await rest.get(`${at}/approvals`, approvals),
    await rest.all(withQuery(`${at}/notes`, { sort: 'asc', order_by: 'created_at', per_page: 100 }), note),
    await rest.all(withQuery(`${at}/versions`, { per_page: 100 }), version),
    // Since GitLab 15.3.
    (await rest.find(withQuery(`${at}/reviewers`, { per_page: 100 }), z.array(reviewer))) ?? [],
  ]
  const ordered = versions.toSorted((a, b) => (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0))
  const fromSystemNotes = fromNotes(notes, ordered, request.web_url)
  const current = new Map(approving.approved_by.map((each) => [each.user.username, each]))
  const entries = fromSystemNotes.map((entry) =>
    entry.review.state === 'approved' && !current.has(entry.user.username) ? dismissSilently(entry, ordered) : entry,
  )
  for (const { user, approved_at: time } of current.values()) {
    if (entries.some((entry) => entry.user.username === user.username && entry.review.state === 'approved')) continue
    const commit = time ? headAt(ordered, time) : undefined
    entries.push({
      user,
      review: { id: `approval-${user.username}`, state: 'approved', commit, at: time ?? now().toISOString() },
    })
  }
  // Requested changes stand until their author withdraws them, whatever the notes say.
  for (const { user, state } of reviewers)
    if (state === 'requested_changes')
      entries.push({
        user,
        review: {
          id: `changes-${user.username}`,
          state: 'changes-requested',
          commit: undefined,
          at: now().toISOString(),
        },
      })
  const reviews = await Promise.all(
    entries.map(async ({ user, review }) => ({ ...review, person: await person(user) })),
  )
  return reviews.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

/** Returns the head that the reviewer could see. A head of the same moment was not visible yet. */
const headAt = (versions: readonly Version[], time: string): string | undefined =>
  versions.findLast((each) => each.created_at < time)?.head_commit_sha

function fromNotes(notes: readonly Note[], versions: readonly Version[], url: string): Entry[] {
  let entries: Entry[] = []
  const add = ({ id, author, created_at: at }: Note, state: 'approved' | 'changes-requested' | 'commented'): void => {
    entries.push({ user: author, review: { id, state, commit: headAt(versions, at), at, url: `${url}#note_${id}` } })
  }
  const dismiss = (
    isMeant: (user: User) => boolean,
    dismissalOf: (entry: Entry) => NonNullable<Review['dismissal']>,
  ): void => {
    entries = entries.map((entry) =>
      entry.review.state === 'approved' && isMeant(entry.user) ? dismissEntry(entry, dismissalOf(entry)) : entry,
    )
  }
  for (const each of notes) {
    // Anybody can write these words in a comment.
    if (!each.system) add(each, 'commented')
    else if (notePatterns.approved.test(each.body)) add(each, 'approved')
    else if (notePatterns.changes.test(each.body)) add(each, 'changes-requested')
    else if (notePatterns.withdrawn.test(each.body)) {
      const { username } = each.author
      dismiss(
        (user) => user.username === username,
        ({ user }) => ({ kind: 'person', person: { login: user.username, isBot: false, isGhost: false } }),
      )
    } else {
      const names = new Set(
        [...(notePatterns.reset.exec(each.body)?.[1] ?? '').matchAll(/@([\w.-]*\w)/g)].map(([, name]) => name),
      )
      const commit = versions.findLast(({ created_at: time }) => time <= each.created_at)?.head_commit_sha
      dismiss(
        (user) => names.has(user.username),
        () => ({ kind: 'push', ...(commit === undefined ? {} : { commit }) }),
      )
    }
  }
  return entries
}

const dismissEntry = ({ user, review }: Entry, dismissal: NonNullable<Review['dismissal']>): Entry => ({
  user,
  review: { ...review, state: 'dismissed', dismissal },
})

/** The approval is gone without a note: a later push dismissed it if there was one, otherwise a person. */
function dismissSilently(entry: Entry, versions: readonly Version[]): Entry {
  const later = versions.find((each) => each.created_at >= entry.review.at)
  return dismissEntry(
    entry,
    later === undefined ? { kind: 'person', person: undefined } : { kind: 'push', commit: later.head_commit_sha },
  )
}

/** System notes are what GitLab says itself. */
export async function readRemarks(rest: Rest, at: string, person: ToPerson): Promise<Remark[]> {
  const notes = await rest.all(withQuery(`${at}/notes`, { sort: 'asc', order_by: 'created_at', per_page: 100 }), note)
  return Promise.all(
    notes
      .filter(({ system, body }) => !system && body.trim() !== '')
      .map(async ({ author, body, created_at: time, position }): Promise<Remark> => ({
        person: await person(author),
        at: time,
        text: body,
        ...(position?.new_path ? { path: position.new_path } : {}),
        ...(typeof position?.new_line === 'number' ? { line: position.new_line } : {}),
      })),
  )
}
