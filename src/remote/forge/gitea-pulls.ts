// Pull requests in Gitea and Forgejo. A title prefix marks a draft.

import type { Forge, PullRequest } from './forge.ts'
import { pull, type Pull } from './gitea-answers.ts'
import { personOf } from './gitea-person.ts'
import { headMoved } from './once.ts'
import { refusalError, segments, withQuery, type Rest } from './rest.ts'

const draftPrefix = /^\s*(?:\[wip\]|wip:|draft:)\s*/i
const isDraft = ({ draft, title }: Pull): boolean => draft ?? draftPrefix.test(title)
const bareTitle = (title: string): string => {
  let bare = title
  while (draftPrefix.test(bare)) bare = bare.replace(draftPrefix, '')
  return bare
}
const withDraftMark = (title: string, asDraft: boolean): string => `${asDraft ? 'WIP: ' : ''}${bareTitle(title)}`

/** After the branch is deleted, only the label has its name. */
const branchName = ({ head }: Pull): string => (head.ref.startsWith('refs/pull/') ? head.label : head.ref)

const toPullRequest = (given: Pull): PullRequest => ({
  number: given.number,
  url: given.html_url,
  state: given.merged ? 'merged' : given.state,
  isDraft: isDraft(given),
  head: given.head.sha,
  branch: branchName(given),
  base: given.base.ref,
  author: personOf(given.user),
  isFork: given.head.repo_id !== given.base.repo_id,
  title: isDraft(given) ? bareTitle(given.title) : given.title,
  body: given.body,
})

/** The number of closed pull requests to search: this API cannot filter by branch. */
const newestClosed = 500

export function pullRequests(
  rest: Rest,
  repository: string,
): Pick<Forge, 'pullRequest' | 'pullRequestOf' | 'propose' | 'ready' | 'merge'> {
  const all = `${repository}/pulls`
  const at = (number: number): string => `${all}${segments(number)}`
  const one = (number: number): Promise<Pull> => rest.get(at(number), pull)
  const newestOf = async (branch: string, state: 'open' | 'closed'): Promise<Pull | undefined> => {
    const isIt = (each: Pull): boolean => branchName(each) === branch && each.head.repo_id === each.base.repo_id
    const found = await rest.numbered(
      withQuery(all, { state }),
      pull,
      (seen) => seen.some(isIt) || (state === 'closed' && seen.length >= newestClosed),
    )
    return found.find(isIt)
  }
  return {
    pullRequest: async (number) => toPullRequest(await one(number)),
    pullRequestOf: async (branch) => {
      const found = (await newestOf(branch, 'open')) ?? (await newestOf(branch, 'closed'))
      return found === undefined ? undefined : toPullRequest(found)
    },
    propose: async ({ branch, base, title, body, isDraft: asDraft }) => {
      const open = await newestOf(branch, 'open')
      if (open === undefined)
        return {
          pullRequest: toPullRequest(
            await rest.change('POST', all, { head: branch, base, title: withDraftMark(title, asDraft), body }, pull),
          ),
          isNew: true,
        }
      // Keeps the draft mark as it is: somebody may have changed it.
      const fields = { title: withDraftMark(title, isDraft(open)), body, base }
      const isSame = open.title === fields.title && open.body === body && open.base.ref === base
      return {
        pullRequest: toPullRequest(isSame ? open : await rest.change('PATCH', at(open.number), fields, pull)),
        isNew: false,
      }
    },
    ready: async (number) => {
      const found = await one(number)
      if (isDraft(found)) await rest.change('PATCH', at(number), { title: bareTitle(found.title) }, pull)
    },
    merge: async (number, { method, head, title, message }) => {
      const wording = {
        ...(title === undefined ? {} : { MergeTitleField: title }),
        ...(message === undefined ? {} : { MergeMessageField: message }),
      }
      const answer = await rest.ask('POST', `${at(number)}/merge`, { Do: method, head_commit_id: head, ...wording })
      const now = await one(number)
      // A conflict with the base has the same status.
      if (answer.status === 409 && now.head.sha !== head) throw headMoved(number, head)
      if (answer.status < 200 || answer.status >= 300) throw refusalError(answer)
      return { commit: now.merge_commit_sha ?? undefined }
    },
  }
}
