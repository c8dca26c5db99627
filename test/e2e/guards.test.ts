import { chmodSync, existsSync, statSync } from 'node:fs'
import { expect } from 'vitest'
import { planText, test } from '../helpers/repo.ts'

test('changes made after switching away by hand are not taken for what was put aside before', async ({ repo }) => {
  repo.write('a.txt', 'mine\n')
  repo.write('.plans/p.md', planText('  - {id: bad, run: exit 1}'))
  expect((await repo.plan(['start', '.plans/p.md', '--approve', '--autostash'])).code).toBe(1)
  repo.git(['checkout', '-q', 'main'])
  repo.write('a.txt', 'later\n')
  const ran = await repo.plan(['resume', 'p', '--autostash'])
  expect(ran.code, ran.all).toBe(2)
  expect(ran.all).toContain('still autostashed')
  expect(repo.read('a.txt')).toBe('later\n')
  repo.git(['checkout', '-q', 'a.txt'])
  expect((await repo.plan(['cancel', 'p'])).code).toBe(0)
  expect(repo.read('a.txt')).toBe('mine\n')
})

test('names that look quoted, and permissions, come back from --autostash', async ({ repo }) => {
  repo.write('"f"', 'quoted\n')
  repo.write('f', 'plain\n')
  repo.write('"q', 'open\n')
  chmodSync(repo.path('f'), 0o600)
  repo.write('.plans/p.md', planText('  - {id: one, run: echo 1 > one.txt}'))
  expect((await repo.plan(['start', '.plans/p.md', '--approve', '--autostash'])).code).toBe(0)
  expect(existsSync(repo.path('f'))).toBe(false)
  expect((await repo.plan(['finish', 'p'])).code).toBe(0)
  expect([repo.read('"f"'), repo.read('f'), repo.read('"q')]).toEqual(['quoted\n', 'plain\n', 'open\n'])
  expect(statSync(repo.path('f')).mode & 0o777).toBe(0o600)
})

test('setup that failed runs again on resume', async ({ repo }) => {
  const ready = repo.path('../ready')
  repo.write(
    '.plans/p.md',
    planText('  - {id: one, run: echo 1 > one.txt}', `setup: test -e ${ready} && echo done >> ${ready}\n`),
  )
  expect((await repo.plan(['start', '.plans/p.md', '--approve', '--worktree'])).code).toBe(2)
  repo.write('../ready', '')
  const ran = await repo.plan(['resume', 'p'])
  expect(ran.code, ran.all).toBe(0)
  expect(repo.read('../ready')).toBe('done\n')
})

test('a pattern that backtracks for ever, and a pipe in the place of a file, fail the check instead of holding the run', async ({
  repo,
}) => {
  const check = (file: string, pattern: string): string =>
    `verify: [{contains: {file: ${file}, pattern: ${JSON.stringify(pattern)}}}]`
  repo.write(
    '.plans/p.md',
    planText(
      `  - {id: slow, run: "printf '%060d!' 0 | tr 0 a > x.txt", ${check('x.txt', '^(a+)+$')}}\n  - {id: pipe, needs: [], run: mkfifo p, ${check('p', 'x')}}`,
    ),
  )
  const ran = await repo.plan(['start', '.plans/p.md', '--approve', '--keep-going'])
  expect(ran.code, ran.all).toBe(1)
  expect(ran.all).toContain('takes longer than')
  expect(ran.all).toContain('is not a regular file')
})

test('a probe has time of its own after a timeout', async ({ repo }) => {
  repo.write(
    '.plans/p.md',
    planText('  - {id: call, run: sleep 30, timeout: 300ms, effect: external, probe: "sleep 0.2; exit 0"}'),
  )
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran.code, ran.all).toBe(1)
  const done = await repo.plan(['resume', 'p'])
  expect(done.code, done.all).toBe(0)
})

test('a dry run after a crash leaves everything as it is', async ({ repo }) => {
  const begun = repo.path('../begun')
  repo.write('.plans/p.md', planText(`  - {id: slow, run: "echo half > half.txt; touch ${begun}; sleep 30"}`))
  const child = repo.spawn(['start', '.plans/p.md', '--approve'])
  while (!existsSync(begun)) await new Promise((resolve) => setTimeout(resolve, 20))
  process.kill(child.pid ?? 0, 'SIGKILL')
  const before = repo.git(['for-each-ref'])
  const ran = await repo.plan(['resume', 'p', '--dry-run'])
  expect(ran.code, ran.all).toBe(0)
  expect(repo.git(['for-each-ref'])).toBe(before)
  expect(repo.read('half.txt')).toBe('half\n')
  expect((await repo.plan(['cancel', 'p'])).code).toBe(0)
})

test('doctor --unlock removes the lock of the work tree with that of the plan', async ({ repo }) => {
  for (const id of ['demo', 'other']) {
    repo.write(`../${id}.md`, planText('  - {id: one, run: echo 1 > one.txt}', `plan: ${id}\n`))
    expect((await repo.plan(['new', '--from', `../${id}.md`])).code).toBe(0)
  }
  const elsewhere = {
    host: 'elsewhere',
    boot: 'b',
    namespace: 'n',
    pid: 1,
    start: '1',
    run: 'r',
    command: 'start',
    since: '2026-01-02T03:04:05Z',
    plan: 'demo',
  }
  repo.write('.git/plan/.tree/lock-1', JSON.stringify(elsewhere))
  expect((await repo.plan(['doctor'])).all).toContain('git plan doctor --unlock demo')
  const held = await repo.plan(['start', 'other', '--approve'])
  expect(held.code, held.all).toBe(4)
  expect(held.all).toMatch(/Hint: .*git plan doctor --unlock demo$/m)
  repo.write('.git/plan/demo/lock-1', JSON.stringify(elsewhere))
  const unlocked = await repo.plan(['doctor', '--unlock', 'demo'])
  expect(unlocked.all.match(/is locked by/g), unlocked.all).toHaveLength(1)
  const ran = await repo.plan(['start', 'demo', '--approve'])
  expect(ran.code, ran.all).toBe(0)
})
