// The client for Gitea and Forgejo against a server that answers as they do.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openForge, type Forge } from '../../src/remote/forge/forge.ts'
import { ghost, GiteaServer, someone, token } from './servers/gitea-server.ts'
import { oid } from './servers/loopback.ts'

let server: GiteaServer
let forge: Forge

beforeEach(async () => {
  server = await GiteaServer.start()
  forge = await openForge(
    { kind: 'gitea', host: server.http.host, owner: 'acme', name: 'widgets', api: server.http.api },
    { token, limits: { backOffMs: 5 } },
  )
})
afterEach(() => server.http.close())

const problem = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => expect.fail('it was answered'),
    (error: unknown) => error,
  )
const plain = (login: string) => ({ login, isBot: false, isGhost: false })

describe('reviews', () => {
  test('in order, with the commit that each is of; to be asked for one is none', async () => {
    server.review('bob', 'REQUEST_REVIEW')
    server.review('bob', 'REQUEST_CHANGES', { commit_id: oid('1') })
    server.review('bob', 'APPROVED', { commit_id: oid('2') })
    server.review('bob', 'COMMENT', { commit_id: '' })
    server.review('planner', 'PENDING')
    expect((await forge.reviews(7)).map(({ state, commit }) => [state, commit?.[0]])).toEqual([
      ['changes-requested', '1'],
      ['approved', '2'],
      ['commented', undefined],
      ['pending', 'a'],
    ])
    expect((await forge.reviews(7))[1]).toEqual({
      id: '102',
      person: plain('bob'),
      state: 'approved',
      commit: oid('2'),
      at: '2026-01-01T00:01:42.000Z',
      url: 'https://codeberg.org/acme/widgets/pulls/7#issuecomment-102',
    })
  })

  test.each([50, 30])('all of 101, in pages of %i', async (size) => {
    server.pageSize = size
    for (let each = 0; each < 101; each += 1) server.review('bob', each === 100 ? 'APPROVED' : 'COMMENT')
    const reviews = await forge.reviews(7)
    expect(reviews).toHaveLength(101)
    expect(reviews.at(-1)).toMatchObject({ state: 'approved' })
  })

  test('pending ones of others are counted, and not shown', async () => {
    server.review('bob', 'APPROVED')
    server.hiddenReviews = 60
    expect(await forge.reviews(7)).toHaveLength(1)
  })

  test('deleted users, and those that are the forge itself', async () => {
    server.review(ghost, 'APPROVED')
    server.review(null, 'APPROVED')
    server.review(someone('forgejo-actions', -2), 'APPROVED')
    expect((await forge.reviews(7)).map(({ person }) => person)).toEqual([
      { login: 'Ghost', isBot: false, isGhost: true },
      { login: 'Ghost', isBot: false, isGhost: true },
      { login: 'forgejo-actions', isBot: true, isGhost: false },
    ])
  })

  test('dismissed by a push, by a person, by a person in the words of a push, and by nobody knows whom', async () => {
    const words = 'New commits pushed, approval review dismissed automatically according to repository settings'
    const [push, person, forged] = [
      server.review('a', 'APPROVED', { dismissed: true, stale: true }),
      server.review('b', 'APPROVED', { dismissed: true, stale: true }),
      server.review('c', 'APPROVED', { dismissed: true }),
    ]
    server.review('d', 'APPROVED', { dismissed: true, stale: true })
    server.timeline = [
      { id: 1, type: 'comment', body: words, user: someone('mallory') },
      { id: 2, type: 'dismiss_review', body: words, user: someone('pusher'), review_id: push.id },
      { id: 3, type: 'dismiss_review', body: 'no', user: someone('lead'), review_id: person.id },
      { id: 4, type: 'dismiss_review', body: words, user: someone('mallory'), review_id: forged.id },
    ]
    expect(await forge.reviews(7)).toMatchObject([
      { state: 'dismissed', dismissal: { kind: 'push' } },
      { state: 'dismissed', dismissal: { kind: 'person', person: plain('lead') } },
      { state: 'dismissed', dismissal: { kind: 'person', person: plain('mallory') } },
      { state: 'dismissed', dismissal: { kind: 'person', person: undefined } },
    ])
  })

  test.each([
    ['a state that nobody has heard of', { state: 'BLESSED' }],
    ['a commit that is none', { commit_id: 'main' }],
    ['no word about dismissal', { dismissed: undefined }],
    ['no time', { submitted_at: undefined }],
    ['no user', { user: undefined }],
  ])('a review with %s is an error', async (_, wrong) => {
    Object.assign(server.review('bob', 'APPROVED'), wrong)
    expect(await problem(forge.reviews(7))).toMatchObject({
      code: 'forge',
      message: expect.stringContaining('got an unexpected answer') as string,
    })
  })
})

