// The fields that are read from answers of Gitea and Forgejo, as in their Swagger descriptions.

import * as z from 'zod/mini'
import { commitId, id, login, text, time, webUrl } from './checked.ts'

export const user = z.nullable(z.object({ id: z.int(), login }))
export type User = z.infer<typeof user>

const branchOf = z.object({ label: z.string(), ref: z.string(), sha: commitId, repo_id: id })

export const pull = z.object({
  number: z.int().check(z.positive()),
  html_url: webUrl,
  state: z.enum(['open', 'closed']),
  merged: z.boolean(),
  draft: z.optional(z.boolean()),
  title: z.string(),
  body: text,
  user,
  head: branchOf,
  base: branchOf,
  merge_commit_sha: z.nullish(commitId),
})
export type Pull = z.infer<typeof pull>

export const review = z.object({
  id,
  user,
  state: z.enum(['APPROVED', 'PENDING', 'COMMENT', 'REQUEST_CHANGES', 'REQUEST_REVIEW']),
  // Empty if there is none.
  commit_id: z.union([commitId, z.literal('')]),
  stale: z.boolean(),
  dismissed: z.boolean(),
  submitted_at: time,
  html_url: text,
})

/** In old versions the type is a number. */
export const timelineEvent = z.object({
  type: z.union([z.string(), z.number()]),
  body: text,
  user: z.optional(user),
  review_id: z.optional(id),
})
export const permission = z.object({ permission: z.enum(['none', 'read', 'write', 'admin', 'owner']) })
export const teams = z.object({ data: z.nullable(z.array(z.object({ id, name: z.string() }))) })
export const branch = z.object({ commit: z.object({ id: commitId }) })
export const activity = z.object({ op_type: z.string(), ref_name: text, content: text, act_user: user })
export const comment = z.object({ id, user, body: text, html_url: webUrl })
/** What a review says as a whole, and how many comments at lines it has. */
export const reviewRemark = z.object({ id, user, body: text, submitted_at: time, comments_count: z.int() })
/** A comment below the pull request, or at a line of a review. */
export const remark = z.object({
  user,
  body: text,
  created_at: time,
  path: z.optional(text),
  position: z.optional(z.int()),
})
export const anything = z.unknown()
