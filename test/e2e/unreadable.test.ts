// Directories that a step leaves unreadable: what is in them is part of the step all the same.

import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { expect } from 'vitest'
import { bin, ended, planText, test, type Ran, type TestRepo } from '../helpers/repo.ts'

/** Root may read everything: without these two it is subject to permissions like any other owner. */
const asOwner = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []

const plan = (repo: TestRepo, args: readonly string[]): Promise<Ran> => {
  const [program = '', ...words] = [...asOwner, process.execPath, bin, ...args]
  return ended(spawn(program, words, { cwd: repo.dir, env: repo.env, stdio: ['ignore', 'pipe', 'pipe'] }))
}
const start = (repo: TestRepo, command: string): Promise<Ran> => {
  repo.write('.plans/demo.md', planText(`  - {id: one, run: '${command}'}`))
  return plan(repo, ['start', '.plans/demo.md', '--approve'])
}
const changedIn = (repo: TestRepo, ref: string): string[] =>
  repo.git(['diff', '--name-only', 'main', ref, '--', ':!.plans']).split('\n')

const leaves = (mode: string): string =>
  `mkdir -p new/deep; echo 1 > new/deep/f; echo 2 > old/t; echo 3 > old/u; chmod ${mode} new/deep new old`

test.for(['000', '111', '444'])(
  'a directory that a step leaves with mode %s is recorded with what is in it',
  async (mode, { repo }) => {
    repo.write('old/t', 'tracked\n')
    repo.commit('Old')
    const ran = await start(repo, leaves(mode))
    expect(ran.code, ran.all).toBe(0)
    expect(ran.all).toContain('made readable: new/, new/deep/, old/')
    expect(changedIn(repo, 'plan/demo')).toEqual(['new/deep/f', 'old/t', 'old/u'])
    expect(repo.status()).toBe('')
  },
)

test('the same in the attempt of a step that fails, or is killed', async ({ repo }) => {
  repo.write('old/t', 'tracked\n')
  repo.commit('Old')
  const ran = await start(repo, `${leaves('000')}; test $PLAN_ATTEMPT = 1 && exit 1; kill -9 $PPID; sleep 5`)
  expect(ran.code, ran.all).toBe(1)
  await plan(repo, ['resume', 'demo', '--retry', 'one'])
  const skipped = await plan(repo, ['resume', 'demo', '--skip', 'one'])
  expect(skipped.code, skipped.all).toBe(0)
  for (const attempt of [1, 2])
    expect(changedIn(repo, `refs/plan/demo/attempts/one/${attempt}`)).toEqual(['new/deep/f', 'old/t', 'old/u'])
  expect(repo.status()).toBe('')
})

test("the user's own is named and left as it is: nobody could tell whether the tree is clean", async ({ repo }) => {
  mkdirSync(repo.path('mine'), { mode: 0o700 })
  repo.write('mine/file', 'mine\n')
  chmodSync(repo.path('mine'), 0)
  const ran = await start(repo, 'echo 1 > one.txt')
  expect(ran.code, ran.all).toBe(5)
  expect(ran.all).toContain('mine/ cannot be read')
  expect(ran.all).toContain("chmod u+rwx 'mine/'")
  repo.write('.git/info/exclude', 'mine\n')
  const ignored = await plan(repo, ['start', 'demo', '--approve'])
  expect(ignored.code, ignored.all).toBe(0)
  chmodSync(repo.path('mine'), 0o700)
})
