// The fields that are read from GitLab's answers, as documented in its REST API.

import * as z from 'zod/mini'
import { commitId, id, login, text, time, webUrl } from './checked.ts'

export const user = z.object({
  id,
  username: login,
  name: z.optional(z.string()),
  bot: z.nullish(z.boolean()),
  created_by: z.nullish(z.object({ username: login })),
})
export type User = z.infer<typeof user>

export const mergeRequest = z
  .object({
    iid: z.int().check(z.positive()),
    web_url: webUrl,
    state: z.enum(['opened', 'closed', 'merged', 'locked']),
    draft: z.optional(z.boolean()),
    work_in_progress: z.optional(z.boolean()),
    sha: commitId,
    source_branch: z.string(),
    target_branch: z.string(),
    source_project_id: z.nullable(id),
    target_project_id: id,
    author: user,
    title: z.string(),
    description: text,
    merge_commit_sha: z.nullish(commitId),
    squash_commit_sha: z.nullish(commitId),
  })
  .check(
    z.refine((each) => each.draft !== undefined || each.work_in_progress !== undefined, {
      path: ['draft'],
      error: 'not true or false',
    }),
  )
export type MergeRequestAnswer = z.infer<typeof mergeRequest>

export const approvals = z.object({ approved_by: z.array(z.object({ user, approved_at: z.nullish(time) })) })
export const version = z.object({ head_commit_sha: commitId, created_at: time })
export const note = z.object({
  id,
  body: text,
  system: z.boolean(),
  author: user,
  created_at: time,
  /** Of a comment at a line. */
  position: z.nullish(z.object({ new_path: z.nullish(z.string()), new_line: z.nullish(z.int()) })),
})
export type Note = z.infer<typeof note>
export const reviewer = z.object({ user, state: z.string() })
export const member = z.object({
  access_level: z.int(),
  state: z.optional(z.string()),
  expires_at: z.nullish(z.string()),
})
export const group = z.object({ id })
export const project = z.object({ merge_method: z.enum(['merge', 'rebase_merge', 'ff']) })
export const branch = z.object({ commit: z.object({ id: commitId }) })
/** A push of many branches at once has no `ref`. */
export const pushEvent = z.object({
  author: z.nullish(user),
  push_data: z.nullish(
    z.object({ ref: z.nullish(z.string()), ref_type: z.nullish(z.string()), commit_to: z.nullish(z.string()) }),
  ),
})
