// A plan that is approved by reviews of its pull request, on a forge on loopback.

import { afterEach, describe, expect, test } from 'vitest'
import { planText } from '../helpers/repo.ts'
import { drawn } from '../helpers/drawn-secrets.ts'
import { ForgeRepo } from '../helpers/forge.ts'
import { someone } from '../forge/servers/github-server.ts'

let forge: ForgeRepo | undefined
afterEach(() => forge?.close())

const byReview = 'approval: { low: { from: [review], count: 1, not: [author, last-pusher] }, high: { from: [review], count: 1 } }\n'
const one = '  - {id: one, create: one.txt, content: "1"}'

async function submitted(policy = byReview, steps = one): Promise<ForgeRepo> {
  forge = await ForgeRepo.start(policy)
  await forge.propose(steps)
  await forge.expect(0, ['submit', 'p'])
  return forge
}

test('submit pushes the branch and opens a draft that says what the plan is; again, it is brought up to date', async () => {
  const { repo, server, bare } = await submitted()
  const [pull] = server.state.pulls
  expect(pull).toMatchObject({ draft: true, state: 'open', title: 'p', head: { ref: 'plan/p' }, base: { ref: 'main' } })
  const { digest } = JSON.parse((await repo.plan(['status', 'p', '--json'])).stdout) as { digest: string }
  expect(pull?.body).toContain(digest)
  expect(pull?.body).toContain('| 1 | `one` |')
  expect(pull?.body).toContain('```mermaid')
  expect(pull?.body).toContain('**Risk LOW**')
  expect(repo.git(['rev-parse', 'plan/p'], { cwd: bare })).toBe(forge?.tip())
  await forge?.expect(0, ['replan', 'p', '--from', '-'], planText('  - {id: two, create: two.txt, content: "2"}'))
  const again = await forge?.expect(0, ['submit', 'p', '--json'])
  expect(JSON.parse(again?.stdout ?? '')).toMatchObject({ kind: 'submitted', pullRequest: { isNew: false } })
  expect(server.state.pulls).toHaveLength(1)
  expect(pull?.body).toContain('| 1 | `two` |')
})

test('O3 what goes to the forge holds no token and no value of `secrets`: title, text, comment, status, commits, not even in two halves', async () => {
  const token = `ghp_${drawn('word', 36)}`
  const value = 'hunter2_with_signs'
  forge = await ForgeRepo.start(`approval: { high: { from: [local], count: 1 }, critical: { from: [local], count: 1 } }\nvalidation: { secrets: false }\n`)
  const { repo, server, bare } = forge
  repo.env['TOKEN'] = value
  const plan = `---
title: "Use ${token} and ${value}"
request: "Please take ${token}"
steps:
  - {id: one, title: "Write ${value}", secrets: [TOKEN], run: echo "$TOKEN"; exit 1}
  - {id: two, title: "Delete ${token}", needs: [], create: "deploy/${token}.txt", content: "x"}
---

Because of ${token.slice(0, 20)}<!-- a remark -->${token.slice(20)} and ${value}.
`
  await forge.expect(0, ['new', '--from', '-', '--id', 'p'], plan)
  await forge.expect(0, ['submit', 'p'])
  await forge.expect(1, ['start', 'p', '--approve', '--push', '--keep-going'])
  const [pull] = server.state.pulls
  expect(pull?.title).toBe('Use [secret] and [secret]')
  expect(pull?.body).toContain('Because of [secret] and [secret].')
  expect(pull?.body).toMatch(/`two` CRITICAL: .*\\\[secret\\\]\.txt/)
  expect(server.state.comments.at(-1)?.body).toContain('Write \\[secret\\]')
  expect(server.state.statuses.at(-1)).toMatchObject({ description: 'Use [secret] and [secret]: failed' })
  const messages = repo.git(['log', '--all', '--format=%B%N', '--notes=refs/notes/plan/p'], { cwd: bare })
  expect(messages).toContain('Please take [secret]')
  const sent = JSON.stringify([server.state.pulls, server.state.comments, server.state.statuses, messages]).replaceAll('\\', '')
  for (const part of [token.slice(4, 20), token.slice(20), value]) expect(sent).not.toContain(part)
})

