// What makes a step fail besides its command, and what a plan does about failures by its own rules.

import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

interface Report {
  readonly status: string
  readonly seen: string
  readonly outcome: string | null
  readonly steps: readonly { readonly id: string; readonly status: string; readonly seen: string; readonly attempt: number; readonly error: string | null }[]
}

async function start(repo: TestRepo, steps: string, options: { args?: readonly string[]; more?: string; env?: Record<string, string> } = {}) {
  repo.write('.plans/demo.md', planText(steps, options.more))
  const ran = await repo.plan(
    ['start', '.plans/demo.md', '--approve', '--json', ...(options.args ?? [])],
    options.env === undefined ? {} : { env: options.env },
  )
  return { ...ran, report: JSON.parse(ran.stdout.trimEnd().split('\n').at(-1) ?? '') as Report }
}

const states = (report: Report): string => report.steps.map((step) => `${step.id} ${step.status}`).join(', ')

test('a step whose command succeeds fails all the same when a check of the executor does not hold', async ({ repo }) => {
  const cases: [step: string, why: RegExp][] = [
    ['run: "true", verify: {exists: two.txt}', /two\.txt does not exist/],
    ['run: "true", verify: {absent: a.txt}', /a\.txt exists/],
    ['run: echo x > one.txt, verify: {contains: {file: one.txt, pattern: "^y$"}}', /one\.txt does not contain/],
    ['run: "true", verify: {lacks: {file: a.txt, pattern: hello}}', /a\.txt contains/],
    ['run: "true", criteria: [{text: It says bye, verify: {contains: {file: a.txt, pattern: bye}}}]', /It says bye: a\.txt does not contain/],
    ['run: "true", test: exit 3', /exit code 3/],
    ['run: "echo 1 > in.txt; echo 2 > out.txt", files: [in*]', /outside its `files`: out\.txt/],
    ['run: echo x > other.txt, files: [one.txt, other.txt]', /one\.txt is declared/],
    ['run: echo 1 > one.txt, changes: none', /must leave the tree as it is, but changed one\.txt/],
    ['run: "true", changes: some', /must change something/],
    ['run: echo x >> .plans/demo.md', /belongs to the plan/],
    ['edit: a.txt, replace: not there, with: x', /found 0 times/],
    ['move: nothing.txt, to: b.txt', /git tracks nothing there/],
  ]
  const steps = cases.map(([step], at) => `  - {id: s${at}, needs: [], ${step}}`).join('\n')
  const { code, report } = await start(repo, steps, { args: ['--keep-going'] })
  expect(code).toBe(1)
  for (const [at, [, why]] of cases.entries()) {
    expect(report.steps[at]).toMatchObject({ status: 'failed', error: expect.stringMatching(why) })
    // Each began at the checkpoint, whatever the one before it had left.
    const changed = repo.git(['diff', '--name-only', `refs/plan/demo/attempts/s${at}/1^`, `refs/plan/demo/attempts/s${at}/1`])
    expect(changed.split('\n').length).toBeLessThanOrEqual(2)
  }
  expect(repo.git(['ls-files'])).toBe('.plans/demo.md\na.txt')
  expect(repo.status()).toBe('')
})

test('a repository that a step leaves inside the work tree is named and left, with exit 5, until it is moved away', async ({ repo }) => {
  const ran = await repo.plan(['new', '--from', '-', '--id', 'demo'], {
    input: planText('  - {id: one, run: "test -e $OK || { git init -q sub; echo x > sub/x; }"}'),
  })
  expect(ran.code, ran.all).toBe(0)
  const left = await repo.plan(['start', 'demo', '--approve'], { env: { OK: '/nowhere' } })
  expect(left.code, left.all).toBe(5)
  expect(left.all).toContain('sub')
  expect(repo.read('sub/x')).toBe('x\n')
  expect((await repo.plan(['resume', 'demo'])).code).toBe(5)
  execFileSync('mv', [repo.path('sub'), join(dirname(repo.dir), 'sub')])
  const resumed = await repo.plan(['resume', 'demo'], { env: { OK: repo.path('a.txt') } })
  expect(resumed.code, resumed.all).toBe(0)
})

