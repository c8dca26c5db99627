// One gate: whatever runs a command of a plan, or takes its result over, asks the same question as `resume`.

import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { bySignature, canary, ok, policy, refused, signedPolicy } from '../helpers/gate.ts'
import { GitServer } from '../helpers/git-server.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

/** A plan that its author ran under a policy of their own: the one in force asks for signatures. */
async function ranUnderOwnPolicy(repo: TestRepo, steps: string, more = '', code = 0): Promise<void> {
  repo.git(['branch', 'lax'])
  policy(repo, bySignature)
  await ok(repo, ['new', '--from', '-', '--id', 'p'], planText(steps, more))
  repo.git(['config', 'plan.policyRef', 'lax'])
  const ran = await repo.plan(['start', 'p', '--approve'])
  expect(ran.code, ran.all).toBe(code)
  repo.git(['config', '--unset', 'plan.policyRef'])
}

describe('a plan that nobody approved under the policy in force', () => {
  const effect = (repo: TestRepo): string =>
    `  - {id: one, create: one.txt, content: "1"}\n  - {id: pay, run: "true", effect: external, undo: touch '${canary(repo)}'}`

  test('is not rolled back by its own commands, and can be without them', async ({ repo }) => {
    await ranUnderOwnPolicy(repo, effect(repo))
    const tip = repo.git(['rev-parse', 'plan/p'])
    refused(repo, await repo.plan(['rollback', 'p']), /--keep-effects/)
    expect(repo.git(['rev-parse', 'plan/p'])).toBe(tip)
    await ok(repo, ['rollback', 'p', '--keep-effects'])
    expect((await repo.plan(['resume', 'p'])).code).toBe(3)
    await ok(repo, ['cancel', 'p'])
    expect(existsSync(canary(repo))).toBe(false)
  })

  test('has no setup run by a rollback', async ({ repo }) => {
    const setup = `setup: touch '${canary(repo)}'\nsetup_inputs: [lock.txt]\n`
    await ranUnderOwnPolicy(
      repo,
      '  - {id: one, create: lock.txt, content: "1"}\n  - {id: two, edit: lock.txt, append: "2"}',
      setup,
    )
    const ran = await ok(repo, ['rollback', 'p'])
    expect(ran.all).toContain('setup')
    expect(existsSync(canary(repo))).toBe(false)
  })

  test.for([['--merge'], ['--squash'], ['--ff']])('is not merged with %s', async (mode, { repo }) => {
    await ranUnderOwnPolicy(repo, '  - {id: one, create: one.txt, content: "1"}')
    const main = repo.git(['rev-parse', 'main'])
    refused(repo, await repo.plan(['finish', 'p', ...mode]), /not in force|not approved/)
    expect(repo.git(['rev-parse', 'main'])).toBe(main)
  })

  test('has no check run again by an audit, and is not called resumable', async ({ repo }) => {
    await ranUnderOwnPolicy(
      repo,
      `  - {id: one, create: one.txt, content: "1", verify: ["test -e one.txt && ! test -e '${canary(repo)}.go' || touch '${canary(repo)}'"]}\n  - {id: ask, gate: Now?}`,
      '',
      5,
    )
    execFileSync('touch', [`${canary(repo)}.go`])
    expect((await repo.plan(['audit', 'p', '--rerun'])).code).toBe(1)
    expect(await repo.json(['status', 'p'])).toMatchObject({ resumable: false })
    refused(repo, await repo.plan(['resume', 'p', '--dry-run']), /not in force|not approved/)
  })
})

test('a policy that changed in something else than approval does not hold up what it still approves, and one that asks for more does', async ({
  repo,
}) => {
  await ok(
    repo,
    ['start', '-', '--approve', '--worktree'],
    planText('  - {id: one, create: one.txt, content: "1"}', 'plan: p\n'),
  )
  policy(repo, 'limits: { timeout: 10m }')
  expect((await repo.plan(['finish', 'p', '--dry-run'])).code).toBe(0)
  policy(repo, 'approval: { low: { from: [local], count: 2 } }')
  refused(repo, await repo.plan(['finish', 'p']), /1 of 2 approvals/)
  await ok(repo, ['approve', 'p'])
  refused(repo, await repo.plan(['finish', 'p']), /1 of 2 approvals/)
})