test(
  'from proposal to merge: an old review, the right one, pushes that dismiss it, changes that nobody approved, a new approval',
  { timeout: 300_000 },
  async () => {
    forge = await ForgeRepo.start(byReview)
    const { repo, server } = forge
    repo.write('do.sh', 'echo fine > out.txt\n')
    repo.commit('Script')
    repo.git(['push', '-q', 'origin', 'main'])
    const text = (steps: string): string => planText(steps)
    await forge.propose('  - {id: one, run: sh do.sh}\n  - {id: two, run: test -e fixed.txt}')
    await forge.expect(0, ['submit', 'p'])
    forge.approve('bob')
    await forge.expect(
      0,
      ['replan', 'p', '--from', '-'],
      text('  - {id: one, run: sh do.sh}\n  - {id: two, run: test -e fixed.txt}\n  - {id: three, create: three.txt, content: "3"}'),
    )
    await forge.expect(0, ['submit', 'p'])
    const old = await forge.expect(3, ['start', 'p'])
    expect(old.all).toContain('which is not this plan as it is now')

    // The right one, and a run that fails at its second step; what it pushes dismisses the review, as protected branches have it.
    forge.approve('bob')
    const failed = await forge.expect(1, ['start', 'p', '--push'])
    expect(failed.all).not.toContain('not approved')
    expect(repo.git(['log', '--format=%(trailers:key=Plan-Approved-By,valueonly)%(trailers:key=Plan-Review,valueonly)', 'plan/p'])).toContain('@bob')
    expect(repo.git(['rev-parse', 'plan/p'], { cwd: forge.bare })).toBe(forge.tip())
    expect(server.state.comments.at(-1)?.body).toContain('1 of 3 steps done')
    expect(server.state.statuses.at(-1)).toMatchObject({ state: 'failure', context: 'git-plan/p', commit: forge.tip() })
    const review = server.state.reviews.at(-1)
    if (review === undefined) throw new Error('no review')
    review.state = 'DISMISSED'
    server.state.timeline.push({
      event: 'review_dismissed',
      actor: someone('planner'),
      dismissed_review: { state: 'approved', review_id: Number(review.id), dismissal_message: null, dismissal_commit_id: forge.tip() },
    })

    // A change of the plan file and one of a script, by hand on the branch: both are refused.
    const before = forge.tip()
    repo.write('.plans/p.md', repo.read('.plans/p.md').replace('test -e fixed.txt', 'true'))
    expect((await forge.expect(3, ['resume', 'p'])).all).toContain('was changed in the work tree')
    repo.commit('Another plan')
    expect((await forge.expect(3, ['resume', 'p'])).all).toContain('changed the plan file')
    repo.git(['reset', '-q', '--hard', before])
    repo.write('do.sh', 'echo other > out.txt\n')
    repo.commit('Another script')
    expect((await forge.expect(4, ['resume', 'p'])).all).toContain("commits that are not the executor's")
    repo.git(['reset', '-q', '--hard', before])

    // Dismissed by our own push: it goes on, and fails where it failed.
    await forge.expect(1, ['resume', 'p'])
    await forge.expect(
      0,
      ['replan', 'p', '--from', '-'],
      text('  - {id: one, run: sh do.sh}\n  - {id: two, run: test -e out.txt}\n  - {id: three, create: three.txt, content: "3"}'),
    )
    await forge.expect(3, ['resume', 'p'])
    await forge.expect(0, ['submit', 'p'])
    forge.approve('cleo')
    await forge.expect(0, ['resume', 'p', '--push'])
    expect(server.state.statuses.at(-1)).toMatchObject({ state: 'success', commit: forge.tip() })
    await forge.expect(0, ['finish', 'p'])
    expect(repo.git(['show', 'main:three.txt'])).toBe('3')
  },
)

