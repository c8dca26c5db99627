// A1 to A13, B3: what is no approval of this plan by these people now. The plan's only step sings, so that a run can be
// heard.

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openPlans } from '../../src/adapters/library/open-plans.ts'
import { Canary, picture, refusalOf } from '../helpers/canary.ts'
import { ForgeRepo } from '../helpers/forge.ts'
import { planText } from '../helpers/repo.ts'
import { someone } from '../forge/servers/github-server.ts'
import { oid, type Asked, type Reply } from '../forge/servers/loopback.ts'

const level = '{ from: [review], count: 1, not: [author, last-pusher, starter], codeowners: true }'
const policy = `approval: { low: ${level}, medium: ${level}, high: ${level}, critical: ${level}, bots: ["@robot[bot]"] }\n`

let on: ForgeRepo
let canary: Canary
let before: unknown
let state: ForgeRepo['server']['state']

/** One plan for all: what is refused leaves everything as it was. */
beforeAll(async () => {
  on = await ForgeRepo.start(policy)
  const { repo } = on
  canary = new Canary(repo)
  repo.write('CODEOWNERS', '* @bob @dan @planner @author @eve @robot[bot]\n')
  repo.commit('Owners')
  repo.git(['push', '-q', 'origin', 'main'])
  // On another base, with owners of its own.
  repo.git(['checkout', '-q', '-b', 'release'])
  repo.write('CODEOWNERS', '* @cleo\n')
  repo.commit('Other owners')
  repo.git(['push', '-q', 'origin', 'release'])
  repo.git(['checkout', '-q', 'main'])
  const text = (more: string): string => planText(`  - {id: one, run: ${JSON.stringify(canary.command)}}`, more)
  await on.expect(0, ['new', '--from', '-', '--id', 'p'], text(''))
  await on.expect(0, ['new', '--from', '-', '--id', 'q'], text('base: release\n'))
  await on.expect(0, ['submit', 'p'])
  await on.expect(0, ['submit', 'q'])
  before = picture(repo)
  state = structuredClone(on.server.state)
})
afterEach(() => {
  Object.assign(on.server.state, structuredClone(state))
  on.server.http.calm()
  on.pusher = 'planner'
})
afterAll(() => on.close())

const pullOf = (id: string): { number: number } & (typeof state.pulls)[number] => {
  const found = on.server.state.pulls.find(({ head }) => head.ref === `plan/${id}`)
  if (found === undefined) throw new Error(`no pull request of ${id}`)
  return found
}

/** Instead of the reviews, or of whatever else the end of a path says. */
const instead = (reply: Reply | ((asked: Asked) => Reply), end = '/reviews'): void => {
  on.approve('bob')
  on.server.http.fault(reply, { times: 99, when: ({ path }) => path.endsWith(end) })
}

const dismissed = (by: { actor?: string; commit?: string }): void => {
  on.approve('bob')
  const review = on.server.state.reviews.at(-1)
  if (review === undefined) throw new Error('no review')
  review.state = 'DISMISSED'
  on.server.state.timeline.push({
    event: 'review_dismissed',
    actor: someone(by.actor ?? 'dan'),
    dismissed_review: {
      state: 'approved',
      review_id: Number(review.id),
      dismissal_message: null,
      ...(by.commit === undefined ? {} : { dismissal_commit_id: by.commit }),
    },
  })
}

interface Case {
  readonly name: string
  readonly arrange: () => void
  readonly why: RegExp
  readonly code?: 'not-approved' | 'forge' | 'rate-limited'
  readonly exitCode?: 3 | 4
  readonly plan?: 'p' | 'q'
}

const rate = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4000000000' }