test('a step that takes longer than its timeout is ended and recorded as such', async ({ repo }) => {
  const { code, report } = await start(repo, '  - {id: one, timeout: 1s, run: "echo begun > one.txt; sleep 60"}')
  expect(code).toBe(1)
  expect(states(report)).toBe('one timeout')
  expect(report.steps[0]?.error).toContain('ran out of time')
  expect(repo.status()).toBe('')
  expect(repo.git(['show', 'refs/plan/demo/attempts/one/1:one.txt'])).toBe('begun')
})

test('retries run a step again from the checkpoint, keep each attempt, and commit no failure', async ({ repo }) => {
  const { code, report } = await start(repo, '  - {id: one, retries: 2, run: "test ! -e left.txt; echo $PLAN_ATTEMPT > left.txt; test $PLAN_ATTEMPT = 3"}')
  expect(code).toBe(0)
  expect(report.steps[0]).toMatchObject({ status: 'done', attempt: 3 })
  expect(repo.read('left.txt')).toBe('3\n')
  expect([1, 2].map((n) => repo.git(['show', `refs/plan/demo/attempts/one/${n}:left.txt`]))).toEqual(['1', '2'])
  expect(repo.subjects('plan/demo')).toHaveLength(5)
})

test('a step that is allowed to fail does not stop the plan, and makes the outcome partial', async ({ repo }) => {
  const { code, report } = await start(repo, '  - {id: one, allow_failure: true, run: "echo 1 > one.txt; false"}\n  - {id: two, run: echo 2 > two.txt}')
  expect(code).toBe(0)
  expect(states(report)).toBe('one failed, two done')
  expect(report).toMatchObject({ status: 'completed', outcome: 'partial' })
  expect(repo.git(['ls-files'])).toBe('.plans/demo.md\na.txt\ntwo.txt')
})

test('--keep-going runs what does not need the failed step, then fails; resume runs the rest', async ({ repo }) => {
  const ok = join(dirname(repo.dir), 'ok')
  const env = { OK: ok }
  const { code, report } = await start(
    repo,
    '  - {id: one, run: test -e $OK}\n  - {id: two, run: echo 2 > two.txt}\n  - {id: three, needs: [], run: echo 3 > three.txt}\n  - {id: four, needs: [three], run: echo 4 > four.txt}',
    { args: ['--keep-going'], env },
  )
  expect(code).toBe(1)
  expect(states(report)).toBe('one failed, two pending, three done, four done')
  expect(report.steps.map((step) => step.seen)).toEqual(['failed', 'blocked', 'done', 'done'])
  expect(report.status).toBe('failed')
  const resumed = await repo.plan(['resume'], { env: { OK: repo.path('a.txt') } })
  expect(resumed.code, resumed.all).toBe(0)
  expect((await repo.json(['status', 'demo']))['progress']).toEqual({ done: 4, total: 4 })
})

test('on_failure: rollback-all goes back to the approved commit, keeps the tip under a tag, and can run again', async ({ repo }) => {
  const steps = '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: "echo half > two.txt; test -e $OK"}'
  const { code, report } = await start(repo, steps, { more: 'on_failure: rollback-all\n', env: { OK: '/nowhere' } })
  expect(code).toBe(1)
  expect(report).toMatchObject({ status: 'approved', seen: 'rolled-back' })
  expect(repo.subjects('plan/demo')).toEqual(['Approved: demo', 'Plan: demo', 'First'])
  expect(repo.git(['ls-files'])).toBe('.plans/demo.md\na.txt')
  expect(repo.status()).toBe('')
  expect(repo.subjects('refs/plan/demo/rollbacks/1')[0]).toMatch(/^Failed: /)
  const again = await repo.plan(['resume', 'demo'], { env: { OK: repo.path('a.txt') } })
  expect(again.code, again.all).toBe(0)
})

test("the plan's own checks stop it before completion, and pass on resume without a step run again", async ({ repo }) => {
  const { code, report } = await start(repo, '  - {id: one, run: echo 1 >> one.txt}', {
    more: 'verify: [{exists: one.txt}, test -e $OK]\n',
    env: { OK: '/nowhere' },
  })
  expect(code).toBe(1)
  expect(report.status).toBe('failed')
  expect(states(report)).toBe('one done')
  const resumed = await repo.plan(['resume'], { env: { OK: repo.path('a.txt') } })
  expect(resumed.code, resumed.all).toBe(0)
  expect(repo.read('one.txt')).toBe('1\n')
  expect((await repo.json(['status', 'demo']))['status']).toBe('completed')
})