describe('pull requests', () => {
  test('the open one of a branch, else the newest; one from a fork with this name is another', async () => {
    expect(await forge.pullRequestOf('plan/upgrade')).toBeUndefined()
    server.pull(1, { state: 'closed' })
    const merged = server.pull(2, { state: 'closed', merged: true })
    // As it is when the branch is gone.
    merged.head.ref = 'refs/pull/2/head'
    server.pull(3).head.repo_id = 99
    expect(await forge.pullRequestOf('plan/upgrade')).toMatchObject({
      number: 2,
      state: 'merged',
      branch: 'plan/upgrade',
    })
    expect(await forge.pullRequest(3)).toMatchObject({ isFork: true })
    server.pull(4, { title: 'WIP: Upgrade' })
    for (let each = 5; each < 70; each += 1) server.pull(each, { branch: `other-${each}` })
    expect(await forge.pullRequestOf('plan/upgrade')).toEqual({
      number: 4,
      url: 'https://codeberg.org/acme/widgets/pulls/4',
      state: 'open',
      isDraft: true,
      head: oid('a'),
      branch: 'plan/upgrade',
      base: 'main',
      author: plain('author'),
      isFork: false,
      title: 'Upgrade',
      body: 'Why',
    })
  })

  test('closed ones are looked for so far and no further', async () => {
    server.pull(1, { state: 'closed' })
    for (let each = 2; each < 700; each += 1) server.pull(each, { state: 'closed', branch: 'other' })
    expect(await forge.pullRequestOf('plan/upgrade')).toBeUndefined()
    expect(server.http.count('GET', /pulls$/)).toBe(11)
  })

  const proposal = { branch: 'plan/x', base: 'main', title: 'X', body: 'Text', isDraft: true }

  test('a proposal is a draft by its title, and one that is ready stays so', async () => {
    const { pullRequest, isNew } = await forge.propose(proposal)
    expect({ pullRequest, isNew }).toMatchObject({ isNew: true, pullRequest: { isDraft: true, title: 'X' } })
    expect(server.pulls[0]?.title).toBe('WIP: X')
    expect(await forge.propose(proposal)).toMatchObject({ isNew: false })
    expect(server.http.count('PATCH', /./)).toBe(0)
    await forge.propose({ ...proposal, title: 'Y', base: 'next' })
    expect(server.pulls[0]).toMatchObject({ title: 'WIP: Y', base: { ref: 'next' } })
    await forge.ready(pullRequest.number)
    await forge.ready(pullRequest.number)
    await forge.propose({ ...proposal, title: 'Z' })
    expect(server.pulls[0]?.title).toBe('Z')
    expect(server.http.count('PATCH', /./)).toBe(3)
  })

  test('where the forge says what a draft is, its word counts', async () => {
    server.pull(7, { title: 'WIP: X', draft: false })
    expect(await forge.pullRequest(7)).toMatchObject({ isDraft: false, title: 'WIP: X' })
  })

  test('a merge names the head, and is refused when that has moved', async () => {
    server.pull(7)
    expect(await problem(forge.merge(7, { method: 'squash', head: oid('b') }))).toMatchObject({ code: 'branch-moved' })
    expect(await forge.merge(7, { method: 'squash', head: oid('a'), title: 'T', message: 'M' })).toEqual({
      commit: oid('e'),
    })
    const sent = server.http.asked.findLast(({ method }) => method === 'POST')
    expect(sent?.body).toEqual({ Do: 'squash', head_commit_id: oid('a'), MergeTitleField: 'T', MergeMessageField: 'M' })
  })

  test('a conflict has the same status as a head that moved, and is another thing', async () => {
    server.pull(7)
    server.http.fault({ status: 409, json: { message: 'merge conflict' } }, { when: ({ method }) => method === 'POST' })
    expect(await problem(forge.merge(7, { method: 'merge', head: oid('a') }))).toMatchObject({
      code: 'forge',
      message: expect.stringContaining('merge conflict') as string,
    })
  })
})

