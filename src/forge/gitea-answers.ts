// What is read of the answers of Gitea and Forgejo, as their Swagger descriptions have them.

import * as z from 'zod'
import { commitId, id, login, text, time, webUrl } from './checked.ts'

export const user = z.object({ id: z.number().int(), login }).nullable()
export type User = z.infer<typeof user>

const branchOf = z.object({ label: z.string(), ref: z.string(), sha: commitId, repo_id: id })

export const pull = z.object({
  number: z.number().int().positive(),
  html_url: webUrl,
  state: z.enum(['open', 'closed']),
  merged: z.boolean(),
  draft: z.boolean().optional(),
  title: z.string(),
  body: text,
  user,
  head: branchOf,
  base: branchOf,
  merge_commit_sha: commitId.nullish(),
})
export type Pull = z.infer<typeof pull>

export const review = z.object({
  id,
  user,
  state: z.enum(['APPROVED', 'PENDING', 'COMMENT', 'REQUEST_CHANGES', 'REQUEST_REVIEW']),
  // Empty where there is none.
  commit_id: z.union([commitId, z.literal('')]),
  stale: z.boolean(),
  dismissed: z.boolean(),
  submitted_at: time,
  html_url: text,
})

/** The type is a number in old versions. */
export const timelineEvent = z.object({ type: z.union([z.string(), z.number()]), body: text, user: user.optional(), review_id: id.optional() })
export const permission = z.object({ permission: z.enum(['none', 'read', 'write', 'admin', 'owner']) })
export const teams = z.object({ data: z.array(z.object({ id, name: z.string() })).nullable() })
export const branch = z.object({ commit: z.object({ id: commitId }) })
export const activity = z.object({ op_type: z.string(), ref_name: text, content: text, act_user: user })
export const comment = z.object({ id, user, body: text, html_url: webUrl })
export const anything = z.unknown()
