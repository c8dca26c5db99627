// A plan that is approved by reviews of its pull request, on a forge on loopback.

import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { planText, TestRepo } from '../helpers/repo.ts'
import { drawn } from '../helpers/drawn-secrets.ts'
import { ForgeRepo } from '../helpers/forge.ts'
import { GitLabRepo } from '../helpers/gitlab-repo.ts'
import { someone } from '../forge/servers/github-server.ts'
import { isWide } from '../helpers/wide.ts'

let forge: ForgeRepo | undefined
afterEach(() => forge?.close())

const byReview =
  'approval: { low: { from: [review], count: 1, not: [author, last-pusher] }, high: { from: [review], count: 1 } }\n'
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
  expect(pull?.body).toMatch(
    /<details open><summary>1\. <code>one<\/code> \(create, risk LOW\)<\/summary>\n\n```text\ncreate: one\.txt\ncontent: 1\n```/,
  )
  expect(pull?.body).toContain(
    '1 approval is needed, by review here, from people with write access, not from the author or whoever pushed last',
  )
  expect(repo.git(['rev-parse', 'plan/p'], { cwd: bare })).toBe(forge?.tip())
  await forge?.expect(
    0,
    ['replan', 'p', '--from', '-', '-m', 'two is *better*'],
    planText('  - {id: two, create: two.txt, content: "2", allow: [syntax]}'),
  )
  const again = await forge?.expect(0, ['submit', 'p', '--json'])
  expect(JSON.parse(again?.stdout ?? '')).toMatchObject({ kind: 'submitted', pullRequest: { isNew: false } })
  expect(server.state.pulls).toHaveLength(1)
  expect(pull?.body).toContain('| 1 | `two` |')
  expect(pull?.body).toContain('- **warning** `two`: ')
  expect(pull?.body).toContain(
    '### Changed since the previous text\n\n- why: two is \\*better\\*\n- new: `two`\n- removed: `one`\n',
  )
  expect(pull?.body).toContain('- create: one.txt')
})

