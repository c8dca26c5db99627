// Results of parallel steps that are not committed at once, and what their work trees must not lose.

import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { planText, test, type Ran, type TestRepo } from '../helpers/repo.ts'

const start = (repo: TestRepo, steps: string, args: readonly string[] = [], more = ''): Promise<Ran> => {
  repo.write('../p.md', planText(steps, more))
  return repo.plan(['start', '../p.md', '--approve', '-j', '2', ...args])
}
const statuses = async (repo: TestRepo): Promise<string[]> =>
  ((await repo.json(['status', 'p'])) as unknown as { steps: { status: string }[] }).steps.map(({ status }) => status)
const refs = (repo: TestRepo, below: string): string =>
  repo.git(['for-each-ref', '--format=%(refname:lstrip=4)', below])
const results = (repo: TestRepo): string => refs(repo, 'refs/plan-local/p/results')
const withMarks = (repo: TestRepo): string => {
  mkdirSync(`${repo.home}/marks`)
  return (repo.env['MARKS'] = `${repo.home}/marks`)
}
const until = (mark: string): string => `until test -e $MARKS/${mark}; do sleep 0.05; done`

test('--fail-fast stops at the failed step, also if it has ended a step before it', async ({ repo }) => {
  const marks = withMarks(repo)
  const steps = `  - {id: a, needs: [], run: "touch $MARKS/a; test -e $MARKS/mended || sleep 60; echo a > a1"}
  - {id: b, needs: [], run: "echo b > b1; echo x >> $MARKS/b-runs; touch $MARKS/b"}
  - {id: c, needs: [], run: "${until('a')}; ${until('b')}; sleep 0.5; echo x >> $MARKS/c-runs; test -e $MARKS/mended"}`
  const ran = await start(repo, steps, ['-j', '3', '--fail-fast'])
  expect(ran.code, ran.all).toBe(1)
  expect(await statuses(repo)).toEqual(['pending', 'pending', 'failed'])
  expect(repo.read('../home/marks/c-runs')).toBe('x\n')
  expect(results(repo)).toBe('b')
  writeFileSync(`${marks}/mended`, '')
  const again = await repo.plan(['resume', 'p', '-j', '3'])
  expect(again.code, again.all).toBe(0)
  expect(repo.read('../home/marks/b-runs')).toBe('x\n')
})

test('a waiting result is not committed once the policy no longer accepts the approval', async ({ repo }) => {
  withMarks(repo)
  const steps = `  - {id: a, needs: [], run: "${until('b')}; sleep 0.5; exit 1"}
  - {id: b, needs: [], run: "echo b > b1; touch $MARKS/b"}`
  expect(await start(repo, steps)).toMatchObject({ code: 1 })
  expect(results(repo)).toBe('b')
  repo.git(['checkout', '-q', 'main'])
  repo.write('.plans/config.yml', 'version: 1\napproval: {high: signature}\n')
  repo.commit('Signatures only')
  const tip = repo.git(['rev-parse', 'plan/p'])
  const refused = await repo.plan(['resume', 'p', '--keep-going', '-j', '2'], { throughGit: true })
  expect(refused.code, refused.all).toBe(3)
  expect(repo.git(['rev-parse', 'plan/p'])).toBe(tip)
  expect(results(repo)).toBe('b')
})

/** `a` fails, and the result of `b`, which has failed once before, waits. */
const waiting = `  - {id: a, needs: [], run: "${until('b')}; sleep 0.5; test -e $MARKS/mended"}
  - {id: b, needs: [], run: "echo x >> $MARKS/b; test $(wc -l < $MARKS/b) -gt 1 && echo b > b1", retries: 1}`

test('--retry runs a step whose result waits once, and keeps the result as an attempt', async ({ repo }) => {
  const marks = withMarks(repo)
  expect((await start(repo, waiting)).code).toBe(1)
  expect(results(repo)).toBe('b')
  writeFileSync(`${marks}/mended`, '')
  const ran = await repo.plan(['resume', 'p', '--retry', 'b', '-j', '2'])
  expect(ran.code, ran.all).toBe(0)
  expect(repo.read('../home/marks/b')).toBe('x\nx\nx\n')
  expect(repo.subjects().filter((subject) => subject.startsWith('Run echo x'))).toHaveLength(1)
  expect(refs(repo, 'refs/plan/p/attempts/b')).toBe('b/1\nb/2')
  expect((await repo.plan(['audit', 'p'])).code).toBe(0)
})

