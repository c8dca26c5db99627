// What is read of GitLab's answers, as its REST API documents them.

import * as z from 'zod'
import { commitId, id, login, text, time, webUrl } from './checked.ts'

export const user = z.object({
  id,
  username: login,
  name: z.string().optional(),
  bot: z.boolean().nullish(),
  created_by: z.object({ username: login }).nullish(),
})
export type User = z.infer<typeof user>

export const mergeRequest = z
  .object({
    iid: z.number().int().positive(),
    web_url: webUrl,
    state: z.enum(['opened', 'closed', 'merged', 'locked']),
    draft: z.boolean().optional(),
    work_in_progress: z.boolean().optional(),
    sha: commitId,
    source_branch: z.string(),
    target_branch: z.string(),
    source_project_id: id.nullable(),
    target_project_id: id,
    author: user,
    title: z.string(),
    description: text,
    merge_commit_sha: commitId.nullish(),
    squash_commit_sha: commitId.nullish(),
  })
  .refine((each) => each.draft !== undefined || each.work_in_progress !== undefined, { path: ['draft'], error: 'neither true nor false' })
export type MergeRequestAnswer = z.infer<typeof mergeRequest>

export const approvals = z.object({ approved_by: z.array(z.object({ user, approved_at: time.nullish() })) })
export const version = z.object({ head_commit_sha: commitId, created_at: time })
export const note = z.object({ id, body: text, system: z.boolean(), author: user, created_at: time })
export type Note = z.infer<typeof note>
export const reviewer = z.object({ user, state: z.string() })
export const member = z.object({ access_level: z.number().int(), state: z.string().optional(), expires_at: z.string().nullish() })
export const group = z.object({ id })
export const project = z.object({ merge_method: z.enum(['merge', 'rebase_merge', 'ff']) })
export const branch = z.object({ commit: z.object({ id: commitId }) })
/** A push of many branches at once has no `ref`. */
export const pushEvent = z.object({
  author: user.nullish(),
  push_data: z.object({ ref: z.string().nullish(), ref_type: z.string().nullish(), commit_to: z.string().nullish() }).nullish(),
})
