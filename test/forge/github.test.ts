// The client for GitHub against a server that answers as GitHub does.

import { createRequire } from 'node:module'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openForge, type Forge, type ForgeRepository } from '../../src/remote/forge/forge.ts'
import { pull as pullSchema, user as userSchema } from '../../src/remote/forge/github-answers.ts'
import { GitHubServer, someone, token } from './servers/github-server.ts'
import { oid } from './servers/loopback.ts'

let server: GitHubServer
let forge: Forge

const placeOn = (given: GitHubServer, name = 'widgets'): ForgeRepository => ({
  kind: 'github',
  host: given.http.host,
  owner: 'acme',
  name,
  api: given.http.api,
})

beforeEach(async () => {
  server = await GitHubServer.start()
  forge = await openForge(placeOn(server), { token, clock: () => new Date('2026-06-01T00:00:00Z') })
})
afterEach(() => server.http.close())

const problem = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => expect.fail('it was answered'),
    (error: unknown) => error,
  )

describe('who', () => {
  test('the token belongs to a user, who is asked for once', async () => {
    expect(forge).toMatchObject({ kind: 'github', repository: 'acme/widgets', host: server.http.host })
    expect(await forge.self()).toEqual({ login: 'planner', isBot: false, isGhost: false })
    await forge.self()
    expect(server.http.count('GET', /^\/user$/)).toBe(1)
  })

  test('or to an app, which may not ask for a user', async () => {
    server.state.self = 'app'
    server.state.apps['planner-app'] = 'acme'
    expect(await forge.self()).toEqual({ login: 'planner-app[bot]', isBot: true, isGhost: false, owner: 'acme' })
  })

  test.each([
    ['read', 'read', 'read'],
    ['read', 'triage', 'read'],
    ['write', 'write', 'write'],
    ['write', 'maintain', 'write'],
    ['admin', 'admin', 'admin'],
    ['none', 'none', 'none'],
  ])('permission %s with the role %s is %s', async (permission, role, expected) => {
    server.state.permissions['bob'] = { permission, role_name: role }
    expect(await forge.permissionOf('bob')).toBe(expected)
  })

  test('who is no collaborator has no permission, whatever the name does to an address', async () => {
    for (const login of ['stranger', 'renovate[bot]', '../../../user', 'a/b?c#d'])
      expect(await forge.permissionOf(login)).toBe('none')
    expect(
      server.http.asked
        .map(({ path }) => path)
        .filter((path) => !/^\/repos\/acme\/widgets\/collaborators\/[^/]+\/permission$/.test(path)),
    ).toEqual([])
  })

  test('a permission that nobody has heard of is an error', async () => {
    server.state.permissions['bob'] = { permission: 'god', role_name: 'god' }
    expect(await problem(forge.permissionOf('bob'))).toMatchObject({
      code: 'forge',
      exitCode: 3,
      message: expect.stringContaining('permission') as string,
    })
  })

  test('a member of a team is active, and a team that cannot be seen is an error', async () => {
    server.state.teams = { 'acme/platform': { bob: 'active', carol: 'pending' }, 'other/platform': { dave: 'active' } }
    expect(await forge.isInTeam('platform', 'bob')).toBe(true)
    expect(await forge.isInTeam('platform', 'carol')).toBe(false)
    expect(await forge.isInTeam('platform', 'dave')).toBe(false)
    expect(await forge.isInTeam('@other/platform', 'dave')).toBe(true)
    expect(await problem(forge.isInTeam('secret', 'bob'))).toMatchObject({
      code: 'forge',
      message: expect.stringContaining('acme/secret') as string,
    })
  })

  test('the last pusher is who pushed the commit that is there', async () => {
    server.state.branches['plan/upgrade'] = oid('a')
    const push = (actor: string | null, after: string, ref = 'refs/heads/plan/upgrade') => ({
      activity_type: 'push' as const,
      actor: actor === null ? null : someone(actor),
      ref,
      before: oid('0'),
      after,
    })
    expect(await forge.lastPusher('plan/upgrade')).toBeUndefined()
    server.state.activity = [
      push('mallory', oid('c'), 'refs/heads/other'),
      push('eve', oid('a')),
      push('author', oid('b')),
    ]
    expect(await forge.lastPusher('plan/upgrade')).toMatchObject({ login: 'eve' })
    server.state.activity = [push('author', oid('b'))]
    expect(await forge.lastPusher('plan/upgrade')).toBeUndefined()
    server.state.activity = [push(null, oid('a'))]
    expect(await forge.lastPusher('plan/upgrade')).toMatchObject({ isGhost: true })
    expect(await forge.lastPusher('gone')).toBeUndefined()
  })

  test('who pushed last under the name that the published example has; an activity of nobody is no answer', async () => {
    server.state.branches['plan/upgrade'] = oid('a')
    const push = { ref: 'refs/heads/plan/upgrade', before: oid('0'), after: oid('a'), push_type: 'normal' }
    server.http.fault(
      { json: [{ ...push, pusher: someone('eve') }] },
      { when: ({ path }) => path.endsWith('/activity') },
    )
    expect(await forge.lastPusher('plan/upgrade')).toMatchObject({ login: 'eve' })
    server.http.fault({ json: [push] }, { when: ({ path }) => path.endsWith('/activity') })
    expect(await problem(forge.lastPusher('plan/upgrade'))).toMatchObject({
      code: 'forge',
      message: expect.stringContaining('actor: nobody') as string,
    })
  })
})

