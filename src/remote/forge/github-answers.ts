// The fields that are read from GitHub's answers, as in its OpenAPI description.

import * as z from 'zod/mini'
import { commitId, id, login, text, time, webUrl } from './checked.ts'

/** null is a deleted user. */
export const user = z.nullable(z.object({ login, type: z.string(), id }))
export type User = z.infer<typeof user>

const repository = z.nullable(z.object({ full_name: z.string(), id }))

export const pull = z.object({
  number: z.int().check(z.positive()),
  node_id: z.string().check(z.minLength(1)),
  html_url: webUrl,
  state: z.enum(['open', 'closed']),
  draft: z.optional(z.boolean()),
  merged_at: z.nullable(z.string()),
  title: z.string(),
  body: text,
  user,
  head: z.object({ sha: commitId, ref: z.string(), repo: repository }),
  base: z.object({ ref: z.string(), repo: repository }),
})
export type Pull = z.infer<typeof pull>

export const review = z
  .object({
    id,
    user,
    state: z.enum(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED', 'PENDING']),
    commit_id: z.nullish(commitId),
    submitted_at: z.nullish(time),
    html_url: z.optional(webUrl),
  })
  .check(
    z.refine((each) => each.state === 'PENDING' || each.submitted_at, { path: ['submitted_at'], error: 'not a time' }),
  )

/** Only dismissals are read from the timeline; other events pass unread. */
export const timelineEvent = z.union([
  z.object({
    event: z.literal('review_dismissed'),
    actor: z.optional(user),
    dismissed_review: z.object({ review_id: id, dismissal_commit_id: z.nullish(commitId) }),
  }),
  z.pipe(
    z.object({ event: z.optional(z.string().check(z.refine((event) => event !== 'review_dismissed'))) }),
    z.transform(() => undefined),
  ),
])

export const permission = z.object({ permission: z.enum(['none', 'read', 'triage', 'write', 'maintain', 'admin']) })
export const membership = z.object({ state: z.enum(['active', 'pending']) })
export const team = z.object({ slug: z.string() })
export const app = z.object({ owner: z.nullish(z.object({ login: z.optional(login) })) })
export const branch = z.object({ commit: z.object({ sha: commitId }) })
/** GitHub's own example names the actor differently. An answer without either is an error. */
export const activity = z.pipe(
  z
    .object({ actor: z.optional(user), pusher: z.optional(user), ref: z.string(), after: z.string() })
    .check(
      z.refine((each) => each.actor !== undefined || each.pusher !== undefined, { path: ['actor'], error: 'nobody' }),
    ),
  z.transform(({ actor, pusher, ref, after }) => ({ actor: actor ?? pusher ?? null, ref, after })),
)
export const comment = z.object({ id, user, body: text, html_url: webUrl })
/** A comment below the pull request, a review, or a comment at a line. */
export const remark = z.object({
  user,
  body: z.nullish(z.string()),
  created_at: z.optional(time),
  submitted_at: z.nullish(time),
  path: z.optional(z.string()),
  line: z.nullish(z.int()),
})
export const merged = z.object({ sha: z.nullish(commitId), merged: z.literal(true) })
export const viewer = z.object({ data: z.object({ viewer: z.object({ login }) }) })
export const markedReady = z.object({
  data: z.object({ markPullRequestReadyForReview: z.object({ pullRequest: z.object({ isDraft: z.literal(false) }) }) }),
})
export const anything = z.unknown()