test('a commit by hand that says the plan is completed is not merged, nor anything with it', async ({ repo }) => {
  await ok(repo, ['new', '--from', '-', '--id', 'p'], planText('  - {id: one, create: one.txt, content: "1"}'))
  await ok(repo, ['approve', 'p'])
  repo.git(['checkout', '-q', 'plan/p'])
  repo.write('.plans/p.md', repo.read('.plans/p.md').replace('status: approved', 'status: completed'))
  repo.write('evil.txt', 'x\n')
  repo.commit('Done')
  repo.git(['checkout', '-q', 'main'])
  const ran = await repo.plan(['finish', 'p'])
  expect(ran.code, ran.all).toBe(3)
  expect(repo.git(['log', '--format=%s', 'main'])).toBe('First')
})

test('the end of a finished plan is not replaced by a branch that has its name', async ({ repo }) => {
  await ok(repo, ['start', '-', '--approve'], planText('  - {id: one, create: one.txt, content: "1"}', 'plan: p\n'))
  await ok(repo, ['finish', 'p'])
  const final = repo.git(['rev-parse', 'refs/plan/p/final'])
  const tree = repo.git(['rev-parse', `${final}^{tree}`])
  const message = repo.git(['log', '-1', '--format=%B', final])
  const later = { env: { GIT_COMMITTER_DATE: '2026-01-02T03:04:06Z' } }
  repo.git(['branch', 'plan/p', repo.git(['commit-tree', tree, '-p', `${final}^`, '-m', message], later)])
  const ran = await repo.plan(['finish', 'p'])
  expect(ran.code, ran.all).toBe(2)
  expect(repo.git(['rev-parse', 'refs/plan/p/final'])).toBe(final)
})

test('what somebody else pushed above a signed approval is not merged', async ({ repo }) => {
  signedPolicy(repo)
  const [bare, clone] = [join(repo.home, 'bare.git'), join(repo.home, 'clone')]
  repo.git(['init', '-q', '--bare', '-b', 'main', bare])
  repo.git(['remote', 'add', 'origin', bare])
  repo.git(['push', '-q', 'origin', 'main'])
  repo.git(['remote', 'set-head', 'origin', 'main'])
  await ok(repo, ['new', '--from', '-', '--id', 'p'], planText('  - {id: one, create: one.txt, content: "1"}'))
  await ok(repo, ['approve', 'p', '--sign'])
  repo.git(['push', '-q', 'origin', 'plan/p'])
  repo.git(['clone', '-q', bare, clone])
  const other = {
    cwd: clone,
    env: {
      GIT_AUTHOR_NAME: 'Eve',
      GIT_AUTHOR_EMAIL: 'e@x.org',
      GIT_COMMITTER_NAME: 'Eve',
      GIT_COMMITTER_EMAIL: 'e@x.org',
    },
  }
  repo.git(['branch', 'plan/p', 'origin/plan/p'], other)
  const ran = await repo.plan(['start', 'p', '--push'], other)
  expect(ran.code, ran.all).toBe(0)
  repo.git(['fetch', '-q', 'origin', '+plan/p:plan/p'])
  const main = repo.git(['rev-parse', 'main'])
  refused(repo, await repo.plan(['finish', 'p']), /nothing proves that/)
  // Nor where this clone no longer knows that the remote had them.
  repo.git(['push', '-q', 'origin', ':plan/p'])
  repo.git(['fetch', '-q', '--prune'])
  refused(repo, await repo.plan(['finish', 'p']), /nothing proves that/)
  expect(repo.git(['rev-parse', 'main'])).toBe(main)
  // Who may sign looks at the result, and says so.
  await ok(repo, ['approve', 'p', '--sign'])
  await ok(repo, ['finish', 'p'])
})

test('a base that a plan names for itself is no proof that its checks may run', async ({ repo }) => {
  repo.git(['branch', 'own'])
  await ranUnderOwnPolicy(
    repo,
    '  - {id: one, create: one.txt, content: "1"}',
    `base: own\nverify: ["test ! -e '${canary(repo)}.go' || touch '${canary(repo)}'"]\n`,
  )
  const policyBlob = repo.git(['rev-parse', 'main:.plans/config.yml'])
  repo.git(['checkout', '-q', 'main'])
  // Written as if the policy in force had been asked, and a reviewer had said yes.
  repo.git(
    [
      'filter-branch',
      '-f',
      '--msg-filter',
      `sed -e 's/^Plan-Policy: .*/Plan-Policy: ${policyBlob}/' -e 's/^Plan-Approval: .*/Plan-Approval: review/'`,
      'own..plan/p',
    ],
    {
      env: { FILTER_BRANCH_SQUELCH_WARNING: '1' },
    },
  )
  repo.git(['branch', '-f', 'own', 'plan/p'])
  execFileSync('touch', [`${canary(repo)}.go`])
  expect((await repo.plan(['audit', 'p', '--rerun'])).code).toBe(1)
  expect(existsSync(canary(repo))).toBe(false)
})