describe('pull requests', () => {
  test('the open one of a branch, else the newest; one from a fork with this name is another', async () => {
    expect(await forge.pullRequestOf('plan/upgrade')).toBeUndefined()
    server.pull(1, { state: 'closed' })
    server.pull(2, { state: 'closed', merged_at: '2026-01-01T00:00:00Z' })
    expect(await forge.pullRequestOf('plan/upgrade')).toMatchObject({ number: 2, state: 'merged' })
    const fork = server.pull(3)
    fork.head.repo = { id: 99, full_name: 'acme/fork' }
    const gone = server.pull(4)
    gone.head.repo = null
    expect(await forge.pullRequestOf('plan/upgrade')).toMatchObject({ number: 2 })
    expect(await forge.pullRequest(3)).toMatchObject({ isFork: true })
    expect(await forge.pullRequest(4)).toMatchObject({ isFork: true })
    server.pull(5)
    server.pull(6, { state: 'closed' })
    expect(await forge.pullRequestOf('plan/upgrade')).toEqual({
      number: 5,
      url: 'https://github.com/acme/widgets/pull/5',
      state: 'open',
      isDraft: true,
      head: oid('a'),
      branch: 'plan/upgrade',
      base: 'main',
      author: { login: 'author', isBot: false, isGhost: false },
      isFork: false,
      title: 'Upgrade',
      body: 'Why',
    })
  })

  test('what a filter lets through that GitHub ignored is not taken', async () => {
    server.http.fault(() => ({ json: server.state.pulls }), { times: 2, when: ({ path }) => path.endsWith('/pulls') })
    server.pull(1, { branch: 'other' })
    expect(await forge.pullRequestOf('plan/upgrade')).toBeUndefined()
  })

  test('one that is not there is an error', async () => {
    expect(await problem(forge.pullRequest(1))).toMatchObject({
      code: 'forge',
      facts: { status: 404, host: server.http.host },
    })
  })

  const proposal = { branch: 'plan/x', base: 'main', title: 'X', body: 'Text', isDraft: true }

  test('a proposal opens a draft, then brings it up to date, and writes nothing where nothing changed', async () => {
    const first = await forge.propose(proposal)
    expect(first).toMatchObject({
      isNew: true,
      pullRequest: { isDraft: true, title: 'X', branch: 'plan/x', base: 'main' },
    })
    expect(await forge.propose(proposal)).toMatchObject({
      isNew: false,
      pullRequest: { number: first.pullRequest.number },
    })
    expect(server.http.count('PATCH', /./)).toBe(0)
    expect(await forge.propose({ ...proposal, title: 'Y', base: 'next' })).toMatchObject({
      isNew: false,
      pullRequest: { title: 'Y', base: 'next' },
    })
    expect(server.http.count('PATCH', /./)).toBe(1)
    expect(server.state.pulls).toHaveLength(1)
  })

  test('where there are no drafts it is opened without; any other refusal stands', async () => {
    server.state.hasDrafts = false
    expect(await forge.propose(proposal)).toMatchObject({ isNew: true, pullRequest: { isDraft: false } })
    server.http.fault(
      {
        status: 422,
        json: { message: 'Validation Failed', errors: [{ message: 'No commits between main and plan/z' }] },
      },
      { when: ({ method }) => method === 'POST' },
    )
    expect(await problem(forge.propose({ ...proposal, branch: 'plan/z' }))).toMatchObject({
      code: 'forge',
      message: expect.stringContaining('No commits between') as string,
    })
    expect(server.http.count('POST', /pulls$/)).toBe(3)
  })

  test('ready is said through GraphQL, beside the third version of the API, and only of a draft', async () => {
    server.pull(7)
    await forge.ready(7)
    expect(server.state.pulls[0]?.draft).toBe(false)
    await forge.ready(7)
    expect(server.http.asked.filter(({ method }) => method === 'POST').map(({ path }) => path)).toEqual([
      '/api/graphql',
    ])
  })

  test('an error of GraphQL comes with status 200, and is one', async () => {
    server.pull(7)
    server.http.fault(
      { json: { data: null, errors: [{ message: 'Something went wrong' }] } },
      { when: ({ method }) => method === 'POST' },
    )
    expect(await problem(forge.ready(7))).toMatchObject({ code: 'forge' })
  })

  test('a merge names the head, and is refused when that has moved', async () => {
    server.pull(7, { draft: false })
    expect(await problem(forge.merge(7, { method: 'squash', head: oid('b') }))).toMatchObject({
      code: 'branch-moved',
      exitCode: 4,
    })
    expect(await forge.merge(7, { method: 'squash', head: oid('a'), title: 'T', message: 'M' })).toEqual({
      commit: oid('e'),
    })
    expect(server.http.asked.at(-1)?.body).toEqual({
      sha: oid('a'),
      merge_method: 'squash',
      commit_title: 'T',
      commit_message: 'M',
    })
    expect(await forge.pullRequest(7)).toMatchObject({ state: 'merged' })
  })

  test('a merge that the rules of the branch refuse says why', async () => {
    server.pull(7)
    expect(await problem(forge.merge(7, { method: 'merge', head: oid('a') }))).toMatchObject({
      code: 'forge',
      message: expect.stringContaining('still a draft') as string,
      facts: { status: 405 },
    })
  })

  test('a repository that was renamed is found where it is now', async () => {
    server.pull(7, { draft: false })
    const renamed = await openForge(placeOn(server, 'gadgets'), { token })
    expect(await renamed.pullRequest(7)).toMatchObject({ number: 7 })
    expect(await renamed.merge(7, { method: 'merge', head: oid('a') })).toEqual({ commit: oid('e') })
  })
})

