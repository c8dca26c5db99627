// Ways around an approval: each is refused before anything runs.

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { canary, policy } from '../helpers/gate.ts'
import { planText, test, type Ran, type TestRepo } from '../helpers/repo.ts'

const as = (name: string): { env: Record<string, string> } => ({
  env: Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, name],
      [`GIT_${role}_EMAIL`, `${name}@x.org`],
    ]),
  ),
})
async function propose(repo: TestRepo, steps: string, more = '', who?: string): Promise<void> {
  const ran = await repo.plan(['new', '--from', '-', '--id', 'p'], {
    input: planText(steps, more),
    ...(who === undefined ? {} : as(who)),
  })
  expect(ran.code, ran.all).toBe(0)
}

function refused(repo: TestRepo, ran: Ran, why: string | RegExp, code = 3): void {
  expect(ran.code, ran.all).toBe(code)
  expect(ran.all).toMatch(why)
  expect(existsSync(canary(repo))).toBe(false)
}

const script = '  - {id: build, run: sh build.sh}'
const evil = (repo: TestRepo): void => repo.write('build.sh', `touch '${canary(repo)}'\n`)

async function withScript(repo: TestRepo): Promise<void> {
  repo.write('build.sh', 'true\n')
  repo.commit('Script')
  await propose(repo, script)
}

describe('too few', () => {
  test('one of two is not enough, also for whoever says --approve while starting', async ({ repo }) => {
    policy(repo, 'approval: { high: { from: [local], count: 2 } }')
    await propose(
      repo,
      `  - {id: one, run: touch '${canary(repo)}'}`,
      `preflight: ["touch '${canary(repo)}'"]\n`,
      'mallory',
    )
    refused(repo, await repo.plan(['start', 'p', '--approve'], as('alice')), '1 of 2 approvals')
    expect(repo.status()).toBe('')
  })

  test('nor while resuming under a policy that asks for more now', async ({ repo }) => {
    await propose(repo, `  - {id: one, run: test -e go}\n  - {id: two, run: touch '${canary(repo)}'}`)
    expect((await repo.plan(['start', 'p', '--approve'])).code).toBe(1)
    repo.git(['checkout', '-q', 'main'])
    policy(repo, 'approval: { high: { from: [local], count: 3 } }')
    repo.git(['checkout', '-q', 'plan/p'])
    repo.git(['config', 'plan.policyRef', 'main'])
    refused(repo, await repo.plan(['resume', 'p', '--approve', '--skip', 'one'], as('mallory')), '1 of 3 approvals')
  })

  test('who signs as alice and reviews as @alice is one person', async () => {
    const { isSamePerson } = await import('../../src/approval/rules/identity.ts')
    expect(isSamePerson({ email: 'Alice@x.org' }, { login: 'alice' })).toBe(true)
    expect(isSamePerson({ email: 'alicia@x.org' }, { login: 'alice' })).toBe(false)
  })
})

test.for(['preflight', 'setup', 'verify'])(
  'what the plan runs as %s is no less risky than a step',
  async (key, { repo }) => {
    policy(repo, 'approval: { low: none, high: { from: [signature], count: 2 } }')
    await propose(
      repo,
      '  - {id: one, create: one.txt, content: "1"}',
      `${key}: ${key === 'setup' ? `touch '${canary(repo)}'` : `["touch '${canary(repo)}'"]`}\n`,
    )
    refused(repo, await repo.plan(['start', 'p', '--worktree']), 'risk HIGH')
  },
)

test('what is low runs unasked, but a command that may read outside the repository is not low', async ({ repo }) => {
  policy(repo, 'approval: { low: none }')
  repo.write('../home/notes.txt', 'canary')
  await propose(repo, '  - {id: one, run: cat ~/notes.txt}\n  - {id: two, run: cat a.txt, verify: test -f /etc/passwd}')
  refused(repo, await repo.plan(['start', 'p']), 'not approved')
  expect((await repo.json(['check', 'p']))['reasons']).toEqual([
    'one: `cat ~/notes.txt` may read outside the repository: ~/notes.txt',
    'two: its verify may read outside the repository: /etc/passwd',
  ])
})

