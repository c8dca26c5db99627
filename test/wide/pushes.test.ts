// What a server with our hook takes and what it refuses, with real pushes over `git http-backend`. Each refusal leaves
// the server as it was.

import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { GitServer } from '../helpers/git-server.ts'
import { planText, test as base, TestRepo } from '../helpers/repo.ts'

const test = base.extend<{ server: GitServer }>({
  server: async ({ repo }, use) => {
    const server = await GitServer.beside(repo)
    server.plan(['hooks', 'install'])
    await accepted(server, repo, 'main')
    await use(server)
    server.close()
  },
})

const steps = '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: echo 2 > two.txt}'
const refsOf = (id: string): string => `refs/plan/${id}/*:refs/plan/${id}/*`

async function accepted(server: GitServer, repo: TestRepo, ...args: string[]): Promise<void> {
  const ran = await server.push(repo, args)
  expect(ran, `git push ${args.join(' ')}: ${ran.all}`).toMatchObject({ code: 0 })
}

async function refused(server: GitServer, repo: TestRepo, why: RegExp, ...args: string[]): Promise<void> {
  const before = server.refs()
  const ran = await server.push(repo, args)
  expect(ran, `git push ${args.join(' ')}: ${ran.all}`).toMatchObject({ code: 1 })
  expect(ran.stderr.replaceAll(/^remote: /gm, '')).toMatch(why)
  expect(ran.stderr).toContain('pre-receive hook declined')
  expect(server.refs()).toEqual(before)
}

async function plan(repo: TestRepo, ...args: string[]): Promise<void> {
  const ran = await repo.plan(args)
  expect(ran, ran.all).toMatchObject({ code: 0 })
}

/** On its branch, which is then left. */
async function carriedOut(repo: TestRepo, id: string, text = planText(steps)): Promise<void> {
  repo.write(`.plans/${id}.md`, text)
  await plan(repo, 'start', `.plans/${id}.md`, '--approve')
}

/** One step is done, the other has failed. */
async function halfDone(repo: TestRepo, id: string): Promise<void> {
  repo.write(`.plans/${id}.md`, planText('  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: "echo no; false"}'))
  expect(await repo.plan(['start', `.plans/${id}.md`, '--approve'])).toMatchObject({ code: 1 })
}

/** On main again, without the file that was there before. */
async function givenUp(repo: TestRepo, id: string): Promise<void> {
  await plan(repo, 'cancel', id)
  rmSync(repo.path(`.plans/${id}.md`))
}

const commit = (repo: TestRepo, message: string): string => repo.commit(message)
const home = (repo: TestRepo): string => repo.git(['checkout', '-q', 'main'])