const cases: readonly Case[] = [
  {
    name: 'A1: a review of the commit that the plan was put on',
    arrange: () => on.approve('bob', { commit_id: on.repo.git(['rev-parse', 'plan/p~1']) }),
    why: /which is not the current plan/,
  },
  {
    name: 'A1: a review of a commit that is not here',
    arrange: () => on.approve('bob', { commit_id: oid('b') }),
    why: /which is not the current plan/,
  },
  {
    name: 'A2: a review without a commit',
    arrange: () => on.approve('bob', { commit_id: undefined as never }),
    why: /does not name its commit|commit_id/,
  },
  {
    name: 'A2: a review of something that is no commit',
    arrange: () => on.approve('bob', { commit_id: 'HEAD' }),
    why: /not a commit/,
    code: 'forge',
  },
  {
    name: 'A3: changes requested after an approval',
    arrange: () => (on.approve('bob'), void on.server.review('bob', 'CHANGES_REQUESTED', { commit_id: on.tip() })),
    why: /@bob to withdraw the requested changes/,
  },
  {
    name: 'A3: changes requested by somebody else',
    arrange: () => (on.approve('bob'), void on.server.review('mallory', 'CHANGES_REQUESTED', { commit_id: on.tip() })),
    why: /it needs @mallory to withdraw the requested changes/,
  },
  { name: 'A3: dismissed by a person', arrange: () => dismissed({}), why: /was dismissed/ },
  { name: 'A4: the author', arrange: () => on.approve('author'), why: /@author wrote the plan/ },
  {
    name: 'A4: who pushed last',
    arrange: () => ((on.pusher = 'eve'), on.approve('eve')),
    why: /@eve made the last change/,
  },
  {
    name: 'A4: nobody knows who pushed last',
    arrange: () => instead({ json: [] }, '/activity'),
    why: /does not report who pushed plan\/p last/,
    code: 'forge',
  },
  { name: 'A4: who starts it', arrange: () => ((on.pusher = 'eve'), on.approve('planner')), why: /@planner starts it/ },
  {
    name: 'A4: a bot of the author',
    arrange: () => ((on.server.state.apps['robot'] = 'author'), on.approve('robot[bot]', { type: 'Bot' })),
    why: /wrote the plan/,
  },
  { name: 'A5: a bot that nobody named', arrange: () => on.approve('another[bot]', { type: 'Bot' }), why: /a bot/ },
  { name: 'A6: who may only read', arrange: () => on.approve('bob', { permission: 'read' }), why: /may not write/ },
  {
    name: 'A6: who is nobody here',
    arrange: () => void on.server.review('bob', 'APPROVED', { commit_id: on.tip() }),
    why: /may not write/,
  },
  { name: 'A7: who owns nothing of it', arrange: () => on.approve('cleo'), why: /@bob or .*, owner of/ },
  {
    name: 'A7: whom another branch calls the owner',
    arrange: () => on.approve('cleo', { commit_id: on.tip('q') }),
    why: /@bob or .*, owner of/,
    plan: 'q',
  },
  {
    name: 'A8: a review that is not submitted',
    arrange: () => void on.server.review('bob', 'PENDING', { commit_id: on.tip() }),
    why: /0 of 1/,
  },
  {
    name: 'A8: a user who is gone',
    arrange: () => void on.server.review(null, 'APPROVED', { commit_id: on.tip() }),
    why: /a deleted user/,
  },
  {
    name: 'A8: an objection on the second page',
    arrange: () => readers(() => on.server.review('dan', 'CHANGES_REQUESTED', { commit_id: on.tip() })),
    why: /@dan to withdraw the requested changes/,
  },
  {
    name: 'A8: a second page that does not come',
    arrange: () => (
      readers(() => undefined),
      on.server.http.fault({ status: 502 }, { times: 9, when: ({ query }) => query.get('page') === '2' })
    ),
    why: /502/,
    code: 'forge',
  },
  {
    name: 'A10: another base',
    arrange: () => (on.approve('bob'), void (pullOf('p').base.ref = 'release')),
    why: /targets release/,
  },
  {
    name: 'A10: a closed pull request',
    arrange: () => (on.approve('bob'), void (pullOf('p').state = 'closed')),
    why: /is closed/,
  },
  {
    name: 'A11: 401',
    arrange: () => instead({ status: 401, json: { message: 'Bad credentials' } }),
    why: /does not accept the token/,
    code: 'forge',
  },
  {
    name: 'A11: 403',
    arrange: () => instead({ status: 403, json: { message: 'no' } }, '/permission'),
    why: /the token does not permit/,
    code: 'forge',
  },
  {
    name: 'A11: 404',
    arrange: () => instead({ status: 404, json: { message: 'Not Found' } }),
    why: /was not found/,
    code: 'forge',
  },
  { name: 'A11: 502', arrange: () => instead({ status: 502, json: {} }), why: /failed with 502/, code: 'forge' },
  {
    name: 'A11: a limit of an hour',
    arrange: () => instead({ status: 403, headers: rate, json: { message: 'API rate limit exceeded' } }),
    why: /accepts no more requests until/,
    code: 'rate-limited',
    exitCode: 4,
  },
  {
    name: 'A11: a limit without an end',
    arrange: () => instead({ status: 429, headers: { 'retry-after': '3600' }, json: {} }),
    why: /accepts no more requests/,
    code: 'rate-limited',
    exitCode: 4,
  },
  {
    name: 'A11: an answer that ends in the middle',
    arrange: () => instead({ json: [], isCut: true }),
    why: /was not answered/,
    code: 'forge',
  },
  {
    name: 'A11: a page of a proxy',
    arrange: () => instead({ text: '<html>log in</html>' }),
    why: /got an unexpected answer/,
    code: 'forge',
  },
  {
    name: 'A11: an object instead of a list',
    arrange: () => instead({ json: { reviews: [] } }),
    why: /got an unexpected answer/,
    code: 'forge',
  },
  {
    name: 'A13: an approval of another pull request',
    arrange: () =>
      void (on.approve('bob'), Object.assign(on.server.state.reviews.at(-1) ?? {}, { pull: pullOf('q').number })),
    why: /0 of 1/,
  },
  {
    name: 'A13: an approval of another plan',
    arrange: () => on.approve('bob', { commit_id: on.tip('q') }),
    why: /which is not the current plan/,
  },
  {
    name: 'B3: a pull request from a fork',
    arrange: () => (on.approve('bob'), on.fromFork()),
    why: /has no pull request/,
  },
  {
    name: 'B3: a pull request from a fork that is gone',
    arrange: () => (on.approve('bob'), void (pullOf('p').head.repo = null)),
    why: /has no pull request/,
  },
]