describe('who counts', () => {
  test.each<[string, (forge: ForgeRepo) => void, string]>([
    ['A2: a review without a commit', (on) => on.approve('bob', { commit_id: undefined as never }), 'forge'],
    [
      'A3: changes requested after an approval',
      (on) => (on.approve('bob'), void on.server.review('bob', 'CHANGES_REQUESTED', { commit_id: on.tip() })),
      '@bob has requested changes',
    ],
    ['A3: dismissed by a person', (on) => dismissed(on), 'was dismissed'],
    ['A4: the author', (on) => on.approve('author'), 'wrote the plan'],
    ['A4: who pushed last', (on) => (pushedBy(on, 'bob'), on.approve('bob')), 'made the last change'],
    ['A5: a bot', (on) => on.approve('robot[bot]', { type: 'Bot' }), 'a bot'],
    ['A6: who may not write', (on) => on.approve('bob', { permission: 'read' }), 'may not write'],
    ['A8: a review that is not submitted', (on) => void on.server.review('bob', 'PENDING', { commit_id: on.tip() }), '0 of 1'],
    ['A8: a user who is gone', (on) => void on.server.review(null, 'APPROVED', { commit_id: on.tip() }), 'a user who is gone'],
    ['A10: another base', (on) => (on.approve('bob'), void (on.server.state.pulls[0]!.base.ref = 'other')), 'is for other'],
    [
      'A11: the forge is down',
      (on) => (on.approve('bob'), on.server.http.fault({ status: 502, json: {} }, { times: 99, when: ({ path }) => path.endsWith('/reviews') })),
      '502',
    ],
    [
      'A11: no permission to ask',
      (on) => (
        on.approve('bob'),
        on.server.http.fault({ status: 403, json: { message: 'no' } }, { times: 99, when: ({ path }) => path.endsWith('/permission') })
      ),
      'the token may not do this',
    ],
  ])('%s is no approval', async (_, arrange, why) => {
    const on = await submitted()
    arrange(on)
    const before = on.repo.git(['for-each-ref'])
    const ran = await on.repo.plan(['start', 'p'])
    expect(ran.code, ran.all).toBe(3)
    expect(ran.all).toContain(why)
    expect(on.repo.git(['for-each-ref'])).toBe(before)
  })

  test('A3, A8: a later comment does not take an approval back; it is found on the second page', async () => {
    const on = await submitted()
    for (let count = 0; count < 101; count += 1) on.server.review(`reader${count}`, 'COMMENTED', { commit_id: on.tip() })
    on.approve('bob')
    on.server.review('bob', 'COMMENTED', { commit_id: on.tip() })
    await on.expect(0, ['start', 'p'])
  })

  test('B3: a pull request from a fork is not run', async () => {
    const on = await submitted()
    on.approve('bob')
    on.server.state.pulls[0]!.head.repo = { id: 2, full_name: 'eve/widgets' }
    expect((await on.expect(3, ['start', 'p'])).all).toMatch(/another repository|no pull request/)
  })

  test('A12: an approval that a person takes back stops the run before the next step', async () => {
    const on = await submitted(byReview, '  - {id: one, run: sleep 3}\n  - {id: two, run: echo 2 > two.txt}')
    on.approve('bob')
    const running = on.repo.plan(['start', 'p'])
    await expect.poll(() => on.repo.git(['log', '--format=%s', 'plan/p']), { timeout: 60_000, interval: 200 }).toContain('Approved')
    on.server.review('bob', 'CHANGES_REQUESTED', { commit_id: on.tip() })
    const ran = await running
    expect(ran.code, ran.all).toBe(3)
    expect(ran.all).toContain('@bob has requested changes')
    expect((await on.repo.plan(['status', 'p', '--json'])).stdout).toContain('"done":1')
  })

  test('--wait goes on when the review comes', async () => {
    const on = await submitted()
    const running = on.repo.plan(['start', 'p', '--wait'])
    await expect.poll(() => on.server.http.count('GET', /reviews$/), { timeout: 60_000 }).toBeGreaterThan(1)
    on.approve('bob')
    const ran = await running
    expect(ran.code, ran.all).toBe(0)
    expect(ran.all).toContain('waiting for reviews of')
  })
})

