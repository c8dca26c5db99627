// Uncommitted changes of the user's at `finish`: those that the merge does not touch stay, as with `git merge`.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { test, type TestRepo } from '../helpers/repo.ts'

/** Completed in the user's work tree, with nothing autostashed. */
async function complete(repo: TestRepo, id = 'p', run = 'echo plan >> a.txt; echo 1 > one.txt'): Promise<void> {
  const file = join(repo.home, `${id}.md`)
  writeFileSync(file, `---\nbase: main\nsteps:\n  - {id: one, run: "${run}"}\n---\n`)
  const ran = await repo.plan(['start', file, '--approve'])
  expect(ran.code, ran.all).toBe(0)
}

const prepare = (repo: TestRepo): void => {
  for (const name of ['b.txt', 'c.txt']) repo.write(name, `${name}\n`)
  repo.commit('More')
}

/** Changed, staged, changed after being staged, untracked. */
function change(repo: TestRepo): string {
  repo.write('b.txt', 'changed\n')
  repo.write('c.txt', 'staged\n')
  repo.git(['add', 'c.txt'])
  repo.write('c.txt', 'and changed\n')
  repo.write('mine.txt', 'mine\n')
  return ' M b.txt\nMM c.txt\n?? mine.txt'
}

test('finish keeps unrelated changes in the work tree of the plan', async ({ repo }) => {
  prepare(repo)
  await complete(repo)
  const status = change(repo)
  const finished = await repo.plan(['finish', 'p'])
  expect(finished.code, finished.all).toBe(0)
  expect(repo.git(['symbolic-ref', 'HEAD'])).toBe('refs/heads/main')
  expect(repo.git(['status', '--porcelain'])).toBe(status)
  expect(repo.git(['show', ':c.txt'])).toBe('staged')
  expect(repo.read('one.txt')).toBe('1\n')
})

test('finish keeps unrelated changes where the base is checked out, and names those that it would overwrite', async ({
  repo,
}) => {
  prepare(repo)
  await complete(repo)
  repo.git(['checkout', '-q', 'main'])
  const status = change(repo)
  repo.write('a.txt', 'mine too\n')
  repo.write('one.txt', 'not yours\n')
  const refused = await repo.plan(['finish', 'p'])
  expect(refused.code, refused.all).toBe(2)
  expect(refused.all).toContain('changes that the merge would overwrite: a.txt, one.txt')
  expect(repo.read('one.txt')).toBe('not yours\n')
  repo.git(['checkout', '-q', 'a.txt'])
  repo.git(['clean', '-q', '-f', 'one.txt'])
  const finished = await repo.plan(['finish', 'p'])
  expect(finished.code, finished.all).toBe(0)
  expect(repo.git(['status', '--porcelain'])).toBe(status)
  expect(repo.git(['show', ':c.txt'])).toBe('staged')
  expect(repo.git(['diff', '--name-only', 'HEAD^', 'HEAD'])).toBe('.plans/p.md\na.txt\none.txt')
})

test('finish refuses changes in the work tree of the plan that the way back would overwrite', async ({ repo }) => {
  prepare(repo)
  await complete(repo)
  repo.git(['checkout', '-q', 'main'])
  repo.write('b.txt', 'moved on\n')
  repo.commit('Move on')
  repo.git(['checkout', '-q', 'plan/p'])
  repo.write('b.txt', 'mine\n')
  const before = repo.git(['rev-parse', 'main'])
  const refused = await repo.plan(['finish', 'p'])
  expect(refused.code, refused.all).toBe(2)
  expect(refused.all).toContain('uncommitted changes: b.txt')
  expect(repo.git(['rev-parse', 'main'])).toBe(before)
  expect(repo.read('b.txt')).toBe('mine\n')
})

test('a plan that was started from the branch of another plan ends on its base, not on a detached HEAD', async ({
  repo,
}) => {
  await complete(repo)
  await complete(repo, 'q', 'echo 2 > two.txt')
  expect((await repo.plan(['finish', 'p'])).code).toBe(0)
  const finished = await repo.plan(['finish', 'q'])
  expect(finished.code, finished.all).toBe(0)
  expect(finished.stdout).toMatch(/; on main, since plan\/p is gone \(it was at [0-9a-f]{10}\)/)
  expect(repo.git(['symbolic-ref', 'HEAD'])).toBe('refs/heads/main')
  expect(repo.git(['status', '--porcelain'])).toBe('')
})
