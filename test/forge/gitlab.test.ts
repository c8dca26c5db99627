// The client for GitLab against a server that answers as GitLab does.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openForge, type Forge } from '../../src/remote/forge/forge.ts'
import { GitLabServer, someone, token } from './servers/gitlab-server.ts'
import { oid } from './servers/loopback.ts'

let server: GitLabServer
let forge: Forge

beforeEach(async () => {
  server = await GitLabServer.start()
  const place = {
    kind: 'gitlab',
    host: server.http.host,
    owner: 'acme/tools',
    name: 'widgets',
    api: server.http.api,
  } as const
  forge = await openForge(place, { token, clock: () => new Date('2026-06-01T00:00:00Z'), limits: { backOffMs: 5 } })
})
afterEach(() => server.http.close())

const problem = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => expect.fail('it was answered'),
    (error: unknown) => error,
  )
const plain = (login: string) => ({ login, isBot: false, isGhost: false })

describe('approvals, which name no commit', () => {
  beforeEach(() => {
    server.request(7, { sha: oid('b') })
    server.version(10, 'a')
  })
  const states = async () =>
    (await forge.reviews(7)).map(({ person, state, commit }) => [person?.login, state, commit?.[0]])

  test('are of the head that there was at the time', async () => {
    server.approve(11, 'early')
    server.version(20, 'b')
    server.approve(21, 'late')
    expect(await states()).toEqual([
      ['early', 'approved', 'a'],
      ['late', 'approved', 'b'],
    ])
    expect((await forge.reviews(7))[0]).toEqual({
      id: '111',
      person: plain('early'),
      state: 'approved',
      commit: oid('a'),
      at: '2026-01-01T00:11:00.000Z',
      url: 'https://gitlab.example/acme/tools/widgets/-/merge_requests/7#note_111',
    })
  })

  test('a push in the same moment was not seen', async () => {
    server.version(20, 'b')
    server.approve(20, 'bob')
    expect(await states()).toEqual([['bob', 'approved', 'a']])
  })

  test('one from before the first version, and one that no note tells of, have no commit', async () => {
    server.approve(5, 'bob')
    server.approvedBy.push({ user: someone('carol') })
    expect(await states()).toEqual([
      ['bob', 'approved', undefined],
      ['carol', 'approved', undefined],
    ])
  })

  test('newer versions of GitLab say the time in the list itself', async () => {
    server.approvedBy.push({ user: someone('carol'), approved_at: '2026-01-01T00:12:00Z' })
    expect(await states()).toEqual([['carol', 'approved', 'a']])
  })

  test('the words of a person are a comment, whatever they are', async () => {
    server.note(11, 'mallory', 'approved this merge request', false)
    expect(await states()).toEqual([['mallory', 'commented', 'a']])
  })

  test('a comment after an approval leaves it as it is', async () => {
    server.approve(11, 'bob')
    server.note(12, 'bob', 'Nice', false)
    expect(await states()).toEqual([
      ['bob', 'approved', 'a'],
      ['bob', 'commented', 'a'],
    ])
  })

  test('taken back by who gave it', async () => {
    server.approve(11, 'bob')
    server.note(12, 'bob', 'unapproved this merge request')
    server.approvedBy = []
    expect(await forge.reviews(7)).toMatchObject([
      { state: 'dismissed', dismissal: { kind: 'person', person: plain('bob') } },
    ])
    server.approve(13, 'bob')
    expect((await states()).map(([, state]) => state)).toEqual(['dismissed', 'approved'])
  })

  test('ended by a push, of those whom the note names', async () => {
    server.approve(11, 'bob')
    server.approve(12, 'carol.x')
    server.approve(13, 'dave')
    server.version(20, 'b')
    server.note(20, 'pusher', 'reset approvals from @bob and @carol.x by pushing to the branch')
    server.approvedBy = [{ user: someone('dave') }]
    expect(await forge.reviews(7)).toMatchObject([
      { person: plain('bob'), state: 'dismissed', dismissal: { kind: 'push', commit: oid('b') } },
      { person: plain('carol.x'), state: 'dismissed', dismissal: { kind: 'push', commit: oid('b') } },
      { person: plain('dave'), state: 'approved', commit: oid('a') },
    ])
  })

  test('ended without a word: by the push after it, else by nobody knows whom', async () => {
    server.approve(11, 'bob')
    server.approvedBy = []
    expect(await forge.reviews(7)).toMatchObject([
      { state: 'dismissed', dismissal: { kind: 'person', person: undefined } },
    ])
    server.version(20, 'b')
    server.version(30, 'c')
    expect(await forge.reviews(7)).toMatchObject([
      { state: 'dismissed', dismissal: { kind: 'push', commit: oid('b') } },
    ])
  })

  test('changes that were asked for, by a note, and by the list of reviewers, which has the last word', async () => {
    server.note(11, 'bob', 'requested changes')
    server.approve(12, 'carol')
    server.reviewers = [
      { user: someone('carol'), state: 'requested_changes', created_at: '2026-01-01T00:00:00Z' },
      { user: someone('dave'), state: 'unreviewed', created_at: '2026-01-01T00:00:00Z' },
    ]
    expect(await states()).toEqual([
      ['bob', 'changes-requested', 'a'],
      ['carol', 'approved', 'a'],
      ['carol', 'changes-requested', undefined],
    ])
  })

  test('an old GitLab has no list of reviewers', async () => {
    server.http.fault(
      { status: 404, json: { error: '404 Not Found' } },
      { when: ({ path }) => path.endsWith('/reviewers') },
    )
    server.approve(11, 'bob')
    expect(await states()).toEqual([['bob', 'approved', 'a']])
  })

  test('the newest note may be on the second page', async () => {
    for (let each = 0; each < 100; each += 1) server.note(11, 'bob', 'mentioned in !1')
    server.approve(12, 'carol')
    expect(await states()).toEqual([['carol', 'approved', 'a']])
    expect(server.http.count('GET', /notes$/)).toBe(2)
  })

  test('bots, with who made them, and deleted users', async () => {
    server.bots = { 'renovate-acme': 'lead', project_1_bot_0a1b: undefined }
    for (const [minute, name] of ['renovate-acme', 'project_1_bot_0a1b', 'ghost'].entries())
      server.approve(11 + minute, name)
    expect((await forge.reviews(7)).map(({ person }) => person)).toEqual([
      { login: 'renovate-acme', isBot: true, isGhost: false, owner: 'lead' },
      { login: 'project_1_bot_0a1b', isBot: true, isGhost: false },
      { login: 'ghost', isBot: false, isGhost: true },
    ])
  })

  test.each([
    ['approvals', { json: { approved: true } }],
    ['approvals', { json: { approved_by: [{}] } }],
    ['versions', { json: [{ head_commit_sha: 'main', created_at: '2026-01-01T00:00:00Z' }] }],
    [
      'notes',
      {
        json: [
          { id: 1, body: 'approved this merge request', author: someone('bob'), created_at: '2026-01-01T00:00:00Z' },
        ],
      },
    ],
    ['approvals', { text: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } }],
    ['notes', { text: '[{"id": 1', headers: { 'content-type': 'application/json' } }],
    ['versions', { text: '' }],
    ['reviewers', { status: 403, json: { message: '403 Forbidden' } }],
  ])('%s that are not as documented are an error: %j', async (what, reply) => {
    server.approve(11, 'bob')
    server.http.fault(reply, { when: ({ path }) => path.endsWith(`/${what}`) })
    expect(await problem(forge.reviews(7))).toMatchObject({ code: 'forge', exitCode: 3 })
  })
})