describe('the branch of a plan', () => {
  test('has the name of one, and is one', async ({ repo, server }) => {
    await refused(server, repo, /plan\/Upper is not a valid plan name/, 'main:refs/heads/plan/Upper')
    await refused(server, repo, /plan\/a\/b is not a valid plan name/, 'main:refs/heads/plan/a/b')
    await refused(server, repo, /no commit of the plan is here \(incomplete\)/, 'main:refs/heads/plan/a')
    await refused(server, repo, /could be mistaken for a ref of git plan/, 'main:refs/heads/PLAN/a')
    await refused(server, repo, /could be mistaken for a ref of git plan/, 'main:refs/heads/plan')
  })

  test('takes the text of a reviewer before the first step, and nothing else by hand', async ({ repo, server }) => {
    repo.write('.plans/p.md', planText(steps))
    await plan(repo, 'new', '--from', '.plans/p.md')
    rmSync(repo.path('.plans/p.md'))
    repo.git(['checkout', '-q', 'plan/p'])
    repo.write('.plans/p.md', repo.read('.plans/p.md').replace('echo 2', 'echo two'))
    commit(repo, 'Another text')
    await accepted(server, repo, 'plan/p')
    repo.write('more.txt', 'more\n')
    commit(repo, 'More than the text')
    await refused(server, repo, /this commit was not made by git plan and nobody has adopted it \(foreign\)/, 'plan/p')
    repo.git(['reset', '-q', '--hard', 'HEAD^'])
    home(repo)
    await plan(repo, 'start', 'p', '--approve')
    await accepted(server, repo, 'plan/p')
    repo.git(['checkout', '-q', 'plan/p'])
    repo.write('.plans/p.md', repo.read('.plans/p.md').replace('echo two', 'echo 3'))
    commit(repo, 'Another text, too late')
    await refused(server, repo, /\(foreign\)/, 'plan/p')
  })

  test('is no way to change the rules', async ({ repo, server }) => {
    await halfDone(repo, 'p')
    await accepted(server, repo, 'plan/p')
    for (const message of ['Weak', 'Weak\n\nPlan-Id: p\nPlan-Event: fixed']) {
      repo.write('.plans/config.yml', 'version: 1\napproval: { low: none, medium: none, high: none, critical: none }\n')
      commit(repo, message)
      await refused(
        server,
        repo,
        message === 'Weak' ? /\(foreign\)/ : /it changes \.plans\/config\.yml, which belongs to the plan \(scope\)/,
        'plan/p',
      )
      repo.git(['reset', '-q', '--hard', 'HEAD^'])
    }
  })

  test('is judged by the policy of the server alone, and by that of now', async ({ repo, server }) => {
    const old = repo.git(['rev-parse', 'main'])
    repo.write(
      '.plans/config.yml',
      'version: 1\napproval: { high: { from: [signature], count: 1 }, critical: { from: [signature], count: 1 } }\n',
    )
    commit(repo, 'Signatures')
    await accepted(server, repo, 'main')
    // A clone that knows nothing of it, and another policy in the same push.
    repo.git(['checkout', '-q', '-B', 'main', old])
    repo.git(['config', 'plan.policyRef', old])
    await carriedOut(repo, 'p')
    await refused(server, repo, /its approval is for the policy none.*\(approval\)/, 'plan/p')
    home(repo)
    repo.git(['reset', '-q', '--hard', 'origin/main'])
    repo.write('.plans/config.yml', 'version: 1\n')
    commit(repo, 'Weak again')
    await refused(server, repo, /\(approval\)/, 'main', 'plan/p')
  })

  test('goes on after a change of the policy when it is approved anew, and not before', async ({ repo, server }) => {
    await halfDone(repo, 'p')
    await accepted(server, repo, 'plan/p')
    home(repo)
    repo.write('.plans/config.yml', 'version: 1\nlimits: { steps: 50 }\n')
    commit(repo, 'Another policy')
    await accepted(server, repo, 'main')
    repo.git(['checkout', '-q', 'plan/p'])
    const approved = repo.git(['rev-parse', 'plan/p'])
    // As a clone has it that has not fetched.
    repo.git(['config', 'plan.policyRef', 'main~1'])
    await plan(repo, 'resume', 'p', '--skip', 'two')
    await refused(server, repo, /\(approval\)/, 'plan/p')
    repo.git(['reset', '-q', '--hard', approved])
    repo.git(['config', 'plan.policyRef', 'main'])
    await plan(repo, 'approve', 'p')
    await plan(repo, 'resume', 'p', '--skip', 'two')
    await accepted(server, repo, 'plan/p')
  })

  test('is a tag of no use: a short name in the configuration of the server means a branch', async ({
    repo,
    server,
  }) => {
    repo.write('.plans/config.yml', 'version: 1\napproval: { high: { from: [signature], count: 1 } }\n')
    commit(repo, 'Signatures')
    await accepted(server, repo, 'main')
    server.git(['config', 'plan.policyRef', 'main'])
    repo.git(['tag', 'main', 'HEAD^'])
    await accepted(server, repo, 'refs/tags/main')
    repo.git(['config', 'plan.policyRef', 'refs/tags/main'])
    repo.git(['checkout', '-q', '-b', 'elsewhere', 'refs/tags/main'])
    await carriedOut(repo, 'p')
    await refused(server, repo, /\(approval\)/, 'plan/p')
  })

  test('goes back by what git plan keeps: rollback, undo, rebase', async ({ repo, server }) => {
    await carriedOut(repo, 'p')
    await accepted(server, repo, 'plan/p')
    await plan(repo, 'rollback', 'p')
    // A tag that keeps something else is none.
    repo.git(['update-ref', 'refs/plan/p/rollbacks/7', 'main'])
    await refused(server, repo, /would be rewritten/, '--force', 'plan/p', 'refs/plan/p/rollbacks/7')
    repo.git(['update-ref', '-d', 'refs/plan/p/rollbacks/7'])
    await accepted(server, repo, 'refs/plan/p/rollbacks/1')
    await accepted(server, repo, '--force', 'plan/p')
    await plan(repo, 'rollback', 'p', '--undo')
    await accepted(server, repo, 'plan/p')
    home(repo)
    repo.write('b.txt', 'b\n')
    commit(repo, 'The base moves on')
    await accepted(server, repo, 'main')
    await plan(repo, 'rebase', 'p', '--approve')
    await accepted(server, repo, '--force', 'plan/p', refsOf('p'))
    expect(server.refs()['refs/heads/plan/p']).toBe(repo.git(['rev-parse', 'plan/p']))
  })

  test('is not made known by way of what is kept beside it', async ({ repo, server }) => {
    await halfDone(repo, 'p')
    await accepted(server, repo, 'plan/p')
    repo.write('two.txt', 'forged\n')
    repo.git(['add', '.'])
    commit(repo, 'Forged\n\nPlan-Id: p\nPlan-Event: step\nPlan-Step: two')
    await accepted(server, repo, 'plan/p:refs/plan/p/rollbacks/1')
    await refused(server, repo, /fails the audit/, 'plan/p')
    await refused(server, repo, /must be a finished plan/, 'plan/p:refs/plan/p/final')
  })

  test('is shown to nobody with what a terminal would obey', async ({ repo, server }) => {
    await halfDone(repo, 'p')
    repo.write('\u001b]0;x\u0007\u202e.txt', 'x\n')
    repo.git(['add', '.'])
    commit(repo, 'Forged\n\nPlan-Id: p\nPlan-Event: waiting')
    const ran = await server.push(repo, ['plan/p'])
    expect(ran).toMatchObject({ code: 1 })
    expect(ran.stderr).toContain('fails the audit')
    expect(ran.stderr.replace(/\u001b\[K/g, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
  })

  test('with an effect outside comes with its record, also one that is still to happen', async ({ repo, server }) => {
    await carriedOut(
      repo,
      'p',
      planText('  - {id: one, run: echo 1 > one.txt}\n  - {id: pay, run: echo paid, effect: external}'),
    )
    await refused(server, repo, /there is no record of its effect here.*\(effect\)/, 'plan/p')
    await accepted(server, repo, 'plan/p', refsOf('p'))
    home(repo)
    repo.write(
      '.plans/q.md',
      planText('  - {id: one, run: echo 1 > one.txt}\n  - {id: pay, run: echo paid, effect: external}'),
    )
    await plan(repo, 'start', '.plans/q.md', '--approve', '--push')
    expect(server.refs()['refs/heads/plan/q']).toBe(repo.git(['rev-parse', 'plan/q']))
  })

  test('is refused to git plan itself in the words of the server', async ({ repo, server }) => {
    repo.write('.plans/config.yml', 'version: 1\napproval: { high: { from: [signature], count: 1 } }\n')
    commit(repo, 'Signatures')
    await accepted(server, repo, 'main')
    repo.git(['config', 'plan.policyRef', 'main~1'])
    repo.write('.plans/p.md', planText(steps))
    const ran = await repo.plan(['start', '.plans/p.md', '--approve', '--push'])
    expect(ran, ran.all).toMatchObject({ code: 3 })
    expect(ran.stderr).toMatch(/origin rejected plan\/p: .*\n.*its approval is for the policy/)
  })
})

describe('the end of a branch', () => {
  test('comes when something keeps it, and not before', async ({ repo, server }) => {
    await halfDone(repo, 'p')
    await accepted(server, repo, 'plan/p')
    await refused(server, repo, /plan\/p is failed: deleting it would lose its commits/, ':plan/p')
    await givenUp(repo, 'p')
    await accepted(server, repo, 'plan/p')
    await accepted(server, repo, ':plan/p')

    await carriedOut(repo, 'q')
    await accepted(server, repo, 'plan/q')
    await refused(server, repo, /plan\/q is completed: deleting it would lose/, ':plan/q')
    await plan(repo, 'finish', 'q', '--squash', '--keep-branch')
    await accepted(server, repo, 'main')
    // The file is in main as the plan left it.
    await accepted(server, repo, ':plan/q')

    await carriedOut(repo, 'r', planText('  - {id: one, run: echo 1 > r.txt}'))
    await accepted(server, repo, 'plan/r')
    await plan(repo, 'finish', 'r')
    await accepted(server, repo, ':plan/r', 'refs/plan/r/final')
  })
})

describe('what is kept beside a plan', () => {
  test('grows, and nothing of it goes', async ({ repo, server }) => {
    await halfDone(repo, 'p')
    await accepted(server, repo, 'plan/p', refsOf('p'), 'refs/notes/plan/p')
    const attempt = 'refs/plan/p/attempts/two/1'
    await refused(server, repo, /attempts\/two\/1 is permanent/, `:${attempt}`)
    await refused(server, repo, /attempts\/two\/1 would be rewritten/, `+main:${attempt}`)
    await refused(server, repo, /notes\/plan\/p is permanent/, ':refs/notes/plan/p')
    await accepted(server, repo, 'main:refs/plan/p/rollbacks/1')
    await refused(server, repo, /rollbacks\/1 would be rewritten/, `+plan/p:refs/plan/p/rollbacks/1`)
    await refused(server, repo, /not a valid name for a ref of a plan/, 'main:refs/plan/p/rollbacks/2/x')
    await refused(server, repo, /not a valid name for a ref of a plan/, 'main:refs/plan/p/mine')
    await refused(server, repo, /must be a commit/, `${repo.git(['rev-parse', 'main^{tree}'])}:refs/plan/p/rollbacks/2`)
    await refused(server, repo, /may hold data that must not be pushed/, 'main:refs/plan-local/p/stash')
    await refused(server, repo, /could be mistaken for a ref of git plan/, 'main:refs/Plan/p/rollbacks/2')
  })
})

describe('a protected branch', () => {
  test('takes no plan that is under way: merged, squashed, or with its file taken out', async ({ repo, server }) => {
    await halfDone(repo, 'p')
    home(repo)
    const before = repo.git(['rev-parse', 'main'])
    const back = (): string => repo.git(['reset', '-q', '--hard', before])
    repo.git(['merge', '-q', '--no-ff', '-m', 'Merge', 'plan/p'])
    await refused(server, repo, /plan p is failed, but main accepts only finished plans/, 'main')
    repo.git(['rm', '-q', '.plans/p.md'])
    commit(repo, 'Not to be seen')
    await refused(server, repo, /plan p is failed/, 'main')
    back()
    repo.git(['merge', '-q', '--squash', 'plan/p'])
    commit(repo, 'Squashed')
    await refused(server, repo, /plan p is failed/, 'main')
    // Elsewhere that is nobody's business, unless it is configured.
    await accepted(server, repo, 'main:feature/a')
    server.git(['config', '--add', 'plan.protected', 'feature/*'])
    repo.write('c.txt', 'c\n')
    repo.write('.plans/p.md', `${repo.read('.plans/p.md')}\n`)
    commit(repo, 'More')
    await refused(server, repo, /plan p is failed, but feature\/a accepts/, 'main:feature/a')
    await accepted(server, repo, 'main')
    back()
  })

  test('takes a draft, and a plan that was given up', async ({ repo, server }) => {
    repo.write('.plans/draft.md', planText(steps))
    commit(repo, 'A draft')
    await accepted(server, repo, 'main')
    await halfDone(repo, 'p')
    await givenUp(repo, 'p')
    repo.git(['merge', '-q', '--no-ff', '-m', 'What is left of it', 'plan/p'])
    await accepted(server, repo, 'main')
    // A proposal that comes with its commits is no draft.
    repo.write('.plans/q.md', planText(steps))
    await plan(repo, 'new', '--from', '.plans/q.md')
    rmSync(repo.path('.plans/q.md'))
    repo.git(['merge', '-q', '--no-ff', '-m', 'Too early', 'plan/q'])
    await refused(server, repo, /plan q is proposed/, 'main')
  })

  for (const mode of ['--merge', '--squash', '--ff'])
    test(`takes a finished plan: finish ${mode}`, async ({ repo, server }) => {
      await carriedOut(repo, 'p')
      await plan(repo, 'finish', 'p', mode)
      if (mode === '--squash')
        await refused(server, repo, /push its original commits: git push origin refs\/plan\/p\/final main/, 'main')
      await accepted(server, repo, 'main', ...(mode === '--squash' ? ['refs/plan/p/final'] : []))
    })

  for (const mode of ['--merge', '--squash'])
    test(`takes a finished plan without its file, with its end beside it: finish ${mode}`, async ({ repo, server }) => {
      repo.write('.plans/config.yml', 'finish: { plan_file: drop }\n')
      commit(repo, 'Configure')
      await accepted(server, repo, 'main')
      await carriedOut(repo, 'p')
      await plan(repo, 'finish', 'p', mode)
      const finished = repo.git(['rev-parse', 'main'])
      expect(repo.git(['ls-tree', '-r', '--name-only', 'main'])).not.toContain('p.md')
      await refused(server, repo, /claims to be part of plan p, but has no .plans\/p.md/, 'main')
      // The same message on a commit that has something else in it.
      repo.write('one.txt', 'something else\n')
      repo.git(['commit', '-q', '-a', '--amend', '--no-edit'])
      await refused(server, repo, /its one.txt differs from that of the plan/, 'main', 'refs/plan/p/final')
      repo.git(['reset', '-q', '--hard', finished])
      await accepted(server, repo, 'main', 'refs/plan/p/final')
    })

  test('takes one by finish --push, and what a forge rebases with its end beside it', async ({ repo, server }) => {
    await carriedOut(repo, 'p')
    await plan(repo, 'finish', 'p', '--push')
    expect(server.refs()).toMatchObject({
      'refs/heads/main': repo.git(['rev-parse', 'main']),
      'refs/plan/p/final': expect.any(String) as string,
    })
    await carriedOut(repo, 'q', planText('  - {id: one, run: echo 1 > q.txt}'))
    home(repo)
    repo.write('b.txt', 'b\n')
    commit(repo, 'Main moves on')
    repo.git(['cherry-pick', 'HEAD~1..plan/q'])
    await refused(server, repo, /fails the audit/, 'main')
    await accepted(server, repo, 'main', 'plan/q')
  })

  test('takes nothing with a plan that the plan did not make', async ({ repo, server }) => {
    await carriedOut(repo, 'p')
    home(repo)
    repo.git(['merge', '-q', '--no-ff', '--no-commit', 'plan/p'])
    repo.write('smuggled.txt', 'x\n')
    commit(repo, 'Merge')
    await refused(server, repo, /it changes smuggled\.txt, which the plan does not change \(merged\)/, 'main')
  })

  test('believes no file that says it is completed', async ({ repo, server }) => {
    repo.write(
      '.plans/p.md',
      planText(steps, 'plan: p\nbase: main\n').replace(
        '---\n\nProse',
        'status: completed\nstate:\n  one: done\n  two: done\n---\n\nProse',
      ),
    )
    commit(repo, 'All done')
    await refused(server, repo, /the push lacks the commits that prove it/, 'main')
    repo.git(['commit', '-q', '--amend', '-m', 'All done\n\nPlan-Id: p\nPlan-Event: completed'])
    await refused(server, repo, /fails the audit/, 'main')
    repo.git(['reset', '-q', '--hard', 'HEAD^'])
    for (const key of ['Plan-Id:', 'plan-id :']) {
      repo.write('a.txt', `${key}\n`)
      commit(repo, `A step\n\n${key} p\nPlan-Event: step\nPlan-Step: one`)
      await refused(server, repo, /claims to be part of plan p, but has no \.plans\/p\.md/, 'main')
      repo.git(['reset', '-q', '--hard', 'HEAD^'])
    }
    repo.write('.plans/p.md', 'no plan\n')
    commit(repo, 'No plan')
    await refused(server, repo, /\.plans\/p\.md is not a valid plan: line 1/, 'main')
  })

  test('has its rules changed by people, and not by a commit of a plan', async ({ repo, server }) => {
    for (const file of ['config.yml', 'allowed_signers']) {
      repo.write(`.plans/${file}`, file === 'config.yml' ? 'version: 1\n' : 'ada@example.com ssh-ed25519 AAAA\n')
      commit(repo, 'Run it\n\nPlan-Id: p\nPlan-Event: step\nPlan-Step: one')
      await refused(server, repo, /is part of plan p and changes/, 'main')
      repo.git(['commit', '-q', '--amend', '-m', 'By people'])
      await accepted(server, repo, 'main')
    }
  })

  test('is the same by another name, and the one with the policy does not go', async ({ repo, server }) => {
    await halfDone(repo, 'p')
    home(repo)
    repo.git(['merge', '-q', '--no-ff', '-m', 'Merge', 'plan/p'])
    server.git(['symbolic-ref', 'refs/heads/alias', 'refs/heads/main'])
    await refused(server, repo, /plan p is failed, but main accepts/, 'main:alias')
    server.git(['config', 'receive.denyDeleteCurrent', 'ignore'])
    await refused(server, repo, /holds the policy of this server/, ':main')
  })

  test('is a new one, judged from where it left the policy', async ({ repo, server }) => {
    server.git(['config', '--add', 'plan.protected', 'release/*'])
    await accepted(server, repo, 'main:release/1')
    await halfDone(repo, 'p')
    await refused(server, repo, /plan p is failed, but release\/2 accepts/, 'plan/p:release/2')
  })
})

describe('the server', () => {
  test('begins with the branch of its policy, and can repair it', async ({ repo }) => {
    const server = await GitServer.beside(repo)
    server.plan(['hooks', 'install'])
    await carriedOut(repo, 'p')
    await refused(server, repo, /this server does not have refs\/heads\/main yet/, 'plan/p')
    await accepted(server, repo, 'main')
    await accepted(server, repo, 'plan/p')
    home(repo)
    repo.write('.plans/config.yml', 'version: 1\nnonsense: true\n')
    commit(repo, 'Nonsense')
    await refused(server, repo, /\.plans\/config\.yml on .* is not valid: line 2/, 'main')
    // It got there by other ways.
    rmSync(join(server.dir, 'hooks/pre-receive'))
    await accepted(server, repo, 'main')
    server.plan(['hooks', 'install'])
    await refused(server, repo, /is not valid: line 2/, 'main:feature')
    repo.write('.plans/config.yml', 'version: 1\n')
    commit(repo, 'Sense')
    await accepted(server, repo, 'main')
    await accepted(server, repo, 'main:feature')
    server.close()
  })

  test('says so where it cannot know its policy', async ({ repo, server }) => {
    server.git(['symbolic-ref', 'HEAD', 'refs/heads/plan/p'])
    await refused(server, repo, /the policy branch of this server is unknown/, 'main:feature')
    server.git(['symbolic-ref', 'HEAD', 'refs/heads/other'])
    await carriedOut(repo, 'p')
    await refused(server, repo, /does not have refs\/heads\/other yet/, 'plan/p')
  })

  test('believes nobody about what it has', async ({ repo, server }) => {
    const [tip, zero] = [repo.git(['rev-parse', 'main']), '0'.repeat(40)]
    const told = async (...lines: string[]): Promise<string> =>
      (await repo.plan(['hook', 'pre-receive'], { cwd: server.dir, input: lines.map((line) => `${line}\n`).join('') }))
        .stderr
    expect(await told(`${zero} ${tip} refs/heads/feature`)).toBe('')
    expect(await told(`${zero} ${tip} refs/heads/main`)).toContain('refs/heads/main has moved since the push began')
    expect(await told(`${tip} ${tip} refs/plan/p/rollbacks/1`)).toContain('has moved since the push began')
    expect(await told(`${zero} ${tip} refs/heads/a`, `${zero} ${tip} refs/heads/a`)).toContain(
      'refs/heads/a is in the push twice',
    )
    expect(
      (
        await repo.plan(['hook', 'pre-receive'], {
          cwd: server.dir,
          input: `${zero} ${tip} refs/heads/a\n`,
          env: { GIT_NAMESPACE: 'a' },
        })
      ).stderr,
    ).toContain('namespaces')
  })

  test('lets nothing in when the program breaks, is killed, or is not told what is pushed', async ({
    repo,
    server,
  }) => {
    const programs = join(dirname(repo.dir), 'programs')
    repo.write('b.txt', 'b\n')
    commit(repo, 'Second')
    for (const broken of [
      '#!/bin/sh\nexit 70\n',
      '#!/bin/sh\nkill -9 $$\n',
      '#!/no/such/interpreter\n',
      '#!/bin/sh\nexec false\n',
    ]) {
      rmSync(join(programs, 'git-plan'))
      writeFileSync(join(programs, 'git-plan'), broken, { mode: 0o755 })
      await refused(server, repo, /./, 'main')
    }
    for (const input of [
      '',
      'nonsense\n',
      `${'0'.repeat(40)} ${'1'.repeat(40)}\n`,
      `${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/a b\n`,
    ]) {
      const ran = await repo.plan(['hook', 'pre-receive'], { cwd: server.dir, input })
      expect(ran, JSON.stringify(input)).toMatchObject({ code: 3 })
    }
  })

  test('asks the hook that was there first, and takes what both of them take', async ({ repo, server }) => {
    server.plan(['hooks', 'uninstall'])
    const first = join(server.dir, 'hooks/pre-receive')
    writeFileSync(first, '#!/bin/sh\nif grep -q no-such; then echo none of these; exit 1; fi\n', { mode: 0o755 })
    server.plan(['hooks', 'install'])
    await refused(server, repo, /none of these/, 'main:no-such')
    await refused(server, repo, /incomplete/, 'main:refs/heads/plan/a')
    await accepted(server, repo, 'main:feature')
  })

  test('may have SHA-256, or a work tree', async () => {
    const repo = new TestRepo({ init: ['--object-format=sha256'] })
    const server = await GitServer.beside(repo, { init: ['--object-format=sha256'] })
    server.plan(['hooks', 'install'])
    await accepted(server, repo, 'main')
    await carriedOut(repo, 'p')
    await accepted(server, repo, 'plan/p')
    await refused(server, repo, /incomplete/, 'main:refs/heads/plan/a')
    // With a work tree, over the file system.
    const tree = join(dirname(repo.dir), 'tree')
    const env = { ...repo.env, PATH: `${join(dirname(repo.dir), 'programs')}:${repo.env['PATH']}` }
    execFileSync('git', ['clone', '-q', server.dir, tree], { env })
    expect(await repo.plan(['hooks', 'install', 'pre-receive'], { cwd: tree })).toMatchObject({ code: 0 })
    expect(() =>
      execFileSync('git', ['push', '-q', tree, 'main:refs/heads/plan/a'], { cwd: repo.dir, env, stdio: 'pipe' }),
    ).toThrow('incomplete')
    execFileSync('git', ['push', '-q', tree, 'plan/p'], { cwd: repo.dir, env, stdio: 'pipe' })
    server.close()
    repo.remove()
  })

  test('judges a thousand refs at once', async ({ repo, server }) => {
    const tip = repo.git(['rev-parse', 'HEAD'])
    repo.git(['update-ref', '--stdin'], {
      input: Array.from({ length: 1000 }, (_, n) => `create refs/heads/b${n} ${tip}\n`).join(''),
    })
    await accepted(server, repo, 'refs/heads/b*:refs/heads/b*')
    expect(Object.keys(server.refs())).toHaveLength(1001)
  })
})