describe('commits by hand', () => {
  test.for(['step', 'fixed', 'declared'])(
    'a script that is swapped by a commit which says it is a %s',
    async (event, { repo }) => {
      await withScript(repo)
      expect((await repo.plan(['approve', 'p'])).code).toBe(0)
      const digest = repo.git(['log', '-1', '--format=%(trailers:key=Plan-Digest,valueonly)', 'plan/p']).trim()
      repo.git(['checkout', '-q', 'plan/p'])
      evil(repo)
      repo.commit(`Fix\n\nPlan-Id: p\nPlan-Event: ${event}\nPlan-Step: build\nPlan-Digest: ${digest}`)
      repo.git(['checkout', '-q', 'main'])
      refused(repo, await repo.plan(['start', 'p']), /is not a commit that git plan would make/)
    },
  )

  test('a base that is no commit of the branch that the plan names', async ({ repo }) => {
    repo.write('build.sh', 'true\n')
    const before = repo.commit('Script')
    evil(repo)
    repo.commit('Mine alone')
    await propose(repo, script)
    repo.git(['checkout', '-q', '-B', 'main', before])
    refused(repo, await repo.plan(['approve', 'p']), 'which is not on main')
    refused(repo, await repo.plan(['start', 'p', '--approve']), 'which is not on main')
  })

  test('a fix that changes who may do what', async ({ repo }) => {
    policy(repo, 'approval: { high: { from: [local], count: 1 } }')
    await propose(repo, '  - {id: one, run: test -e go}')
    expect((await repo.plan(['start', 'p', '--approve'])).code).toBe(1)
    repo.write('.plans/config.yml', 'version: 1\napproval: { high: none }\n')
    repo.write('go', 'x\n')
    repo.commit('Mine')
    refused(repo, await repo.plan(['resume', 'p', '--fix']), 'which no plan may change')
  })

  test('who committed a text does not approve it where the policy excludes the last pusher, whoever took it over', async ({
    repo,
  }) => {
    policy(repo, 'approval: { high: { from: [local], count: 1, not: [last-pusher] } }')
    await withScript(repo)
    repo.git(['checkout', '-q', 'plan/p'])
    repo.write('.plans/p.md', repo.read('.plans/p.md').replace('sh build.sh', `touch '${canary(repo)}'`))
    repo.git(['add', '-A'])
    repo.git(['commit', '-q', '-m', 'Suggestion'], as('mallory'))
    repo.git(['checkout', '-q', 'main'])
    expect((await repo.plan(['start', 'p'], as('bob'))).code).toBe(3)
    refused(repo, await repo.plan(['approve', 'p'], as('mallory')), 'made the last change to it')
  })
})

test('owners of what lies in a directory that goes, comes, or is named by a pattern', async ({ repo }) => {
  repo.write('CODEOWNERS', '/infra/prod/ ops@x.org\n')
  repo.write('infra/prod/main.tf', 'x\n')
  repo.write('staging/prod/main.tf', 'x\n')
  policy(
    repo,
    'approval: { low: { codeowners: true }, medium: { codeowners: true }, high: { codeowners: true }, critical: { codeowners: true } }',
  )
  for (const step of [
    '{id: a, delete: infra}',
    '{id: a, move: infra, to: lib}',
    '{id: a, move: staging/prod, to: infra/prod/new}',
    `{id: a, run: touch x, files: ["{infra,x}/prod/main.tf"]}`,
  ]) {
    await propose(repo, `  - ${step}`)
    const ran = await repo.plan(['start', 'p', '--approve'])
    refused(repo, ran, 'ops@x.org, owner of')
    expect((await repo.plan(['delete', 'p', '--force'])).code).toBe(0)
  }
})

test('a key of gpg with the name of somebody who may sign', async ({ repo }) => {
  const home = `${repo.home}/gnupg`
  repo.env['GNUPGHOME'] = home
  execFileSync('mkdir', ['-m', '700', home])
  execFileSync(
    'gpg',
    ['--batch', '--quiet', '--passphrase', '', '--quick-gen-key', 'Alice <alice@x.org>', 'default', 'sign', 'never'],
    {
      env: repo.env,
      stdio: 'ignore',
    },
  )
  repo.git(['config', 'user.signingkey', 'alice@x.org'])
  repo.write(
    '.plans/allowed_signers',
    'alice@x.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ+5Yg1Zc1u6r0a3aI5lU1wA1Jm8yGmJ0sYc3x2n7Q1d\n',
  )
  policy(repo, 'approval: { low: { from: [signature], count: 1 } }')
  await propose(repo, '  - {id: one, create: one.txt, content: "1"}')
  refused(repo, await repo.plan(['approve', 'p', '--sign']), 'signed with GPG')
})

test('a commit of a time that no calendar has is read like any other', async ({ repo }) => {
  await propose(repo, '  - {id: one, create: one.txt, content: "1"}')
  const tree = repo.git(['rev-parse', 'plan/p^{tree}'])
  const text = `tree ${tree}\nparent ${repo.git(['rev-parse', 'plan/p'])}\nauthor A <a@x.org> 0 +0000\ncommitter A <a@x.org> 99999999999999999 +0000\n\nOdd\n`
  repo.git([
    'update-ref',
    'refs/heads/plan/p',
    repo.git(['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], { input: text }),
  ])
  for (const command of ['list', 'status', 'log', 'show', 'audit']) {
    const ran = await repo.plan([command, ...(command === 'list' ? [] : ['p'])])
    expect([0, 1], `${command}: ${ran.all}`).toContain(ran.code)
  }
})
