// Every call of the client for Gitea and Forgejo. Their description has no examples: Prism makes answers of its types,
// and what those do not say is filled in here.

import type { Cases } from './cases.ts'

const repo = '/repos/{owner}/{repo}'
const pull = `GET ${repo}/pulls/{index}`
const reviews = `GET ${repo}/pulls/{index}/reviews`
const head = 'a'.repeat(40)
const self = { login: 'string', isBot: false, isGhost: false }
const proposal = { branch: 'plan/upgrade', base: 'main', title: 'Upgrade', body: 'Why', isDraft: true }
type Json = Record<string, unknown>

const known: Readonly<Record<string, unknown>> = {
  sha: head,
  commit_id: head,
  merge_commit_sha: head,
  html_url: 'https://git.example.com/1',
  permission: 'write',
}

/** The types know no commits, addresses and numbers that begin with one. */
export function filled(body: unknown, key = ''): unknown {
  if (Array.isArray(body)) return body.map((each) => filled(each, key))
  if (typeof body === 'object' && body !== null)
    return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, filled(value, name)]))
  if (typeof body === 'number') return 1
  return typeof body === 'string' && Object.hasOwn(known, key) ? known[key] : body
}

const asState = (body: Json, state: string): Json => ({ ...body, state })
const onBranch = (body: readonly Json[]): Json[] => body.map((each) => asPull(each))
const asPull = (body: Json, more: Json = {}): Json => ({
  ...asState(body, 'open'),
  head: { ...(body['head'] as Json), ref: 'plan/upgrade' },
  ...more,
})
const onePull = { [pull]: (body: Json) => asPull(body) }
const asReviews =
  (more: Json) =>
  (body: readonly Json[]): Json[] =>
    body.map((each) => ({ ...asState(each, 'APPROVED'), dismissed: false, ...more }))
const asBranch = (body: Json): Json => ({ ...body, commit: { ...(body['commit'] as Json), id: head } })

export const giteaCases: Cases = {
  self: [{ name: 'a user', ask: (forge) => forge.self(), gives: self }],
  pullRequest: [
    {
      name: 'by its number',
      ask: (forge) => forge.pullRequest(1),
      gives: { number: 1, head, branch: 'plan/upgrade', isFork: false },
      change: onePull,
    },
    {
      name: 'one that is not there',
      ask: (forge) => forge.pullRequest(2),
      gives: { code: 'forge', facts: { status: 404 } },
      code: { [pull]: 404 },
    },
  ],
  pullRequestOf: [
    {
      name: 'found by its branch',
      ask: (forge) => forge.pullRequestOf('plan/upgrade'),
      gives: { number: 1, branch: 'plan/upgrade' },
      change: { [`GET ${repo}/pulls`]: onBranch },
    },
    {
      name: 'none',
      ask: (forge) => forge.pullRequestOf('plan/another'),
      gives: undefined,
      change: { [`GET ${repo}/pulls`]: () => [] },
    },
  ],
  propose: [
    {
      name: 'a new one',
      ask: (forge) => forge.propose(proposal),
      gives: { isNew: true, pullRequest: { number: 1 } },
      change: { [`GET ${repo}/pulls`]: () => [], [`POST ${repo}/pulls`]: (body: Json) => asPull(body) },
    },
    {
      name: 'one that is there',
      ask: (forge) => forge.propose(proposal),
      gives: { isNew: false, pullRequest: { number: 1 } },
      change: { [`GET ${repo}/pulls`]: onBranch, [`PATCH ${repo}/pulls/{index}`]: (body: Json) => asPull(body) },
    },
  ],
  reviews: [
    {
      name: 'all of them',
      ask: (forge) => forge.reviews(1),
      gives: [{ state: 'approved', commit: head, person: self }],
      change: { [reviews]: once(asReviews({})) },
    },
    {
      name: 'one that was dismissed, with the timeline',
      ask: (forge) => forge.reviews(1),
      gives: [{ state: 'dismissed', dismissal: { kind: 'push' } }],
      change: {
        [reviews]: once(asReviews({ dismissed: true, stale: true })),
        [`GET ${repo}/issues/{index}/timeline`]: once((body: readonly Json[]) =>
          body.map((each) => ({
            ...each,
            type: 'dismiss_review',
            body: 'New commits pushed, approval review dismissed automatically according to repository settings',
          })),
        ),
      },
    },
  ],
  remarks: [
    {
      name: 'all of them',
      ask: (forge) => forge.remarks(1),
      gives: [{ person: self }],
      change: { [reviews]: () => [] },
    },
  ],
  permissionOf: [
    { name: 'of a collaborator', ask: (forge) => forge.permissionOf('bob'), gives: 'write' },
    {
      name: 'of nobody',
      ask: (forge) => forge.permissionOf('nobody'),
      gives: 'none',
      code: { [`GET ${repo}/collaborators/{collaborator}/permission`]: 404 },
    },
  ],
  isInTeam: [
    { name: 'a member', ask: (forge) => forge.isInTeam('string', 'bob'), gives: true },
    {
      name: 'nobody',
      ask: (forge) => forge.isInTeam('string', 'nobody'),
      gives: false,
      code: { 'GET /teams/{id}/members/{username}': 404 },
    },
  ],
  lastPusher: [
    {
      name: 'of a branch with a slash',
      ask: (forge) => forge.lastPusher('plan/upgrade'),
      gives: self,
      change: {
        [`GET ${repo}/branches/{branch}`]: asBranch,
        [`GET ${repo}/activities/feeds`]: (body: readonly Json[]) =>
          body.map((each) => ({
            ...each,
            op_type: 'commit_repo',
            ref_name: 'refs/heads/plan/upgrade',
            content: JSON.stringify({ HeadCommit: { Sha1: head } }),
          })),
      },
    },
  ],
  comment: [
    {
      name: 'a new one',
      ask: (forge) => forge.comment(1, '<!-- ours -->', 'Text'),
      gives: 'https://git.example.com/1',
    },
    {
      name: 'one that is there',
      ask: (forge) => forge.comment(1, 'string', 'another string'),
      gives: 'https://git.example.com/1',
    },
  ],
  status: [
    {
      name: 'of a commit',
      ask: (forge) => forge.status(head, { state: 'failure', context: 'git-plan/p', description: 'No' }),
      gives: undefined,
    },
  ],
  ready: [
    {
      name: 'a draft',
      ask: (forge) => forge.ready(1),
      gives: undefined,
      change: {
        [pull]: (body: Json) => asPull(body, { title: 'WIP: Upgrade' }),
        [`PATCH ${repo}/pulls/{index}`]: (body: Json) => asPull(body),
      },
    },
  ],
  merge: [
    {
      name: 'merged',
      ask: (forge) => forge.merge(1, { method: 'squash', head, title: 'Upgrade', message: 'All of it' }),
      gives: { commit: head },
      change: onePull,
    },
    {
      name: 'not allowed',
      ask: (forge) => forge.merge(1, { method: 'rebase', head }),
      gives: { code: 'forge', facts: { status: 405 } },
      change: onePull,
      code: { [`POST ${repo}/pulls/{index}/merge`]: 405 },
    },
  ],
}

/** The first page; after it, nothing more. */
function once(first: (body: readonly Json[]) => unknown): (body: readonly Json[]) => unknown {
  let asked = 0
  return (body) => ((asked += 1) === 1 ? first(body) : [])
}
