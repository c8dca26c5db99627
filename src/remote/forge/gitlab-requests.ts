// Merge requests in GitLab. A title prefix marks a draft.

import { PlanError } from '../../errors.ts'
import { parseJson, validate } from './checked.ts'
import { refusal } from './failures.ts'
import type { Forge, MergeRequest, Person, PullRequest } from './forge.ts'
import { mergeRequest, project as projectAnswer, type MergeRequestAnswer, type User } from './gitlab-answers.ts'
import { headMoved } from './once.ts'
import { refusalError, segments, withQuery, type Rest } from './rest.ts'

const draftPrefix = /^\s*(?:\[draft\]|\(draft\)|draft:)\s*/i
const states = { opened: 'open', closed: 'closed', merged: 'merged', locked: 'open' } as const
/** The merge method is a setting of the project; a request can only choose to squash. */
const methods: Readonly<Record<'merge' | 'rebase', readonly string[]>> = {
  merge: ['merge', 'rebase_merge'],
  rebase: ['ff'],
}

const isDraft = ({ draft, work_in_progress: old }: MergeRequestAnswer): boolean => draft ?? old ?? false
const bareTitle = (title: string): string => {
  let bare = title
  while (draftPrefix.test(bare)) bare = bare.replace(draftPrefix, '')
  return bare
}
const withDraftMark = (title: string, asDraft: boolean): string => `${asDraft ? 'Draft: ' : ''}${bareTitle(title)}`

interface Requests {
  /** Returns the path of a merge request in the API. */
  at(number: number): string
  one(number: number): Promise<MergeRequestAnswer>
  readonly operations: Pick<Forge, 'pullRequest' | 'pullRequestOf' | 'propose' | 'ready' | 'merge'>
}

export function mergeRequests(rest: Rest, project: string, person: (given: User) => Promise<Person>): Requests {
  const all = `${project}/merge_requests`
  const at = (number: number): string => `${all}${segments(number)}`
  const one = (number: number): Promise<MergeRequestAnswer> => rest.get(at(number), mergeRequest)
  const isFork = (given: MergeRequestAnswer): boolean => given.source_project_id !== given.target_project_id
  const toPullRequest = async (given: MergeRequestAnswer): Promise<PullRequest> => ({
    number: given.iid,
    url: given.web_url,
    state: states[given.state],
    isDraft: isDraft(given),
    head: given.sha,
    branch: given.source_branch,
    base: given.target_branch,
    author: await person(given.author),
    isFork: isFork(given),
    title: isDraft(given) ? bareTitle(given.title) : given.title,
    body: given.description,
  })
  const newestOf = async (branch: string, state: 'opened' | 'all'): Promise<MergeRequestAnswer | undefined> => {
    const query = withQuery(all, { source_branch: branch, state, order_by: 'created_at', sort: 'desc', per_page: 100 })
    const ours = (await rest.all(query, mergeRequest)).filter((each) => each.source_branch === branch && !isFork(each))
    return ours.find((each) => each.state === 'opened') ?? ours[0]
  }

  const merge = async (
    number: number,
    { method, head, title, message }: MergeRequest,
  ): Promise<{ commit: string | undefined }> => {
    const { merge_method: setting } = await rest.get(project, projectAnswer)
    if (method !== 'squash' && !methods[method].includes(setting))
      throw new PlanError('forge', `the project's merge method is "${setting}", which does not allow ${method}`, {
        hint: `use another merge method, or change it in the project's settings`,
        facts: { status: 405 },
      })
    const text = [title, message].filter((part) => part !== undefined && part !== '').join('\n\n')
    const wording =
      text === '' ? {} : { [method === 'squash' ? 'squash_commit_message' : 'merge_commit_message']: text }
    const answer = await rest.ask('PUT', `${at(number)}/merge`, { sha: head, squash: method === 'squash', ...wording })
    if (answer.status === 409) throw headMoved(number, head)
    if (answer.status !== 200) throw refusalError(answer)
    const done = validate(answer.question, parseJson(answer.question, answer.text), mergeRequest)
    if (done.state !== 'merged')
      throw refusal(answer.question, {
        status: 202,
        text: JSON.stringify({ message: `it is ${done.state}, not merged` }),
      })
    return { commit: done.merge_commit_sha ?? done.squash_commit_sha ?? done.sha }
  }

  return {
    at,
    one,
    operations: {
      pullRequest: async (number) => toPullRequest(await one(number)),
      pullRequestOf: async (branch) => {
        const found = (await newestOf(branch, 'opened')) ?? (await newestOf(branch, 'all'))
        return found === undefined ? undefined : toPullRequest(found)
      },
      propose: async ({ branch, base, title, body, isDraft: asDraft }) => {
        const open = await newestOf(branch, 'opened')
        if (open?.state !== 'opened') {
          const fields = {
            source_branch: branch,
            target_branch: base,
            title: withDraftMark(title, asDraft),
            description: body,
          }
          return { pullRequest: await toPullRequest(await rest.change('POST', all, fields, mergeRequest)), isNew: true }
        }
        // Keeps the draft mark as it is: somebody may have changed it.
        const fields = { title: withDraftMark(title, isDraft(open)), description: body, target_branch: base }
        const isSame = open.title === fields.title && open.description === body && open.target_branch === base
        return {
          pullRequest: await toPullRequest(
            isSame ? open : await rest.change('PUT', at(open.iid), fields, mergeRequest),
          ),
          isNew: false,
        }
      },
      ready: async (number) => {
        const found = await one(number)
        if (isDraft(found)) await rest.change('PUT', at(number), { title: bareTitle(found.title) }, mergeRequest)
      },
      merge,
    },
  }
}