test('who only looks runs no program for signatures that the repository names', async ({ repo }) => {
  signedPolicy(repo)
  await ok(
    repo,
    ['new', '--from', '-', '--id', 'p'],
    planText('  - {id: one, create: one.txt, content: "1"}\n  - {id: ask, gate: Now?}'),
  )
  await ok(repo, ['approve', 'p', '--sign'])
  expect((await repo.plan(['start', 'p'])).code).toBe(5)
  const program = join(repo.home, 'verify.sh')
  writeFileSync(program, `#!/bin/sh\ntouch '${canary(repo)}'\nexec ssh-keygen "$@"\n`, {
    mode: 0o755,
  })
  repo.git(['config', 'gpg.ssh.program', program])
  expect(await repo.json(['status', 'p'])).toMatchObject({ resumable: true })
  for (const args of [
    ['list'],
    ['log', 'p'],
    ['show', 'p'],
    ['report', 'p'],
    ['audit', 'p'],
    ['resume', 'p', '--dry-run'],
  ])
    expect((await repo.plan(args)).code, args.join(' ')).toBe(0)
  expect(existsSync(canary(repo))).toBe(false)
})

describe('a proposal that is not based on any commit', () => {
  /** The files of the proposal and one more, in a commit that `craft` makes of the one that the executor made. */
  async function bringsFile(
    repo: TestRepo,
    craft: (lines: readonly string[], parent: string) => readonly string[],
  ): Promise<void> {
    repo.write('gen.sh', 'true\n')
    repo.commit('A script')
    await ok(repo, ['new', '--from', '-', '--id', 'p'], planText('  - {id: one, run: sh gen.sh}'))
    repo.git(['checkout', '-q', 'plan/p'])
    repo.write('gen.sh', `touch '${canary(repo)}'\n`)
    repo.git(['add', '-A'])
    const [header = '', ...body] = repo.git(['cat-file', 'commit', 'HEAD']).split('\n\n')
    const [, parent = '', ...people] = header.split('\n')
    const input = [[`tree ${repo.git(['write-tree'])}`, ...craft(people, parent)].join('\n'), ...body].join('\n\n')
    repo.git(['update-ref', 'refs/heads/plan/p', repo.git(['hash-object', '-t', 'commit', '-w', '--stdin'], { input })])
    expect(repo.git(['log', '-1', '--format=%P', 'plan/p'])).toBe('')
    repo.git(['checkout', '-q', '-f', 'main'])
  }

  test.for<[string, (lines: readonly string[], parent: string) => readonly string[]]>([
    ['without a parent', (lines) => lines],
    ['with a parent line below the author', ([author = '', ...rest], parent) => [author, parent, ...rest]],
    ['with a parent line at the end of its header', (lines, parent) => [...lines, parent]],
  ])('%s is not approved, whatever files it brings', async ([, craft], { repo }) => {
    await bringsFile(repo, craft)
    refused(repo, await repo.plan(['approve', 'p']), /not based on any commit/)
    refused(repo, await repo.plan(['start', 'p', '--approve']), /not based on any commit/)
    const audit = await repo.plan(['audit', 'p'])
    expect(audit.code, audit.all).toBe(1)
    expect(audit.all).toContain('not based on any commit')
  })
})

test('what a step changed without saying so is not merged unasked, where only its text was LOW', async ({ repo }) => {
  policy(repo, 'approval: { low: none, medium: { from: [local] } }')
  await ok(repo, ['start', '-'], planText('  - {id: look, run: cat a.txt}', 'plan: p\n'))
  const [step, end] = ['plan/p~1', 'plan/p'].map((name) => repo.git(['rev-parse', name]))
  repo.git(['checkout', '-q', '--detach', step!])
  repo.write('a.txt', 'evil\n')
  repo.git(['commit', '-q', '-a', '--amend', '--no-edit'])
  repo.write('.plans/p.md', `${repo.git(['show', `${end}:.plans/p.md`])}\n`)
  repo.git(['commit', '-q', '-a', '-m', repo.git(['log', '-1', '--format=%B', end!])])
  repo.git(['branch', '-qf', 'plan/p', 'HEAD'])
  repo.git(['checkout', '-q', 'main'])
  refused(repo, await repo.plan(['finish', 'p']), /risk MEDIUM/)
  expect(repo.git(['show', 'main:a.txt'])).toBe('hello')
  // Whoever has looked at the result may say so, although its text needs nobody.
  await ok(repo, ['approve', 'p'])
  await ok(repo, ['finish', 'p'])
})