describe('reviews', () => {
  test('in order, with the commit that each is of', async () => {
    server.review('bob', 'CHANGES_REQUESTED', { commit_id: oid('1') })
    server.review('bob', 'APPROVED', { commit_id: oid('2') })
    server.review('bob', 'COMMENTED', { commit_id: oid('3') })
    const reviews = await forge.reviews(7)
    expect(reviews.map(({ state, commit }) => [state, commit?.[0]])).toEqual([
      ['changes-requested', '1'],
      ['approved', '2'],
      ['commented', '3'],
    ])
    expect(reviews[0]).toEqual({
      id: '100',
      person: { login: 'bob', isBot: false, isGhost: false },
      state: 'changes-requested',
      commit: oid('1'),
      at: '2026-01-01T00:01:40.000Z',
      url: 'https://github.com/acme/widgets/pull/7#pullrequestreview-100',
    })
    expect(server.http.count('GET', /timeline/)).toBe(0)
  })

  test('all of 101, over two pages', async () => {
    for (let each = 0; each < 101; each += 1) server.review(`reviewer${each}`, each === 100 ? 'APPROVED' : 'COMMENTED')
    const reviews = await forge.reviews(7)
    expect(reviews).toHaveLength(101)
    expect(reviews.at(-1)).toMatchObject({ state: 'approved', person: { login: 'reviewer100' } })
    expect(server.http.count('GET', /reviews$/)).toBe(2)
  })

  test('a second page that fails is an error, not the end', async () => {
    for (let each = 0; each < 101; each += 1) server.review('bob', 'COMMENTED')
    server.http.fault(
      { status: 404, json: { message: 'Not Found' } },
      { when: ({ query }) => query.get('page') === '2' },
    )
    expect(await problem(forge.reviews(7))).toMatchObject({ code: 'forge' })
  })

  test('links to pages on another host are asked of ours', async () => {
    for (let each = 0; each < 101; each += 1) server.review('bob', 'COMMENTED')
    server.http.fault(() => ({
      json: server.state.reviews.slice(0, 100),
      headers: { link: '<http://inner.example/api/v3/repositories/1/pulls/7/reviews?per_page=100&page=2>; rel="next"' },
    }))
    expect(await forge.reviews(7)).toHaveLength(101)
  })

  test('pages without an end are an error', async () => {
    server.http.fault(
      () => ({ json: [], headers: { link: `<${server.http.api}/repositories/1/pulls/7/reviews?page=2>; rel="next"` } }),
      { times: 1000 },
    )
    expect(await problem(forge.reviews(7))).toMatchObject({
      code: 'forge',
      message: expect.stringContaining('100 pages') as string,
    })
  })

  test('a deleted user, a bot and its owner, a bot without one', async () => {
    server.state.apps['renovate'] = 'mend'
    server.review(null, 'APPROVED')
    server.review('renovate[bot]', 'APPROVED', { type: 'Bot' })
    server.review('renovate[bot]', 'APPROVED', { type: 'Bot' })
    server.review('private[bot]', 'APPROVED', { type: 'Bot' })
    expect((await forge.reviews(7)).map(({ person }) => person)).toEqual([
      { login: 'ghost', isBot: false, isGhost: true },
      { login: 'renovate[bot]', isBot: true, isGhost: false, owner: 'mend' },
      { login: 'renovate[bot]', isBot: true, isGhost: false, owner: 'mend' },
      { login: 'private[bot]', isBot: true, isGhost: false },
    ])
    expect(server.http.count('GET', /^\/apps\/renovate$/)).toBe(1)
  })

  test('a pending one has no time, and comes last; one without a commit says so', async () => {
    server.review('planner', 'PENDING')
    server.review('bob', 'APPROVED', { commit_id: null })
    expect((await forge.reviews(7)).map(({ state, commit, at }) => [state, commit, at.slice(0, 7)])).toEqual([
      ['approved', undefined, '2026-01'],
      ['pending', oid('a'), '2026-06'],
    ])
  })

  test('dismissed by a push, by a person, by somebody who is gone, and by nobody knows whom', async () => {
    const [push, person, ghost, unknown] = ['a', 'b', 'c', 'd'].map((login) => server.review(login, 'DISMISSED').id)
    const event = (id: number | bigint | undefined, actor: string | null, commit?: string) => ({
      event: 'review_dismissed',
      actor: actor === null ? null : someone(actor),
      dismissed_review: {
        state: 'approved',
        review_id: id ?? 0,
        dismissal_message: null,
        ...(commit === undefined ? {} : { dismissal_commit_id: commit }),
      },
    })
    server.state.timeline = [
      { event: 'committed' },
      event(push, 'pusher', oid('f')),
      { event: 'commented' },
      event(person, 'lead'),
      event(ghost, null),
    ]
    expect(unknown).toBeDefined()
    expect((await forge.reviews(7)).map(({ dismissal }) => dismissal)).toEqual([
      { kind: 'push', commit: oid('f') },
      { kind: 'person', person: { login: 'lead', isBot: false, isGhost: false } },
      { kind: 'person', person: { login: 'ghost', isBot: false, isGhost: true } },
      { kind: 'person', person: undefined },
    ])
  })

  test.each([
    ['a state that nobody has heard of', { state: 'BLESSED' }],
    ['no state', { state: undefined }],
    ['a commit that is none', { commit_id: 'main' }],
    ['no user', { user: undefined }],
    ['a user without a name', { user: { id: 1, type: 'User' } }],
    ['a name with a line break', { user: { id: 1, type: 'User', login: 'bob\nadmin' } }],
    ['no time', { submitted_at: undefined }],
    ['a time that is none', { submitted_at: 'yesterday' }],
  ])('a review with %s is an error', async (_, wrong) => {
    Object.assign(server.review('bob', 'APPROVED'), wrong)
    expect(await problem(forge.reviews(7))).toMatchObject({
      code: 'forge',
      message: expect.stringContaining('got an unexpected answer') as string,
    })
  })
})