describe('who', () => {
  test('the token belongs to a user', async () => {
    expect(await forge.self()).toEqual(plain('planner'))
  })

  test.each([
    ['none', 'none'],
    ['read', 'read'],
    ['write', 'write'],
    ['admin', 'admin'],
    ['owner', 'admin'],
  ])('permission %s is %s', async (permission, expected) => {
    server.permissions['bob'] = permission
    expect(await forge.permissionOf('bob')).toBe(expected)
    expect(await forge.permissionOf('nobody')).toBe('none')
  })

  test('who may not ask for the permissions of others is told so', async () => {
    server.http.fault({
      status: 403,
      json: {
        message:
          'Only admins can query all permissions, repo admins can query all repo permissions, collaborators can query only their own',
      },
    })
    expect(await problem(forge.permissionOf('bob'))).toMatchObject({
      code: 'forge',
      facts: { status: 403 },
      message: expect.stringContaining('Only admins') as string,
    })
  })

  test('a member of a team, by its whole name; a team that cannot be seen is an error', async () => {
    server.teams = [
      { id: 1, name: 'platform-friends', members: ['mallory'] },
      { id: 2, name: 'Platform', members: ['bob'] },
    ]
    server.http.fault(() => ({ json: { ok: true, data: server.teams } }), {
      times: 3,
      when: ({ path }) => path.endsWith('/search'),
    })
    expect(await forge.isInTeam('platform', 'bob')).toBe(true)
    expect(await forge.isInTeam('platform', 'mallory')).toBe(false)
    expect(await problem(forge.isInTeam('plat', 'bob'))).toMatchObject({ code: 'forge' })
    expect(await problem(forge.isInTeam('other/platform', 'bob'))).toMatchObject({
      code: 'forge',
      message: expect.stringContaining('other/platform') as string,
    })
  })

  test('the last pusher is who pushed the commit that is there', async () => {
    server.branches['plan/upgrade'] = oid('a')
    const push = (login: string, ref: string, head: string) => ({
      op_type: 'commit_repo',
      ref_name: ref,
      content: JSON.stringify({ Commits: [], HeadCommit: { Sha1: head } }),
      act_user: someone(login),
    })
    expect(await forge.lastPusher('plan/upgrade')).toBeUndefined()
    server.feed = [
      push('mallory', 'refs/heads/other', oid('a')),
      push('eve', 'refs/heads/plan/upgrade', oid('a')),
      push('author', 'refs/heads/plan/upgrade', oid('b')),
    ]
    expect(await forge.lastPusher('plan/upgrade')).toEqual(plain('eve'))
    // One segment, as the description has it.
    expect(server.http.count('GET', /\/branches\/plan%2Fupgrade$/)).toBe(2)
    server.branches['plan/upgrade'] = oid('9')
    expect(await forge.lastPusher('plan/upgrade')).toBeUndefined()
    server.feed = [{ ...push('eve', 'plan/upgrade', oid('9')), content: 'no JSON' }]
    expect(await forge.lastPusher('plan/upgrade')).toBeUndefined()
    server.http.fault({ status: 404, json: { message: 'not found' } }, { when: ({ path }) => path.endsWith('/feeds') })
    expect(await forge.lastPusher('plan/upgrade')).toBeUndefined()
  })
})

describe('what is written', () => {
  const marker = '<!-- git-plan:status -->'

  test('one comment, found again by its marker, and updated where it is ours alone', async () => {
    server.comments.push({
      created_at: '2026-01-01T00:00:00Z',
      id: 1,
      body: `${marker}\nA forgery`,
      user: someone('mallory'),
      html_url: 'https://codeberg.org/x',
    })
    const url = await forge.comment(7, marker, 'One')
    expect(await forge.comment(7, marker, 'Two')).toBe(url)
    expect(await forge.comment(7, marker, 'Two')).toBe(url)
    expect(server.comments.map(({ body }) => body)).toEqual([`${marker}\nA forgery`, `${marker}\nTwo`])
    expect(server.http.count('PATCH', /comments/)).toBe(1)
  })

  test('a status', async () => {
    await forge.status(oid('a'), { state: 'error', context: 'git-plan', description: 'no' })
    expect(server.statuses).toEqual([{ commit: oid('a'), state: 'error', context: 'git-plan', description: 'no' }])
  })
})

test.each([401, 403, 404, 500])('%i is never a yes', async (status) => {
  server.pull(7)
  server.http.fault({ status, json: { message: `${status}` } }, { times: 1000 })
  for (const asked of [forge.self(), forge.reviews(7), forge.pullRequest(7), forge.pullRequestOf('x')])
    expect(await problem(asked)).toMatchObject({
      code: 'forge',
      facts: { status, host: server.http.host },
      hint: expect.any(String) as string,
    })
})

test('remarks come from comments, reviews and lines, oldest first', async () => {
  const at = (minute: number): string => `2026-01-01T00:0${minute}:00Z`
  const user = someone('alice')
  server.comments.push({ id: 1, user, body: 'Why not a map?', html_url: 'https://codeberg.org/x', created_at: at(2) })
  server.lineComments[100] = [{ user, body: 'A typo', created_at: at(3), path: '.plans/p.md', position: 12 }]
  server.review('bob', 'REQUEST_CHANGES', { body: 'Smaller steps, please', submitted_at: at(1) })
  server.review('dave', 'APPROVED')
  expect(await forge.remarks(7)).toMatchObject([
    { person: { login: 'bob' }, at: '2026-01-01T00:01:00.000Z', text: 'Smaller steps, please' },
    { person: { login: 'alice' }, text: 'Why not a map?' },
    { person: { login: 'alice' }, text: 'A typo', path: '.plans/p.md', line: 12 },
  ])
})