test('O3 what goes to the forge holds no token and no value of `secrets`: title, text, comment, status, commits, not even in two halves', async () => {
  const token = `ghp_${drawn('word', 36)}`
  const value = 'hunter2_with_signs'
  forge = await ForgeRepo.start(
    `approval: { high: { from: [local], count: 1 }, critical: { from: [local], count: 1 } }\nvalidation: { secrets: false }\n`,
  )
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
  const sent = JSON.stringify([server.state.pulls, server.state.comments, server.state.statuses, messages]).replaceAll(
    '\\',
    '',
  )
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
      text(
        '  - {id: one, run: sh do.sh}\n  - {id: two, run: test -e fixed.txt}\n  - {id: three, create: three.txt, content: "3"}',
      ),
    )
    await forge.expect(0, ['submit', 'p'])
    const old = await forge.expect(3, ['start', 'p'])
    expect(old.all.match(/@bob/g)).toHaveLength(1)
    expect(old.all).toContain('@bob reviewed an older state of the plan (')

    // The right one, and a run that fails at its second step; what it pushes dismisses the review, as protected
    // branches have it.
    forge.approve('bob')
    const failed = await forge.expect(1, ['start', 'p', '--push'])
    expect(failed.all).not.toContain('not approved')
    expect(
      repo.git([
        'log',
        '--format=%(trailers:key=Plan-Approved-By,valueonly)%(trailers:key=Plan-Review,valueonly)',
        'plan/p',
      ]),
    ).toContain('@bob')
    expect(repo.git(['rev-parse', 'plan/p'], { cwd: forge.bare })).toBe(forge.tip())
    expect(server.state.comments.at(-1)?.body).toContain('1 of 3 steps done')
    expect(server.state.comments.at(-1)?.body).toContain('(failed: exit code 1)')
    expect(server.state.comments.at(-1)?.body).toContain('- `git plan resume p --retry two --push`')
    expect(server.state.pulls[0]?.body).toContain('**The plan is failed.** To continue: `git plan resume p`')
    expect(server.state.statuses.at(-1)).toMatchObject({ state: 'failure', context: 'git-plan/p', commit: forge.tip() })
    const review = server.state.reviews.at(-1)
    if (review === undefined) throw new Error('no review')
    review.state = 'DISMISSED'
    server.state.timeline.push({
      event: 'review_dismissed',
      actor: someone('planner'),
      dismissed_review: {
        state: 'approved',
        review_id: Number(review.id),
        dismissal_message: null,
        dismissal_commit_id: forge.tip(),
      },
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
    expect((await forge.expect(4, ['resume', 'p'])).all).toContain('commits that git plan did not make')
    repo.git(['reset', '-q', '--hard', before])

    // Dismissed by our own push: it goes on, and fails where it failed.
    await forge.expect(1, ['resume', 'p'])
    await forge.expect(
      0,
      ['replan', 'p', '--from', '-'],
      text(
        '  - {id: one, run: sh do.sh}\n  - {id: two, run: test -e out.txt}\n  - {id: three, create: three.txt, content: "3"}',
      ),
    )
    await forge.expect(3, ['resume', 'p'])
    await forge.expect(0, ['submit', 'p'])
    expect(server.state.pulls[0]?.body).toContain(
      '### Changed since the last approval\n\n- changed: `two`\n- already done, unchanged: `one`\n',
    )
    expect(server.state.pulls[0]?.body).toContain('\n- run: test -e fixed.txt\n')
    expect(server.state.pulls[0]?.body).toContain('\n+ run: test -e out.txt\n')
    expect(server.state.pulls[0]?.body).toContain('Then: `git plan resume p`')
    forge.approve('cleo')
    await forge.expect(0, ['resume', 'p', '--push'])
    expect(server.state.pulls[0]?.body).toContain('**The plan has run; this is its result.**')
    expect(server.state.pulls[0]?.body).not.toContain('git plan start')
    expect(server.state.statuses.at(-1)).toMatchObject({ state: 'success', commit: forge.tip() })
    // Whoever approves by reviews looks at what came of it, too.
    expect((await forge.expect(3, ['finish', 'p'])).all).toContain('the result of plan p is not approved')
    forge.approve('cleo')
    await forge.expect(0, ['finish', 'p', '--push'])
    expect(repo.git(['show', 'main:three.txt'])).toBe('3')

    // Somebody else, with nothing but a clone, and no forge to ask.
    const clone = join(repo.home, 'clone')
    repo.git(['clone', '-q', forge.bare, clone])
    const offline = { cwd: clone, env: { GH_ENTERPRISE_TOKEN: undefined } }
    const fetched = await repo.plan(['fetch', 'p'], offline)
    expect(fetched, fetched.all).toMatchObject({ code: 0 })
    const audited = await repo.plan(['audit', 'p', '--json'], offline)
    expect(audited, audited.all).toMatchObject({ code: 0 })
    expect(JSON.parse(audited.stdout)).toMatchObject({
      holds: true,
      plans: [{ steps: 3, approvals: [{ by: '@cleo', from: 'review' }] }],
    })
    expect((await repo.plan(['audit', 'HEAD~1..HEAD'], offline)).code).toBe(0)
  },
)

// Who does not count: test/security/approval.test.ts.
describe('who counts', () => {
  test('A7: a team is one of its own organisation, not one of the same name here', async () => {
    const on = await submitted('approval: { low: { from: [review], teams: [security/platform] } }\n')
    on.server.state.teams = { 'security/platform': { cleo: 'active' }, 'acme/platform': { bob: 'active' } }
    on.approve('bob')
    expect((await on.expect(3, ['start', 'p'])).all).toContain('the policy accepts only the team security/platform')
    on.approve('cleo')
    await on.expect(0, ['start', 'p'])
  })

  test('A3, A8: a later comment does not take an approval back; it is found on the second page', async () => {
    const on = await submitted()
    on.approve('reader', { permission: 'read' })
    const refused = await on.expect(3, ['start', 'p'])
    expect(refused.all).toContain('plan p is not approved: @reader may not write to the repository')
    for (let count = 0; count < 101; count += 1)
      on.server.review(`reader${count}`, 'COMMENTED', { commit_id: on.tip() })
    on.approve('bob')
    on.server.review('bob', 'COMMENTED', { commit_id: on.tip() })
    await on.expect(0, ['start', 'p'])
  })

  test('--wait goes on when the review comes', async () => {
    const on = await submitted()
    const running = on.repo.plan(['start', 'p', '--wait'])
    await expect.poll(() => on.server.http.count('GET', /reviews$/), { timeout: 60_000 }).toBeGreaterThan(1)
    expect((await on.expect(0, ['status', 'p'])).all).toMatch(/status +waiting for reviews of http/)
    on.server.review('carol', 'CHANGES_REQUESTED', { commit_id: on.tip() })
    const asked = on.server.http.count('GET', /reviews$/)
    await expect.poll(() => on.server.http.count('GET', /reviews$/), { timeout: 60_000 }).toBeGreaterThan(asked)
    on.approve('carol')
    const ran = await running
    expect(ran.code, ran.all).toBe(0)
    // Said once, and once more when it was another thing.
    expect(ran.all.match(/waiting for reviews of/g)).toHaveLength(2)
    expect(ran.all.match(/@carol to withdraw the requested changes/g)).toHaveLength(1)
    expect(ran.all).toContain('approved by @carol')
    expect((await on.expect(0, ['status', 'p'])).all).not.toContain('waiting for')
  })
})

test('the result is reviewed, made ready and merged on the forge', { timeout: 120_000 }, async () => {
  const on = await submitted(`${byReview.trimEnd().slice(0, -1)}, result_review: required }\n`)
  on.approve('bob')
  await on.expect(0, ['start', 'p', '--push'])
  const early = await on.expect(3, ['finish', 'p', '--remote'])
  expect(early.all).toContain('the result of plan p is not approved')
  // A branch that says there was a review is no review.
  const completed = on.tip()
  const said = on.repo
    .git(['log', '-1', '--grep=Plan-Event: approved', '--format=%B', 'plan/p'])
    .replace(/^Plan-Reviewed: .*$/m, `Plan-Reviewed: ${completed}`)
  on.repo.git(['commit', '-q', '--allow-empty', '-m', said])
  expect((await on.expect(3, ['finish', 'p'])).all).toContain('the result of plan p is not approved')
  on.repo.git(['reset', '-q', '--hard', completed])
  on.approve('bob')
  await on.expect(0, ['finish', 'p', '--ready'])
  const [pull] = on.server.state.pulls
  expect(pull?.draft).toBe(false)
  if (pull === undefined) throw new Error('no pull request')
  pull.head.sha = on.tip()
  const tip = on.tip()
  await on.expect(0, ['finish', 'p', '--remote'])
  expect(pull.merged_at).not.toBeNull()
  // What was reviewed is what was merged; who reviewed it is recorded above that.
  expect(on.repo.git(['rev-parse', 'refs/plan/p/final^'])).toBe(tip)
  expect(on.repo.git(['rev-parse', 'refs/plan/p/final'], { cwd: on.bare })).toBe(
    on.repo.git(['rev-parse', 'refs/plan/p/final']),
  )
  expect(on.repo.git(['branch', '--show-current'])).toBe('main')
  // The base of this clone does not have the merge: there is nothing to push.
  const status = await on.expect(0, ['status', 'p'])
  expect(status.all).not.toContain('the merge is not pushed')
  expect(status.all).not.toContain('git plan finish')
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
  expect(on.repo.git(['for-each-ref', '--format=%(refname)', 'refs/plan/p'], { cwd: other })).toContain(
    'refs/plan/p/attempts/two/1',
  )
  on.repo.git(['checkout', '-q', 'plan/p'], { cwd: other })
  // Who has pushed what is there decides whether it counts; a forge that does not tell is no yes.
  const { pushed } = on.server
  on.server.pushed = () => undefined
  const unknown = await on.repo.plan(['resume', 'p', '--skip', 'two', '--push'], { cwd: other })
  expect(unknown.all).toContain('pushed by an unknown user, and nothing proves that git plan made them')
  // Nor is a copy of the review's record on top of them, which anybody can push.
  const tip = on.repo.git(['rev-parse', 'plan/p'], { cwd: other })
  const review = on.repo.git(['log', '-1', '--format=%B', '--grep=Plan-Event: approved', 'plan/p'], { cwd: other })
  const copy = on.repo.git(['commit-tree', '-p', tip, '-F', '-', `${tip}^{tree}`], { cwd: other, input: review })
  on.repo.git(['reset', '-q', '--hard', copy], { cwd: other })
  const forged = await on.repo.plan(['resume', 'p', '--skip', 'two'], { cwd: other })
  expect(forged.code, forged.all).toBe(3)
  on.repo.git(['reset', '-q', '--hard', tip], { cwd: other })
  on.server.pushed = pushed
  const resumed = await on.repo.plan(['resume', 'p', '--skip', 'two', '--push'], { cwd: other })
  expect(resumed.code, resumed.all).toBe(0)
  expect(on.repo.git(['log', '-1', '--format=%s', 'plan/p'], { cwd: on.bare })).toContain('Completed')
  // What the first clone has not seen is not overwritten by it.
  on.repo.git(['checkout', '-q', 'plan/p'])
  const late = await on.repo.plan(['resume', 'p', '--skip', 'two', '--push'])
  expect(late.code, late.all).toBe(4)
  expect(late.all).toContain('git plan fetch p')
})

test.skipIf(!isWide)('a line of CODEOWNERS may name a group of GitLab as it may name a person', async () => {
  const on = await GitLabRepo.start('approval: { high: { from: [review], count: 1, codeowners: true } }\n')
  try {
    on.repo.write('CODEOWNERS', '* @security\n')
    on.repo.commit('Owners')
    on.repo.git(['push', '-q', 'origin', 'main'])
    await on.propose('  - {id: one, run: echo 1 > one.txt}')
    await on.expect(0, ['submit', 'p'])
    on.server.members['security'] = { dora: { access_level: 30 } }
    on.approve('bob')
    expect((await on.expect(3, ['start', 'p'])).all).toContain('@security, owner of')
    on.approve('dora')
    await on.expect(0, ['start', 'p'])
    expect((await on.expect(0, ['audit', 'p'])).all).not.toContain('owner of')
  } finally {
    await on.close()
  }
})

test.skipIf(!isWide)(
  'what was pushed before and is no more on the branch, what stays on the remote, and a remote that is not there are told',
  { timeout: 120_000 },
  async () => {
    const on = await submitted('approval: { result_review: none }\n')
    await on.expect(0, ['start', 'p', '--approve', '--push'])
    const pushed = on.tip()
    on.repo.git(['reset', '-q', '--hard', 'HEAD~1'])
    const rewritten = await on.expect(0, ['submit', 'p'])
    expect(rewritten.all).toContain(`force-pushed plan/p to origin (was ${pushed.slice(0, 10)}, 1 commit replaced)`)
    expect(rewritten.all).toContain(`git log ${on.tip().slice(0, 10)}..${pushed.slice(0, 10)}`)
    await on.expect(0, ['resume', 'p', '--push'])
    const finished = await on.expect(0, ['finish', 'p', '--squash', '--push'])
    expect(finished.all).toContain('plan/p is still on origin')
    expect(finished.all).toMatch(/its pull request http\S+ is still open/)
    expect(finished.all).toContain('git push origin --delete plan/p')

    await on.propose('  - {id: other, create: other.txt, content: other}', 'q')
    on.repo.git(['config', '--unset', `url.${on.bare}.insteadOf`])
    on.repo.git(['config', `url.${on.bare}-gone.insteadOf`, on.url])
    const gone = await on.expect(3, ['submit', 'q'])
    expect(gone.all).toMatch(/cannot read plan\/q from origin: .*does not appear to be a git repository/)
    expect(gone.all).toContain('Hint: check its URL:     git remote get-url --push origin')
  },
)

test('a server that is no forge: the plan is pushed, and a review is asked of nobody', async () => {
  const repo = new TestRepo()
  const bare = join(repo.home, 'remote.git')
  repo.git(['init', '-q', '--bare', '-b', 'main', bare])
  repo.git(['config', `url.${bare}.insteadOf`, 'https://git.example.com/widgets.git'])
  repo.git(['remote', 'add', 'origin', 'https://git.example.com/widgets.git'])
  repo.git(['config', 'plan.policyRef', 'main'])
  repo.git(['push', '-q', 'origin', 'main'])
  await repo.plan(['new', '--from', '-', '--id', 'p'], { input: planText('  - {id: one, run: echo 1 > one.txt}') })
  const submitted = await repo.plan(['submit', 'p'])
  expect(submitted, submitted.all).toMatchObject({ code: 0 })
  expect(submitted.all).toContain('is not a known forge')
  expect(repo.git(['rev-parse', 'plan/p'], { cwd: bare })).toBe(repo.git(['rev-parse', 'plan/p']))
  const ready = await repo.plan(['start', 'p', '--approve', '--push'])
  expect(ready, ready.all).toMatchObject({ code: 0 })
  const finished = await repo.plan(['finish', 'p', '--ready'])
  expect(finished, finished.all).toMatchObject({ code: 3 })
  expect(finished.all).toContain('git remote get-url origin')
})