describe('what is written', () => {
  const marker = '<!-- git-plan:status -->'

  test('remarks come from comments, reviews and lines, oldest first, and not from what nobody sees yet', async () => {
    const at = (minute: number): string => `2026-01-01T00:0${minute}:00Z`
    server.state.comments.push({
      ...server.comment('alice', 'Why not a map?'),
      created_at: at(2),
    })
    server.review('bob', 'CHANGES_REQUESTED', { body: 'Smaller steps, please', submitted_at: at(1) })
    server.review('carol', 'PENDING', { body: 'not sent' })
    server.review('dave', 'APPROVED', { body: '' })
    server.state.lineComments.push(
      { user: someone('alice'), body: 'A typo', created_at: at(3), path: '.plans/p.md', line: 12 },
      { user: null, body: 'Outdated', created_at: at(4), path: 'src/a.ts', line: null },
    )
    expect(await forge.remarks(7)).toMatchObject([
      { person: { login: 'bob' }, at: '2026-01-01T00:01:00.000Z', text: 'Smaller steps, please' },
      { person: { login: 'alice' }, text: 'Why not a map?' },
      { person: { login: 'alice' }, text: 'A typo', path: '.plans/p.md', line: 12 },
      { person: { isGhost: true }, text: 'Outdated', path: 'src/a.ts' },
    ])
  })

  test('one comment, found again by its marker, and updated where it is ours alone', async () => {
    server.state.comments.push(
      { id: 1, body: `${marker}\nA forgery`, user: someone('mallory'), html_url: 'https://github.com/x' },
      { id: 2, body: 'Hello', user: someone('planner'), html_url: 'https://github.com/y' },
    )
    const url = await forge.comment(7, marker, 'One')
    expect(await forge.comment(7, marker, 'Two')).toBe(url)
    expect(await forge.comment(7, marker, `Two`)).toBe(url)
    expect(server.state.comments.map(({ body }) => body)).toEqual([`${marker}\nA forgery`, 'Hello', `${marker}\nTwo`])
    expect(server.http.count('PATCH', /comments/)).toBe(1)
  })

  test('a status, with a description that fits', async () => {
    await forge.status(oid('a'), {
      state: 'pending',
      context: 'git-plan',
      description: 'x'.repeat(200),
      url: 'https://example.org/',
    })
    expect(server.state.statuses).toEqual([
      {
        commit: oid('a'),
        state: 'pending',
        context: 'git-plan',
        description: 'x'.repeat(140),
        target_url: 'https://example.org/',
      },
    ])
  })
})

describe('payloads that GitHub has sent', () => {
  const found: { pulls: unknown[]; users: unknown[] } = { pulls: [], users: [] }
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(collect)
    if (typeof value !== 'object' || value === null) return
    const entry = value as Record<string, unknown>
    if ('login' in entry && 'type' in entry) found.users.push(entry)
    if ('node_id' in entry && 'merged_at' in entry && 'head' in entry && 'base' in entry && 'html_url' in entry)
      found.pulls.push(entry)
    Object.values(entry).forEach(collect)
  }
  // Several megabytes: not to be made a module of.
  const examples = createRequire(import.meta.url)('@octokit/webhooks-examples/api.github.com/index.json') as {
    name: string
    examples: unknown[]
  }[]
  examples.filter(({ name }) => name.startsWith('pull_request')).forEach(collect)

  test('are read, all of them', () => {
    expect(found.pulls.length).toBeGreaterThan(20)
    expect(found.users.length).toBeGreaterThan(100)
    expect(found.pulls.flatMap((each) => pullSchema.safeParse(each).error?.issues ?? [])).toEqual([])
    expect(found.users.flatMap((each) => userSchema.safeParse(each).error?.issues ?? [])).toEqual([])
  })
})