/** A hundred who only comment, between an approval and what comes then. */
function readers(last: () => unknown): void {
  on.approve('bob')
  for (let count = 0; count < 100; count += 1) on.server.review(`reader${count}`, 'COMMENTED', { commit_id: on.tip() })
  last()
}

/** In this process: starting another one for each would take most of the time. */
const started = (plan: string): Promise<unknown> =>
  openPlans({ directory: on.repo.dir, env: on.repo.env })
    .start({ plan })
    .catch((error: unknown) => error)

test.each(cases.map((each) => [each.name, each] as const))(
  '%s',
  async (_, { arrange, why, code = 'not-approved', exitCode = 3, plan = 'p' }) => {
    arrange()
    expect(await started(plan)).toMatchObject({ code, exitCode, message: expect.stringMatching(why) as string })
    expect(canary.sang).toBe(false)
    expect(picture(on.repo)).toEqual(before)
  },
)

test('A11: no answer in time', async () => {
  instead({ hangs: true })
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  const soon = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(Math.min(ms, 100)))
  expect(await started('p')).toMatchObject({
    code: 'forge',
    exitCode: 3,
    message: expect.stringContaining('no answer within') as string,
  })
  soon.mockRestore()
  expect(canary.sang).toBe(false)
  expect(picture(on.repo)).toEqual(before)
})

test('A1, A11: what the program says, and with which exit code', async () => {
  on.approve('bob', { commit_id: oid('b') })
  expect(refusalOf(await on.repo.plan(['start', 'p', '--json']))).toMatchObject({ code: 'not-approved', exitCode: 3 })
  instead({ status: 404, json: { message: 'Not Found' } })
  expect(refusalOf(await on.repo.plan(['start', 'p', '--push', '--json']))).toMatchObject({
    code: 'forge',
    exitCode: 3,
  })
  expect(canary.sang).toBe(false)
  expect(picture(on.repo)).toEqual(before)
})