test('the result is reviewed, made ready and merged on the forge', { timeout: 120_000 }, async () => {
  const on = await submitted(`${byReview.trimEnd().slice(0, -1)}, result_review: required }\n`)
  on.approve('bob')
  await on.expect(0, ['start', 'p', '--push'])
  const early = await on.expect(3, ['finish', 'p', '--remote'])
  expect(early.all).toContain('the result of plan p is not approved')
  on.approve('bob')
  await on.expect(0, ['finish', 'p', '--ready'])
  const [pull] = on.server.state.pulls
  expect(pull?.draft).toBe(false)
  if (pull === undefined) throw new Error('no pull request')
  pull.head.sha = on.tip()
  const tip = on.tip()
  await on.expect(0, ['finish', 'p', '--remote'])
  expect(pull.merged_at).not.toBeNull()
  expect(on.repo.git(['rev-parse', 'refs/plan/p/final'])).toBe(tip)
  expect(on.repo.git(['rev-parse', 'refs/plan/p/final'], { cwd: on.bare })).toBe(tip)
  expect(on.repo.git(['branch', '--show-current'])).toBe('main')
})

test('another clone fetches the plan with what is kept for it, and goes on', { timeout: 120_000 }, async () => {
  const on = await submitted(byReview, '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: test -e ok.txt}')
  on.approve('bob')
  await on.expect(1, ['start', 'p', '--push'])
  const other = on.repo.path('../other')
  on.repo.git(['clone', '-q', on.bare, other])
  on.repo.git(['remote', 'remove', 'origin'], { cwd: other })
  on.connect(other)
  on.repo.git(['fetch', '-q', 'origin'], { cwd: other })
  on.repo.git(['remote', 'set-head', 'origin', 'main'], { cwd: other })
  for (const [key, value] of [
    ['user.name', 'Dan'],
    ['user.email', 'dan@example.com'],
  ] as const)
    on.repo.git(['config', key, value], { cwd: other })
  const fetched = await on.repo.plan(['fetch', 'p'], { cwd: other })
  expect(fetched.code, fetched.all).toBe(0)
  expect(on.repo.git(['for-each-ref', '--format=%(refname)', 'refs/plan/p'], { cwd: other })).toContain('refs/plan/p/attempts/two/1')
  on.repo.git(['checkout', '-q', 'plan/p'], { cwd: other })
  const resumed = await on.repo.plan(['resume', 'p', '--skip', 'two', '--push'], { cwd: other })
  expect(resumed.code, resumed.all).toBe(0)
  expect(on.repo.git(['log', '-1', '--format=%s', 'plan/p'], { cwd: on.bare })).toContain('Completed')
  // What the first clone has not seen is not overwritten by it.
  on.repo.git(['checkout', '-q', 'plan/p'])
  const late = await on.repo.plan(['resume', 'p', '--skip', 'two', '--push'])
  expect(late.code, late.all).toBe(4)
  expect(late.all).toContain('git plan fetch p')
})

function dismissed(on: ForgeRepo): void {
  on.approve('bob')
  const review = on.server.state.reviews.at(-1)
  if (review === undefined) throw new Error('no review')
  review.state = 'DISMISSED'
  on.server.state.timeline.push({
    event: 'review_dismissed',
    actor: someone('dan'),
    dismissed_review: { state: 'approved', review_id: Number(review.id), dismissal_message: 'no' },
  })
}

function pushedBy(on: ForgeRepo, login: string): void {
  on.server.state.branches['plan/p'] = on.tip()
  on.server.state.activity.push({ activity_type: 'push', ref: 'refs/heads/plan/p', before: on.tip(), after: on.tip(), actor: someone(login) })
}
