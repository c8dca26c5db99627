// Every call of the client for GitHub, answered with the examples of GitHub's description.

import type { Cases } from './cases.ts'

const pulls = '/repos/{owner}/{repo}/pulls'
const comments = '/repos/{owner}/{repo}/issues/{issue_number}/comments'
const one = `GET ${pulls}/{pull_number}`
const octocat = { login: 'octocat', isBot: false, isGhost: false }
const head = '6dcb09b5b57875f334f61aebed695e2e4193db5e'
const proposal = { branch: 'topic', base: 'master', title: 'Upgrade', body: 'Why', isDraft: true }
const team = '/orgs/{org}/teams/{team_slug}'
type Json = Record<string, unknown>

export const githubCases: Cases = {
  self: [
    { name: 'a user', ask: (forge) => forge.self(), gives: octocat },
    {
      name: 'a user, of whom less is shown',
      ask: (forge) => forge.self(),
      gives: octocat,
      example: { 'GET /user': 'response-with-public-profile-information' },
    },
    { name: 'an app', ask: (forge) => forge.self(), gives: octocat, code: { 'GET /user': 403 } },
    {
      name: 'a token that does not count',
      ask: (forge) => forge.self(),
      gives: { code: 'forge', facts: { status: 401 } },
      code: { 'GET /user': 401 },
    },
  ],
  pullRequest: [
    {
      name: 'by its number',
      ask: (forge) => forge.pullRequest(1347),
      gives: {
        number: 1347,
        state: 'merged',
        head,
        branch: 'new-topic',
        base: 'master',
        author: octocat,
        isFork: false,
        isDraft: false,
      },
    },
    {
      name: 'one that is not there',
      ask: (forge) => forge.pullRequest(1),
      gives: { code: 'forge', facts: { status: 404 } },
      code: { [one]: 404 },
    },
    {
      name: 'by a bot, whose owner is asked for',
      ask: (forge) => forge.pullRequest(1347),
      gives: { author: { login: 'octoapp[bot]', isBot: true, owner: 'octocat' } },
      change: {
        [one]: (body: Json) => ({ ...body, user: { ...(body['user'] as Json), login: 'octoapp[bot]', type: 'Bot' } }),
      },
    },
  ],
  pullRequestOf: [
    {
      name: 'found by its branch',
      ask: (forge) => forge.pullRequestOf('new-topic'),
      gives: { number: 1347, branch: 'new-topic' },
    },
    { name: 'none', ask: (forge) => forge.pullRequestOf('plan/another'), gives: undefined },
  ],
  propose: [
    {
      name: 'a new one',
      ask: (forge) => forge.propose(proposal),
      gives: { isNew: true, pullRequest: { number: 1347 } },
    },
    {
      name: 'one that may be no draft',
      ask: (forge) => forge.propose(proposal),
      gives: { code: 'forge', facts: { status: 422 } },
      code: { [`POST ${pulls}`]: 422 },
    },
    {
      name: 'one that is there',
      ask: (forge) => forge.propose({ ...proposal, branch: 'new-topic' }),
      gives: { isNew: false, pullRequest: { number: 1347 } },
    },
  ],
  reviews: [
    {
      name: 'all of them',
      ask: (forge) => forge.reviews(12),
      gives: [{ id: '80', state: 'approved', person: octocat, commit: 'ecdd80bb57125d7ba9641ffaa4d7d2c19d3f3091' }],
    },
    { name: 'on two pages', ask: (forge) => forge.reviews(12), gives: { length: 2 }, isPaged: true },
    {
      name: 'one that was dismissed, with the timeline',
      ask: (forge) => forge.reviews(12),
      gives: [{ state: 'dismissed', dismissal: { kind: 'person' } }],
      change: {
        [`GET ${pulls}/{pull_number}/reviews`]: (body: readonly Json[]) =>
          body.map((each) => ({ ...each, state: 'DISMISSED' })),
      },
    },
  ],
  remarks: [{ name: 'all of them', ask: (forge) => forge.remarks(12), gives: { length: 3 } }],
  permissionOf: [
    { name: 'of a collaborator', ask: (forge) => forge.permissionOf('octocat'), gives: 'admin' },
    {
      name: 'of nobody',
      ask: (forge) => forge.permissionOf('nobody'),
      gives: 'none',
      code: { 'GET /repos/{owner}/{repo}/collaborators/{username}/permission': 404 },
    },
  ],
  isInTeam: [
    { name: 'a member', ask: (forge) => forge.isInTeam('justice-league', 'octocat'), gives: true },
    {
      name: 'nobody',
      ask: (forge) => forge.isInTeam('justice-league', 'nobody'),
      gives: false,
      code: { [`GET ${team}/memberships/{username}`]: 404 },
    },
    {
      name: 'no team',
      ask: (forge) => forge.isInTeam('none', 'octocat'),
      gives: { code: 'forge', facts: { status: 404 } },
      code: { [`GET ${team}/memberships/{username}`]: 404, [`GET ${team}`]: 404 },
    },
  ],
  lastPusher: [
    {
      name: 'of a branch that has moved since',
      ask: (forge) => forge.lastPusher('main'),
      gives: undefined,
    },
    {
      name: 'of a branch',
      ask: (forge) => forge.lastPusher('main'),
      gives: octocat,
      change: {
        'GET /repos/{owner}/{repo}/branches/{branch}': (body: Json) => ({
          ...body,
          commit: { sha: '827efc6d56897b048c772eb4087f854f46256132' },
        }),
      },
    },
    {
      name: 'of a branch with a slash that is not there',
      ask: (forge) => forge.lastPusher('plan/upgrade'),
      gives: undefined,
      code: { 'GET /repos/{owner}/{repo}/branches/{branch}': 404 },
    },
  ],
  comment: [
    {
      name: 'a new one',
      ask: (forge) => forge.comment(1347, '<!-- ours -->', 'Text'),
      gives: 'https://github.com/octocat/Hello-World/issues/1347#issuecomment-1',
    },
    {
      name: 'one that is there',
      ask: (forge) => forge.comment(1347, 'Me too', 'Me too, again'),
      gives: 'https://github.com/octocat/Hello-World/issues/1347#issuecomment-1',
    },
    {
      name: 'none any more',
      ask: (forge) => forge.comment(1, 'x', 'x'),
      gives: { code: 'forge', facts: { status: 410 } },
      code: { [`GET ${comments}`]: 410 },
    },
  ],
  status: [
    {
      name: 'of a commit',
      ask: (forge) =>
        forge.status(head, {
          state: 'success',
          context: 'git-plan/p',
          description: 'Done',
          url: 'https://example.com/1',
        }),
      gives: undefined,
    },
  ],
  ready: [
    { name: 'what is no draft', ask: (forge) => forge.ready(1347), gives: undefined },
    {
      name: 'a draft',
      ask: (forge) => forge.ready(1347),
      gives: undefined,
      change: { [one]: (body: Json) => ({ ...body, draft: true }) },
    },
  ],
  merge: [
    {
      name: 'merged',
      ask: (forge) => forge.merge(1347, { method: 'squash', head, title: 'Upgrade', message: 'All of it' }),
      gives: { commit: head },
    },
    {
      name: 'moved meanwhile',
      ask: (forge) => forge.merge(1347, { method: 'merge', head }),
      gives: { code: 'branch-moved' },
      code: { [`PUT ${pulls}/{pull_number}/merge`]: 409 },
    },
    {
      name: 'not allowed',
      ask: (forge) => forge.merge(1347, { method: 'rebase', head }),
      gives: { code: 'forge', facts: { status: 405 } },
      code: { [`PUT ${pulls}/{pull_number}/merge`]: 405 },
    },
  ],
}