describe('merge requests', () => {
  test('the open one of a branch, else the newest; one from another project is another', async () => {
    expect(await forge.pullRequestOf('plan/upgrade')).toBeUndefined()
    server.request(1, { state: 'closed' })
    server.request(2, { state: 'merged' })
    server.request(3, { from: 99 })
    server.request(4, { from: null })
    expect(await forge.pullRequestOf('plan/upgrade')).toMatchObject({ number: 2, state: 'merged' })
    expect(await forge.pullRequest(3)).toMatchObject({ isFork: true })
    expect(await forge.pullRequest(4)).toMatchObject({ isFork: true })
    server.request(5, { draft: true, title: 'Draft: Upgrade' })
    expect(await forge.pullRequestOf('plan/upgrade')).toEqual({
      number: 5,
      url: 'https://gitlab.example/acme/tools/widgets/-/merge_requests/5',
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

  const proposal = { branch: 'plan/x', base: 'main', title: 'X', body: 'Text', isDraft: true }

  test('a proposal is a draft by its title, and one that is ready stays so', async () => {
    const { pullRequest, isNew } = await forge.propose(proposal)
    expect({ pullRequest, isNew }).toMatchObject({ isNew: true, pullRequest: { isDraft: true, title: 'X' } })
    expect(server.requests[0]?.title).toBe('Draft: X')
    expect(await forge.propose(proposal)).toMatchObject({ isNew: false })
    expect(server.http.count('PUT', /./)).toBe(0)
    await forge.propose({ ...proposal, title: 'Y', base: 'next' })
    expect(server.requests[0]).toMatchObject({ title: 'Draft: Y', target_branch: 'next' })
    await forge.ready(pullRequest.number)
    await forge.ready(pullRequest.number)
    expect(server.requests[0]).toMatchObject({ title: 'Y', draft: false })
    await forge.propose({ ...proposal, title: 'Z' })
    expect(server.requests[0]).toMatchObject({ title: 'Z', draft: false })
    expect(server.http.count('PUT', /./)).toBe(3)
  })

  test.each(['Draft: X', '[Draft] X', '(draft) X', 'draft:X', 'Draft: Draft: X'])(
    '%s is a draft with the title X',
    async (title) => {
      server.request(7, { draft: true, title })
      expect(await forge.pullRequest(7)).toMatchObject({ isDraft: true, title: 'X' })
      await forge.ready(7)
      expect(server.requests[0]?.title).toBe('X')
    },
  )

  test('a merge names the head, and is refused when that has moved', async () => {
    server.request(7)
    expect(await problem(forge.merge(7, { method: 'merge', head: oid('b') }))).toMatchObject({ code: 'branch-moved' })
    expect(await forge.merge(7, { method: 'merge', head: oid('a'), title: 'T', message: 'M' })).toEqual({
      commit: oid('e'),
    })
    expect(server.http.asked.at(-1)?.body).toEqual({ sha: oid('a'), squash: false, merge_commit_message: 'T\n\nM' })
  })

  test('how it is merged is a setting of the project, but for squashing', async () => {
    server.request(7)
    expect(await problem(forge.merge(7, { method: 'rebase', head: oid('a') }))).toMatchObject({
      code: 'forge',
      message: expect.stringContaining('"merge"') as string,
    })
    server.mergeMethod = 'ff'
    expect(await problem(forge.merge(7, { method: 'merge', head: oid('a') }))).toMatchObject({ code: 'forge' })
    expect(server.http.count('PUT', /merge$/)).toBe(0)
    expect(await forge.merge(7, { method: 'rebase', head: oid('a') })).toEqual({ commit: oid('a') })
    server.request(8)
    expect(await forge.merge(8, { method: 'squash', head: oid('a') })).toEqual({ commit: oid('d') })
  })

  test('a merge that is put off is none', async () => {
    server.request(7)
    server.http.fault(() => ({ json: server.requests[0] }), { when: ({ method }) => method === 'PUT' })
    expect(await problem(forge.merge(7, { method: 'merge', head: oid('a') }))).toMatchObject({
      code: 'forge',
      message: expect.stringContaining('not merged') as string,
    })
  })
})

describe('who', () => {
  test('the token belongs to a user', async () => {
    expect(await forge.self()).toEqual(plain('planner'))
    expect(forge.repository).toBe('acme/tools/widgets')
  })

  test.each([
    [5, 'none'],
    [10, 'read'],
    [20, 'read'],
    [30, 'write'],
    [40, 'write'],
    [50, 'admin'],
  ])('level %i is the permission %s', async (level, permission) => {
    server.members['acme/tools/widgets'] = { bob: { access_level: level } }
    expect(await forge.permissionOf('bob')).toBe(permission)
  })

  test('no member, no user, a blocked one and one whose time is over have none', async () => {
    server.members['acme/tools/widgets'] = {
      blocked: { access_level: 50, state: 'blocked' },
      over: { access_level: 50, expires_at: '2026-05-01' },
      later: { access_level: 30, expires_at: '2026-07-01' },
    }
    for (const login of ['author', 'nobody', 'blocked', 'over']) expect(await forge.permissionOf(login)).toBe('none')
    expect(await forge.permissionOf('later')).toBe('write')
  })

  test('a team is a group: below ours, or by its whole path', async () => {
    server.members['acme/tools/platform'] = { bob: { access_level: 10 } }
    server.members['security'] = { carol: { access_level: 50 } }
    expect(await forge.isInTeam('platform', 'bob')).toBe(true)
    expect(await forge.isInTeam('platform', 'carol')).toBe(false)
    expect(await forge.isInTeam('@security', 'carol')).toBe(true)
    expect(await forge.isInTeam('@carol', 'carol')).toBe(false)
    expect(await problem(forge.isInTeam('security', 'carol'))).toMatchObject({
      code: 'forge',
      message: expect.stringContaining('acme/tools/security') as string,
    })
  })

  test('the last pusher is who pushed the commit that is there', async () => {
    server.branches['plan/upgrade'] = oid('a')
    const push = (name: string, ref: string | null, to: string | null) => ({
      author: someone(name),
      action_name: 'pushed to',
      push_data: { ref, ref_type: 'branch', commit_to: to },
    })
    expect(await forge.lastPusher('plan/upgrade')).toBeUndefined()
    server.events = [
      push('mallory', 'other', oid('c')),
      push('eve', 'plan/upgrade', oid('a')),
      push('author', 'plan/upgrade', oid('b')),
    ]
    expect(await forge.lastPusher('plan/upgrade')).toEqual(plain('eve'))
    server.branches['plan/upgrade'] = oid('9')
    expect(await forge.lastPusher('plan/upgrade')).toBeUndefined()
    server.branches['plan/upgrade'] = oid('a')
    server.events.unshift(push('many', null, null))
    expect(await forge.lastPusher('plan/upgrade')).toBeUndefined()
    expect(await forge.lastPusher('gone')).toBeUndefined()
  })
})

describe('what is written', () => {
  const marker = '<!-- git-plan:status -->'

  test('one comment, found again by its marker, and updated where it is ours alone', async () => {
    server.request(7)
    server.note(1, 'mallory', `${marker}\nA forgery`, false)
    const url = await forge.comment(7, marker, 'One')
    expect(url).toBe('https://gitlab.example/acme/tools/widgets/-/merge_requests/7#note_159')
    expect(await forge.comment(7, marker, 'Two')).toBe(url)
    expect(await forge.comment(7, marker, 'Two')).toBe(url)
    expect(server.notes.map(({ body }) => body)).toEqual([`${marker}\nA forgery`, `${marker}\nTwo`])
    expect(server.http.count('PUT', /notes/)).toBe(1)
  })

  test('a status, which may be said again', async () => {
    const status = { state: 'failure', context: 'git-plan', description: 'no', url: 'https://example.org/' } as const
    await forge.status(oid('a'), status)
    await forge.status(oid('a'), status)
    expect(server.statuses).toEqual([
      { commit: oid('a'), state: 'failed', name: 'git-plan', description: 'no', target_url: 'https://example.org/' },
    ])
    server.http.fault({ status: 400, json: { message: 'Cannot transition status via :enqueue from :running' } })
    expect(await problem(forge.status(oid('b'), status))).toMatchObject({ code: 'forge' })
  })
})

test('remarks are notes of people, also at lines', async () => {
  server.request(7)
  server.note(1, 'alice', 'approved this merge request')
  server.note(2, 'alice', 'Why not a map?', false)
  server.note(3, 'bob', 'A typo', false)
  Object.assign(server.notes.at(-1)!, { position: { new_path: '.plans/p.md', new_line: 12, old_line: null } })
  expect(await forge.remarks(7)).toMatchObject([
    { person: { login: 'alice' }, text: 'Why not a map?' },
    { person: { login: 'bob' }, text: 'A typo', path: '.plans/p.md', line: 12 },
  ])
})

test.each([401, 403, 404, 500])('%i is never a yes', async (status) => {
  server.request(7)
  server.http.fault({ status, json: { message: `${status}` } }, { times: 1000 })
  for (const asked of [forge.self(), forge.reviews(7), forge.pullRequest(7), forge.pullRequestOf('x')])
    expect(await problem(asked)).toMatchObject({
      code: 'forge',
      facts: { status, host: server.http.host },
      hint: expect.any(String) as string,
    })
})
