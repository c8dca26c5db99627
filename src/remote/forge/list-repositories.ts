// The repositories of an owner on a forge: an organisation or a user of GitHub or Gitea, a group of GitLab with the groups
// in it. Archived ones are left out.

import * as z from 'zod/mini'
import type { ForgeOptions, ForgeRepository } from './forge.ts'
import { makeRest, segments, withQuery } from './rest.ts'

export interface ListedRepository {
  /** For HTTPS and for SSH. */
  readonly https: string
  readonly ssh: string
}

const likeGitHub = z.object({
  clone_url: z.string(),
  ssh_url: z.string(),
  archived: z.boolean(),
  topics: z.optional(z.nullable(z.array(z.string()))),
})
const likeGitLab = z.object({ http_url_to_repo: z.string(), ssh_url_to_repo: z.string() })

/** `at`: of which only the owner is used. `topic`: only those that have it. Sorted by address. */
export async function listRepositories(
  at: ForgeRepository,
  { topic, ...options }: ForgeOptions & { readonly topic?: string | undefined },
): Promise<ListedRepository[]> {
  const rest = makeRest(at, options)
  const { owner, kind } = at
  if (kind === 'gitlab') {
    const path = withQuery(`/groups${segments(owner)}/projects`, {
      include_subgroups: true,
      archived: false,
      topic,
      per_page: 100,
    })
    const projects = await rest.all(path, likeGitLab)
    return sorted(projects.map((project) => ({ https: project.http_url_to_repo, ssh: project.ssh_url_to_repo })))
  }
  const isOrganisation = (await rest.find(`/orgs${segments(owner)}`, z.object({}))) !== undefined
  const path = `${isOrganisation ? '/orgs' : '/users'}${segments(owner, 'repos')}`
  const found =
    kind === 'gitea'
      ? await rest.numbered(path, likeGitHub)
      : await rest.all(withQuery(path, { per_page: 100 }), likeGitHub)
  return sorted(
    found
      .filter(({ archived, topics }) => !archived && (topic === undefined || (topics ?? []).includes(topic)))
      .map((each) => ({ https: each.clone_url, ssh: each.ssh_url })),
  )
}

const sorted = (found: readonly ListedRepository[]): ListedRepository[] =>
  found.toSorted((one, other) => (one.https < other.https ? -1 : 1))
