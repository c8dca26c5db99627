// Pull requests on GitHub: finds, opens, updates and merges them.

import * as z from 'zod/mini'
import type { Forge, MergeRequest, Person, ForgeRepository, Proposal, PullRequest } from './forge.ts'
import { merged, pull, markedReady, type Pull, type User } from './github-answers.ts'
import { repositoryRoute, hasStatus, type GitHubApi } from './github-api.ts'
import { headMoved } from './once.ts'

type ToPerson = (given: User) => Promise<Person>

export function pullRequests(
  api: GitHubApi,
  forgeRepo: ForgeRepository,
  person: ToPerson,
): Pick<Forge, 'pullRequest' | 'pullRequestOf' | 'propose' | 'ready' | 'merge'> {
  const toPullRequest = async (given: Pull): Promise<PullRequest> => ({
    number: given.number,
    url: given.html_url,
    state: given.merged_at === null ? given.state : 'merged',
    isDraft: given.draft === true,
    head: given.head.sha,
    branch: given.head.ref,
    base: given.base.ref,
    author: await person(given.user),
    // A repository that no longer exists was a fork.
    isFork: given.head.repo === null || given.head.repo.id !== given.base.repo?.id,
    title: given.title,
    body: given.body,
  })
  const one = (number: number): Promise<Pull> => api.ask(`GET ${repositoryRoute}/pulls/{number}`, { number }, pull)
  const newestOf = async (branch: string, state: 'open' | 'all'): Promise<Pull | undefined> => {
    const query = { state, head: `${forgeRepo.owner}:${branch}`, sort: 'created', direction: 'desc', per_page: 100 }
    // Without a match for `head` GitHub may return all pull requests.
    const ours = (await api.ask(`GET ${repositoryRoute}/pulls`, query, z.array(pull))).filter(
      ({ head, base }) => head.ref === branch && head.repo !== null && head.repo.id === base.repo?.id,
    )
    return ours.find((each) => each.state === 'open') ?? ours[0]
  }

  const create = async ({ branch, base, title, body, isDraft }: Proposal): Promise<Pull> => {
    const fields = { head: branch, base, title, body }
    const made = await api.askUnless(
      ({ status, text }) => isDraft && status === 422 && /draft/i.test(text),
      `POST ${repositoryRoute}/pulls`,
      { ...fields, draft: isDraft },
      pull,
    )
    // Not every GitHub subscription has drafts.
    return made ?? api.ask(`POST ${repositoryRoute}/pulls`, fields, pull)
  }

  return {
    pullRequest: async (number) => toPullRequest(await one(number)),
    pullRequestOf: async (branch) => {
      const found = (await newestOf(branch, 'open')) ?? (await newestOf(branch, 'all'))
      return found === undefined ? undefined : toPullRequest(found)
    },
    propose: async (proposal) => {
      const { base, title, body } = proposal
      const open = await newestOf(proposal.branch, 'open')
      if (open === undefined) return { pullRequest: await toPullRequest(await create(proposal)), isNew: true }
      const isSame = open.title === title && open.body === body && open.base.ref === base
      const now = isSame
        ? open
        : await api.ask(`PATCH ${repositoryRoute}/pulls/{number}`, { number: open.number, title, body, base }, pull)
      return { pullRequest: await toPullRequest(now), isNew: false }
    },
    ready: async (number) => {
      const { node_id: id, draft } = await one(number)
      if (draft !== true) return
      const mutation =
        'mutation($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } } }'
      await api.graphql(mutation, { id }, markedReady)
    },
    merge: async (number, { method, head, title, message }: MergeRequest) => {
      const fields = {
        number,
        sha: head,
        merge_method: method,
        ...(title === undefined ? {} : { commit_title: title }),
        ...(message === undefined ? {} : { commit_message: message }),
      }
      const done = await api.askUnless(hasStatus(409), `PUT ${repositoryRoute}/pulls/{number}/merge`, fields, merged)
      if (done === undefined) throw headMoved(number, head)
      return { commit: done.sha ?? undefined }
    },
  }
}