describe('on a branch that others can push to', () => {
  let forge: ForgeRepo | undefined
  afterEach(() => forge?.close())
  const review = '{ from: [review], count: 1 }'
  const two = (song: Canary): string =>
    `  - {id: one, create: one.txt, content: "1"}\n  - {id: two, effect: external, run: ${JSON.stringify(`sh do.sh; ${song.command}-two`)}}`

  async function submitted(): Promise<{ forge: ForgeRepo; song: Canary }> {
    forge = await ForgeRepo.start(
      `approval: { low: ${review}, medium: ${review}, high: ${review}, critical: ${review} }\n`,
    )
    const { repo } = forge
    const song = new Canary(repo)
    repo.write('do.sh', 'true\n')
    repo.commit('Script')
    repo.git(['push', '-q', 'origin', 'main'])
    await forge.propose(two(song))
    await forge.expect(0, ['submit', 'p'])
    forge.approve('bob')
    return { forge, song }
  }

  /** Somebody else, in a clone of their own: what is committed there is on the remote. */
  function elsewhere({ repo, bare }: ForgeRepo, files: Readonly<Record<string, string>>, message: string): void {
    const clone = repo.path('../eve')
    repo.git(['clone', '-q', '-b', 'plan/p', bare, clone])
    for (const [path, text] of Object.entries(files))
      repo.git(['-c', `alias.put=!cat >"${path}"`, 'put'], { cwd: clone, input: text })
    repo.git(['-c', 'user.name=Eve', '-c', 'user.email=eve@example.com', 'commit', '-q', '-a', '-m', message], {
      cwd: clone,
    })
    repo.git(['push', '-q', 'origin', 'HEAD:plan/p'], { cwd: clone })
  }

  test('A9: a push between check and start: what was looked at runs, or nothing', async () => {
    const { forge: there, song } = await submitted()
    await there.expect(0, ['check', 'p'])
    elsewhere(there, { 'do.sh': `${song.command}\n` }, 'Another script')
    const refs = there.repo.git(['for-each-ref'], { cwd: there.bare })
    const refusal = refusalOf(await there.repo.plan(['start', 'p', '--push', '--json']))
    expect(refusal).toMatchObject({ code: 'branch-moved', exitCode: 4 })
    expect(song.sang).toBe(false)
    expect(there.repo.git(['for-each-ref'], { cwd: there.bare })).toBe(refs)
  })

  test.each([
    ['a script that a step calls', 'Another script', /unapproved commits: \w+ Another script/],
    [
      'a script, in a commit that says it is a step of the plan',
      'STEP',
      /pushed by @eve, and nothing proves|is not a commit that git plan would make/,
    ],
  ])('A9: %s, changed on the branch after the approval', async (_, message, why) => {
    const { forge: there, song } = await submitted()
    const { repo } = there
    const text = repo
      .git(['show', 'plan/p:.plans/p.md'])
      .replace('status: proposed\nstate: {}', 'status: active\nstate:\n  one: done')
    const digest = repo.git(['log', '-1', '--format=%(trailers:key=Plan-Digest,valueonly)', 'plan/p']).trim()
    const isStep = message === 'STEP'
    const step = `Create one.txt\n\nPlan-Id: p\nPlan-Event: step\nPlan-Step: one\nPlan-Attempt: 1\nPlan-Digest: ${digest}\n`
    elsewhere(
      there,
      { 'do.sh': `${song.command}\n`, ...(isStep ? { '.plans/p.md': `${text}\n` } : {}) },
      isStep ? step : message,
    )
    there.pusher = 'eve'
    await there.expect(0, ['fetch', 'p'])
    const now = picture(repo)
    const refusal = refusalOf(await repo.plan([isStep ? 'resume' : 'start', 'p', '--json']))
    expect(refusal, JSON.stringify(refusal)).toMatchObject({
      code: 'not-approved',
      exitCode: 3,
      message: expect.stringMatching(why) as string,
    })
    expect(song.sang).toBe(false)
    expect(picture(repo)).toEqual(now)
    // Not even a review makes a step of it that the executor would not have made.
    there.approve('bob')
    if (isStep) expect((await repo.plan(['resume', 'p'])).code).toBe(3)
  })

  test.each<[string, (there: ForgeRepo) => void, number, string]>([
    [
      'A12: withdrawn by a person during the run',
      (there) => void there.server.review('bob', 'CHANGES_REQUESTED', { commit_id: there.tip() }),
      3,
      '@bob to withdraw the requested changes',
    ],
    [
      'A12: dismissed by a push of somebody else during the run',
      (there) => takenBack(there, oid('c')),
      3,
      'was dismissed',
    ],
    ['A12: dismissed by our own push during the run', (there) => takenBack(there, there.tip()), 0, 'Completed'],
  ])('%s', async (_, arrange, code, why) => {
    const { forge: there, song } = await submitted()
    // Asked for the first time before the run, for the second before the step that cannot be taken back.
    let asked = 0
    there.server.http.fault(() => ({ hangs: true }), {
      times: 99,
      when: ({ path }) => (path.endsWith('/reviews') && (asked += 1) === 2 && arrange(there), false),
    })
    const ran = await there.repo.plan(['start', 'p', '--push'])
    expect(ran.code, ran.all).toBe(code)
    expect(ran.all).toContain(why)
    expect(there.repo.subjects('plan/p')).toContain('Create one.txt')
    expect(there.repo.subjects('plan/p').some((subject) => subject.startsWith('Run sh do.sh'))).toBe(code === 0)
    expect(song.sang).toBe(false)
  })

  function takenBack({ server }: ForgeRepo, commit: string): void {
    const [given] = server.state.reviews
    if (given === undefined) throw new Error('no review')
    given.state = 'DISMISSED'
    server.state.timeline.push({
      event: 'review_dismissed',
      actor: someone('planner'),
      dismissed_review: {
        state: 'approved',
        review_id: Number(given.id),
        dismissal_message: null,
        dismissal_commit_id: commit,
      },
    })
  }

  test('A13: an approval that the branch says it has from another repository, and none is on the forge', async () => {
    const { forge: there, song } = await submitted()
    const { repo, server } = there
    server.state.reviews = []
    const [proposal, base] = repo.git(['log', '-2', '--format=%H', 'plan/p']).split('\n')
    const digest = repo.git(['log', '-1', '--format=%(trailers:key=Plan-Digest,valueonly)', 'plan/p']).trim()
    const trailers = `Plan-Id: p\nPlan-Event: approved\nPlan-Digest: ${digest}\nPlan-Approved-By: @bob\nPlan-Approval: review\nPlan-Base: ${base}\nPlan-Policy: ${repo.git(['rev-parse', 'main:.plans/config.yml'])}`
    const blob = repo.git(['hash-object', '-w', '--stdin'], {
      input: `${repo.git(['show', 'plan/p:.plans/p.md']).replace('status: proposed', 'status: approved')}\n`,
    })
    const index = { env: { GIT_INDEX_FILE: repo.path('../index') } }
    repo.git(['read-tree', 'plan/p'], index)
    repo.git(['update-index', '--cacheinfo', `100644,${blob},.plans/p.md`], index)
    const message = `Approved: p\n\n${trailers}\nPlan-Review: ${server.http.host}/other/repository#7/100\nPlan-Reviewed: ${proposal}\n`
    repo.git([
      'update-ref',
      'refs/heads/plan/p',
      repo.git(['commit-tree', '-p', 'plan/p', '-F', '-', repo.git(['write-tree'], index)], { input: message }),
    ])
    expect(JSON.parse((await repo.plan(['status', 'p', '--json'])).stdout)).toMatchObject({ status: 'approved' })
    const now = picture(repo)
    const refusal = refusalOf(await repo.plan(['start', 'p', '--json']))
    expect(refusal).toMatchObject({ code: 'not-approved', exitCode: 3 })
    expect(song.sang).toBe(false)
    expect(picture(repo)).toEqual(now)
  })
})

test('the same plan with one good approval is run', async () => {
  on.server.state.apps['robot'] = 'acme'
  on.approve('robot[bot]', { type: 'Bot' })
  await on.expect(0, ['start', 'p'])
  expect(canary.sang).toBe(true)
})