test('a rollback, and a cancellation from another branch, keep a waiting result as an attempt', async ({ repo }) => {
  const marks = withMarks(repo)
  const steps = `  - {id: z, needs: [], run: "echo z > z1"}\n${waiting.replaceAll('needs: []', 'needs: [z]')}`
  expect((await start(repo, steps)).code).toBe(1)
  expect((await repo.plan(['rollback', 'p', '--to', 'z'])).code).toBe(0)
  expect(results(repo)).toBe('')
  expect(refs(repo, 'refs/plan/p/attempts/b')).toBe('b/1\nb/2')
  rmSync(`${marks}/b`)
  expect((await repo.plan(['resume', 'p', '-j', '2'])).code).toBe(1)
  expect(results(repo)).toBe('b')
  repo.git(['checkout', '-q', 'main'])
  expect((await repo.plan(['cancel', 'p'])).code).toBe(0)
  expect(results(repo)).toBe('')
  expect(refs(repo, 'refs/plan/p/attempts/b')).toBe('b/1\nb/2\nb/3\nb/4')
})

test('a result never replaces an ignored file in the checkout of the plan', async ({ repo }) => {
  repo.write('.gitignore', 'data.txt\n')
  repo.commit('Ignore')
  repo.write('data.txt', 'the only copy\n')
  const steps = `  - {id: a, needs: [], run: "echo other > .gitignore; test -e data.txt || echo new > data.txt"}
  - {id: b, needs: [], run: "echo b > b1"}`
  const ran = await start(repo, steps)
  expect(ran.code, ran.all).toBe(0)
  expect(repo.read('data.txt')).toBe('the only copy\n')
  // As one step at a time: an ignored file of the user is not committed.
  expect(repo.git(['ls-tree', '--name-only', 'HEAD', 'data.txt'])).toBe('')
})

test('a setup that changes files in several work trees at once stops nothing', async ({ repo }) => {
  const steps = '  - {id: a, needs: [], run: "echo a > a1"}\n  - {id: b, needs: [], run: "echo b > b1"}'
  const ran = await start(repo, steps, [], 'setup: echo x >> a.txt\n')
  expect(ran.code, ran.all).toBe(0)
  expect(refs(repo, 'refs/plan/p/attempts').split('\n')).toEqual(['setup/1', 'setup/2'])
})

test('ignored files of a step survive a second setup and the removal of the work trees', async ({ repo }) => {
  repo.write('.gitignore', 'db\ndeps\n')
  repo.write('lock', '1\n')
  repo.commit('Ignore')
  const steps = `  - {id: a, needs: [], run: "echo made > db; echo 2 > lock"}
  - {id: b, needs: [], run: "echo made > db; echo b > b1"}
  - {id: c, needs: [a, b], run: "echo c > c1"}
  - {id: d, needs: [a, b], run: "echo d > d1"}`
  const ran = await start(repo, steps, [], 'setup: cp lock deps\nsetup_inputs: [lock]\n')
  expect(ran.code, ran.all).toBe(0)
  const moved = [...ran.all.matchAll(/ignored files of \S+ were moved to (\S+)/g)].map(([, aside = '']) => aside)
  expect(moved.map((aside) => readdirSync(aside))).toEqual([['db'], ['db']])
})

test('a work tree whose index was destroyed by a power cut is used again', async ({ repo }) => {
  const marks = withMarks(repo)
  const steps = `  - {id: a, needs: [], run: "test -e $MARKS/mended"}\n  - {id: b, needs: [], run: "echo b > b1"}`
  expect((await start(repo, steps)).code).toBe(1)
  for (const name of readdirSync(`${repo.dir}/.git/worktrees`))
    truncateSync(`${repo.dir}/.git/worktrees/${name}/index`, 0)
  writeFileSync(`${marks}/mended`, '')
  rmSync(`${repo.dir}/.git/plan/p/workers/1/intent.json`, { force: true })
  const again = await repo.plan(['resume', 'p', '-j', '2', '--no-cache'])
  expect(again.code, again.all).toBe(0)
})

test('an unfinished work tree is removed where it was made, and nothing in its new place is', async ({ repo }) => {
  const made = `${repo.home}/old`
  mkdirSync(`${made}/p.1`, { recursive: true })
  mkdirSync(`${repo.home}/new/p.1`, { recursive: true })
  writeFileSync(`${repo.home}/new/p.1/mine.txt`, 'mine')
  mkdirSync(`${repo.dir}/.git/plan/p/workers/1/logs`, { recursive: true })
  writeFileSync(`${repo.dir}/.git/plan/p/workers/1/tree.json`, JSON.stringify({ root: `${made}/p.1`, isMade: false }))
  repo.git(['config', 'plan.worktreeDir', `${repo.home}/new`])
  const steps = '  - {id: a, needs: [], run: "echo a > a1"}\n  - {id: b, needs: [], run: "echo b > b1"}'
  const ran = await start(repo, steps)
  expect(ran.all).toContain(`${repo.home}/new/p.1 already exists and is not a work tree of plan/p`)
  expect(existsSync(`${repo.home}/new/p.1/mine.txt`)).toBe(true)
  expect(existsSync(`${made}/p.1`)).toBe(false)
})