test('cancel and rollback --keep-effects work with a policy that cannot be read', async ({ repo }) => {
  const text = planText('  - {id: one, create: one.txt, content: "1"}\n  - {id: ask, gate: Now?}', 'plan: p\n')
  expect((await repo.plan(['start', '-', '--approve', '--worktree'], { input: text })).code).toBe(5)
  policy(repo, 'approval: nonsense')
  await ok(repo, ['rollback', 'p', '--keep-effects'])
  await ok(repo, ['cancel', 'p'])
})

describe('the pre-receive hook', () => {
  const completed = (repo: TestRepo, from: string): void => {
    repo.git(['checkout', '-q', 'plan/p'])
    repo.write('.plans/p.md', repo.read('.plans/p.md').replace(`status: ${from}`, 'status: completed'))
    repo.commit('Done')
  }

  test('lets no plan in that only says that it is completed, nor a deletion that only says it was cancelled', async ({
    repo,
  }) => {
    const server = await GitServer.beside(repo)
    try {
      expect((await server.push(repo, ['main'])).code).toBe(0)
      repo.git(['remote', 'set-head', 'origin', 'main'])
      server.plan(['hooks', 'install'])
      await ok(repo, ['new', '--from', '-', '--id', 'p'], planText('  - {id: one, create: one.txt, content: "1"}'))
      await ok(repo, ['approve', 'p'])
      expect((await server.push(repo, ['plan/p'])).code).toBe(0)
      completed(repo, 'approved')
      expect((await server.push(repo, ['plan/p'])).code).toBe(1)
      repo.git(['checkout', '-q', 'main'])
      repo.git(['merge', '-q', '--no-ff', '-m', 'Merge', 'plan/p'])
      expect((await server.push(repo, ['main', 'plan/p'])).code).toBe(1)
      repo.git(['checkout', '-q', 'plan/p'])
      repo.write('.plans/p.md', repo.read('.plans/p.md').replace('status: completed', 'status: cancelled'))
      repo.commit('Off')
      expect((await server.push(repo, ['plan/p'])).code).toBe(1)
      expect((await server.push(repo, [':plan/p'])).code).toBe(1)
    } finally {
      server.close()
    }
  })
})

describe('a remote whose default branch is unknown here', () => {
  test('leaves the policy unknown: nothing is approved or run until its branch is named', async ({ repo }) => {
    const bare = join(repo.home, 'bare.git')
    repo.git(['branch', 'lax'])
    policy(repo, 'approval: { high: { from: [local], count: 2 } }')
    repo.git(['init', '-q', '--bare', '-b', 'trunk', bare])
    repo.git(['push', '-q', bare, 'main:trunk', 'lax:main'])
    const clone = join(repo.home, 'clone')
    repo.git(['init', '-q', '-b', 'main', clone])
    const at = { cwd: clone }
    for (const args of [
      ['config', 'user.name', 'Ada'],
      ['config', 'user.email', 'a@x.org'],
      ['remote', 'add', 'origin', bare],
      ['fetch', '-q'],
    ])
      repo.git(args, at)
    repo.git(['checkout', '-q', '-b', 'work', 'origin/main'], at)
    const text = planText(`  - {id: one, run: touch '${canary(repo)}'}`, 'plan: p\n')
    refused(
      repo,
      await repo.plan(['start', '-', '--approve'], { ...at, input: text }),
      /git remote set-head origin --auto/,
    )
    refused(repo, await repo.plan(['approve', 'p'], at), /git config plan\.policyRef/)
    expect((await repo.plan(['status', 'p'], at)).code).toBe(0)
    repo.git(['remote', 'set-head', 'origin', '--auto'], at)
    refused(repo, await repo.plan(['start', 'p', '--approve'], at), /1 of 2 approvals|not approved/)
  })
})
