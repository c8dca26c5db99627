// A plan in a work tree of its own: the user's checkout is the user's.

import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { planText, test } from '../helpers/repo.ts'

test('names in .worktreeinclude need not be UTF-8, and nothing is written through a link of the branch', async ({
  repo,
}) => {
  const name = Buffer.from(repo.path('caf\u00e9.log'), 'latin1')
  const elsewhere = repo.path('../elsewhere')
  mkdirSync(elsewhere)
  repo.write('.gitignore', '*.log\n')
  repo.write('.worktreeinclude', '*.log\n')
  repo.commit('Rules')
  repo.git(['checkout', '-q', '-b', 'linked'])
  symlinkSync(elsewhere, repo.path('logs'))
  repo.commit('A link')
  repo.git(['checkout', '-q', 'main'])
  writeFileSync(name, 'kept\n')
  repo.write('logs/x.log', 'kept\n')
  repo.write('.plans/demo.md', planText(`  - {id: one, run: 'cat *.log > seen.txt'}`, 'base: linked\n'))
  const ran = await repo.plan(['start', '.plans/demo.md', '--approve', '--worktree'])
  expect(ran.code, ran.all).toBe(0)
  expect(repo.git(['show', 'plan/demo:seen.txt'])).toBe('kept')
  expect(readdirSync(elsewhere)).toEqual([])
})

test('what a shell sets for editors, pagers and passwords keeps no work tree from being made, and no plan from being pushed', async ({
  repo,
}) => {
  for (const name of ['EDITOR', 'VISUAL', 'PAGER', 'SSH_ASKPASS', 'PREFIX']) repo.env[name] = 'vi'
  repo.git(['init', '-q', '--bare', `${repo.home}/remote.git`])
  repo.git(['remote', 'add', 'origin', `${repo.home}/remote.git`])
  repo.git(['config', 'plan.policyRef', 'main'])
  expect(
    (
      await repo.plan(['new', '--from', '-', '--id', 'demo'], {
        input: planText('  - {id: one, run: echo 1 > one.txt}'),
      })
    ).code,
  ).toBe(0)
  const ran = await repo.plan(['start', 'demo', '--approve', '--worktree', '--push'])
  expect(ran.code, ran.all).toBe(0)
  expect(repo.git(['ls-remote', 'origin', 'plan/demo'])).toContain(repo.git(['rev-parse', 'plan/demo']))
})

test("finish takes the plan file that start --worktree was given as the plan's own", async ({ repo }) => {
  repo.write('.plans/demo.md', planText('  - {id: one, run: echo 1 > one.txt}'))
  expect((await repo.plan(['start', '.plans/demo.md', '--approve', '--worktree'])).code).toBe(0)
  const finished = await repo.plan(['finish', 'demo'])
  expect(finished.code, finished.all).toBe(0)
  expect(repo.status()).toBe('')
  expect(repo.read('.plans/demo.md')).toContain('status: completed')
})

test('a work tree that the user made for the plan stays theirs', async ({ repo }) => {
  expect(
    (
      await repo.plan(['new', 'Demo', '--from', '-', '--id', 'demo'], {
        input: planText('  - {id: one, run: echo 1 > one.txt}'),
      })
    ).code,
  ).toBe(0)
  const mine = repo.path('../mine')
  repo.git(['worktree', 'add', '-q', mine, 'plan/demo'])
  expect((await repo.plan(['start', 'demo', '--approve'], { cwd: mine })).code).toBe(0)
  const finished = await repo.plan(['finish', 'demo'])
  expect(finished.code, finished.all).toBe(0)
  expect(existsSync(`${mine}/one.txt`)).toBe(true)
  expect(repo.git(['rev-parse', '--abbrev-ref', 'HEAD'], { cwd: mine })).toBe('plan/demo')
  expect(repo.read('one.txt')).toBe('1\n')
})
