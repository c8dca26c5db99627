// Tests that are counted: what a step may break, what failed before, and results that lie.

import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { executorOf, isAlive, pidIn, until } from '../helpers/crash.ts'
import { ended, planText, test, type Ran, type TestRepo } from '../helpers/repo.ts'

/** A test program: prints `results` as TAP, and exits with the code in `code`. */
function project(repo: TestRepo, results: readonly string[], code = 0): void {
  repo.write('t.sh', 'cat results; echo "scope=$*" >&2; exit $(cat code)\n')
  repo.write('code', `${code}\n`)
  repo.write('results', tap(results))
  repo.commit('Tests')
}

const tap = (results: readonly string[]): string =>
  ['TAP version 13', ...results, `1..${results.length}`, ''].join('\n')

function written(repo: TestRepo, id: string, results: readonly string[]): void {
  repo.write(`${id}.tap`, tap(results))
}

/** A step that leaves the results in `<id>.tap`. */
const step = (id: string, code: number): string =>
  `  - {id: ${id}, run: "cp ${id}.tap results; echo ${code} > code", test: true}`

const counted = 'test: {run: "sh t.sh {scope}"}\n'

const start = (repo: TestRepo, steps: string, args: readonly string[] = [], more = counted): Promise<Ran> => {
  repo.write('../p.md', planText(steps, more))
  return repo.plan(['start', '../p.md', '--approve', ...args])
}

interface Facts {
  readonly steps: { id: string; status: string; error: string | null; tests: unknown; replayed: string | null }[]
}
const stepsOf = async (repo: TestRepo): Promise<Facts['steps']> =>
  ((await repo.json(['status', 'p'])) as unknown as Facts).steps
const trailersAt = (repo: TestRepo, commit = 'plan/p'): string =>
  repo.git(['log', '-1', '--format=%(trailers:key=Plan-Tests,key=Plan-Tests-Before,key=Plan-Tests-Failing)', commit])

test('old failures stay and are named, new tests are counted, and a regression stops the plan although the command exits with 0', async ({
  repo,
}) => {
  written(repo, 'grow', ['ok 1 - adds', 'not ok 2 - old', 'ok 3 - new'])
  written(repo, 'regress', ['not ok 1 - adds', 'not ok 2 - old', 'ok 3 - new'])
  project(repo, ['ok 1 - adds', 'not ok 2 - old'], 1)
  const ran = await start(repo, `${step('grow', 1)}\n${step('regress', 0)}`)
  expect(ran.code, ran.all).toBe(1)
  expect(ran.all).toContain('before the first step: 2 run, 1 passed, 1 failed, 0 skipped')
  expect(ran.all).toContain('sh t.sh {scope}: 3 run, 2 passed, 1 failed, 0 skipped (+1; 1 failed before: old)')
  expect(ran.all).toContain('a test fails that did not fail before: adds; 1 failed before: old')
  const [grow, regress] = await stepsOf(repo)
  expect(grow).toMatchObject({
    status: 'done',
    tests: {
      before: { run: 2, passed: 1, failed: 1, skipped: 0 },
      after: { run: 3, passed: 2, failed: 1, skipped: 0 },
      failing: ['old'],
    },
  })
  expect(regress).toMatchObject({ status: 'failed', tests: { after: { failed: 2 }, failing: ['old'] } })
  expect(trailersAt(repo, 'plan/p~1')).toBe(
    [
      'Plan-Tests: 3 run, 2 passed, 1 failed, 0 skipped',
      'Plan-Tests-Before: 2 run, 1 passed, 1 failed, 0 skipped',
      'Plan-Tests-Failing: ["old"]',
      '',
    ].join('\n'),
  )
  // Shown to everybody who reads about the plan.
  expect((await repo.plan(['status', 'p'])).stdout).toContain('tests 3 run, 2 passed, 1 failed, 0 skipped (+1; ')
  expect((await repo.plan(['show', 'p'])).stdout).toContain('tests: 3 run, 2 passed, 1 failed, 0 skipped (+1; ')
  const report = (await repo.plan(['report', 'p'])).stdout
  expect(report).toContain(
    '| grow | 2 run, 1 passed, 1 failed, 0 skipped | 3 run, 2 passed, 1 failed, 0 skipped | +1 | old |',
  )
  expect(report).toContain('regress, attempt 1')
  expect(report).toContain('not fail before: adds')
  expect((await repo.plan(['log', 'p'])).stdout).toContain('baseline')
  expect((await repo.plan(['audit', 'p'])).code).toBe(0)
  // The repeated check excuses the same failures.
  expect((await repo.plan(['audit', 'p', '--rerun'])).all).not.toContain('did not fail before')
})

test('a test that ran before and is skipped is in the report', async ({ repo }) => {
  written(repo, 'skip', ['ok 1 - a', 'ok 2 - b # SKIP'])
  project(repo, ['ok 1 - a', 'ok 2 - b'])
  const ran = await start(repo, step('skip', 0))
  expect(ran.code, ran.all).toBe(0)
  expect((await repo.plan(['report', 'p'])).stdout).toContain('- 1 test that ran before is skipped')
})

test('regressions of parallel steps are stopped too, and a scope reaches the command as one word', async ({ repo }) => {
  written(repo, 'one', ['ok 1 - a', 'not ok 2 - old'])
  written(repo, 'two', ['not ok 1 - a', 'not ok 2 - old'])
  project(repo, ['ok 1 - a', 'not ok 2 - old'], 1)
  const scope = '$(touch injected) "; touch injected; \' x'
  const yaml = JSON.stringify(scope)
  const steps = [
    `  - {id: one, needs: [], run: "true > one", test: {scope: ${yaml}}}`,
    '  - {id: two, needs: [], run: "cp two.tap results", test: {scope: "b c"}}',
  ].join('\n')
  const results = []
  for (const jobs of ['1', '2']) {
    const ran = await start(repo, steps, ['-j', jobs])
    expect(ran.code, ran.all).toBe(1)
    expect(ran.all).toContain(`scope=${scope}`)
    expect(ran.all).toContain('scope=b c')
    results.push((await stepsOf(repo)).map(({ id, status, tests, error }) => ({ id, status, tests, error })))
    expect(existsSync(repo.path('injected'))).toBe(false)
    await repo.plan(['cancel', 'p', '-m', 'again'])
    await repo.plan(['delete', 'p', '--force'])
    expect(repo.git(['branch', '--list', 'plan/p'])).toBe('')
  }
  expect(results[0]).toMatchObject([
    { id: 'one', status: 'done' },
    { id: 'two', status: 'failed' },
  ])
  expect(results[1]).toEqual(results[0])
})

test('a JUnit file that lies, one of an earlier run, and no file at all fail the step', async ({ repo }) => {
  const junit = (failures: number): string =>
    `<testsuites><testsuite name="s" tests="2" failures="${failures}"><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite></testsuites>`
  repo.write('.gitignore', 'out/\n')
  repo.write('honest.xml', junit(1))
  repo.write('liar.xml', junit(0))
  repo.write('t.sh', 'test -e stale || { mkdir -p out; cp "$(cat which)" out/junit.xml; }; exit 0\n')
  repo.write('which', 'honest.xml\n')
  repo.commit('Tests')
  const more = 'test: {run: sh t.sh, report: out/junit.xml}\n'
  const steps = [
    '  - {id: old, run: "echo 1 > n", test: true}',
    '  - {id: liar, run: "echo liar.xml > which", test: true, allow_failure: true}',
    '  - {id: stale, needs: [old], run: "echo > stale", test: true, allow_failure: true}',
    '  - {id: gone, needs: [old], run: "echo > stale; rm -r out", test: true, allow_failure: true}',
  ].join('\n')
  const ran = await start(repo, steps, [], more)
  expect(ran.code, ran.all).toBe(0)
  const byId = Object.fromEntries((await stepsOf(repo)).map((each) => [each.id, each]))
  expect(byId['old']).toMatchObject({ status: 'done', tests: { failing: ['s > b'] } })
  expect(byId['liar']?.error).toContain('the suite s claims 0 failures, but 1 of its tests failed')
  expect(byId['stale']?.error).toContain('out/junit.xml is from an earlier run; this one did not write it')
  expect(byId['gone']?.error).toContain('the command did not write out/junit.xml')
})

test('results that cannot be counted fail, and on the base they excuse nothing', async ({ repo }) => {
  repo.write('t.sh', 'cat results; exit $(cat code)\n')
  repo.write('results', 'does not compile\n')
  repo.write('code', '1\n')
  repo.commit('Tests')
  const steps = [
    '  - {id: empty, run: "echo no tests > results; echo 0 > code", test: true, allow_failure: true}',
    `  - {id: none, needs: [], run: "printf '1..0\\\\n' > results; echo 0 > code", test: true, allow_failure: true}`,
    `  - {id: crash, needs: [], run: "printf '1..1\\\\nok 1 - a\\\\n' > results; echo 3 > code", test: true, allow_failure: true}`,
    `  - {id: fails, needs: [], run: "printf '1..1\\\\nnot ok 1 - a\\\\n' > results; echo 1 > code", test: true, allow_failure: true}`,
    `  - {id: good, needs: [], run: "printf '1..1\\\\nok 1 - a\\\\n' > results; echo 0 > code", test: true}`,
  ].join('\n')
  const ran = await start(repo, steps, [], 'test: {run: sh t.sh}\n')
  expect(ran.code, ran.all).toBe(0)
  expect(ran.all).toContain('the tests could not be counted (exit code 1); every test has to pass')
  const byId = Object.fromEntries((await stepsOf(repo)).map((each) => [each.id, each]))
  expect(byId['empty']?.error).toContain('no test results were found in its output')
  expect(byId['none']?.error).toContain('no test ran')
  expect(byId['crash']?.error).toContain('exit code 3, although no test failed')
  expect(byId['fails']?.error).toContain('a test fails that did not fail before: a')
  expect(byId['good']).toMatchObject({ status: 'done', tests: { after: { run: 1 }, failing: [] } })
})

test('a hung test is ended by the timeout of the step, a hung baseline before anything has run', async ({ repo }) => {
  project(repo, ['ok 1 - a'])
  written(repo, 'x', ['ok 1 - a'])
  repo.write('t.sh', 'test -e hang && sleep 600; cat results\n')
  repo.commit('More')
  const ran = await start(repo, '  - {id: x, run: "touch hang", test: true, timeout: 3s}')
  expect(ran.code, ran.all).toBe(1)
  expect(await stepsOf(repo)).toMatchObject([
    { id: 'x', status: 'timeout', error: expect.stringContaining('timed out') },
  ])
  repo.write(
    '../q.md',
    planText('  - {id: x, run: "true", test: true, timeout: 1s}', 'base: main\ntest: {run: sleep 600}\n'),
  )
  const hung = await repo.plan(['start', '../q.md', '--approve', '--worktree'])
  expect(hung.code, hung.all).not.toBe(0)
  expect(hung.all).toContain('could not be counted before the first step: `sleep 600`: timed out')
})

test('a baseline that is killed half way is taken again, its changes are not committed, and it is taken once', async ({
  repo,
}) => {
  project(repo, ['ok 1 - a', 'not ok 2 - old'], 1)
  written(repo, 'x', ['ok 1 - a', 'not ok 2 - old'])
  const trap = `${repo.home}/armed`
  const pid = `${repo.home}/pid`
  const runs = `${repo.home}/runs`
  writeFileSync(trap, '')
  repo.write(
    't.sh',
    `echo run >> ${runs}; echo mess > mess.txt; echo mess > a.txt; cat results; if [ -e ${trap} ]; then echo $$ > ${pid}; sleep 60; fi; exit $(cat code)\n`,
  )
  repo.commit('A trap')
  repo.write('../p.md', planText(`${step('x', 1)}\n  - {id: y, run: "echo y > y", test: true}`, counted))
  const child = repo.spawn(['start', '../p.md', '--approve'])
  const ran = ended(child)
  await pidIn(pid)
  process.kill(await executorOf(child), 'SIGKILL')
  await until('the executor is gone', () => !isAlive(child.pid ?? 0))
  await ran
  expect(repo.git(['log', '--format=%s', 'plan/p'])).not.toContain('Baseline')
  unlinkSync(trap)
  const again = await repo.plan(['resume', 'p'])
  expect(again.code, again.all).toBe(0)
  expect(repo.git(['log', '--format=%s', 'plan/p'])).toContain('Baseline: 2 run, 1 passed, 1 failed, 0 skipped')
  const baseline = repo.git(['log', '--format=%H', '--grep=^Baseline', 'plan/p'])
  expect(repo.git(['diff-tree', '--name-only', '-r', baseline])).toBe('')
  expect(again.all).toContain('changed the work tree; its changes are saved in refs/plan/p/attempts/baseline/')
  // Twice for the baseline, and once for each step.
  expect(readFileSync(runs, 'utf8').trim().split('\n')).toHaveLength(4)
})

test('a cached step keeps its numbers, and is judged again if the old failures are others', async ({ repo }) => {
  written(repo, 'x', ['ok 1 - a', 'not ok 2 - old'])
  project(repo, ['ok 1 - a', 'not ok 2 - old'], 1)
  const steps = '  - {id: x, run: "cp x.tap copy", test: true, cache: {inputs: [x.tap]}}'
  const first = await start(repo, steps)
  expect(first.code, first.all).toBe(0)
  expect((await repo.plan(['rollback', 'p', '--all'])).code).toBe(0)
  const second = await repo.plan(['start', 'p'])
  expect(second.code, second.all).toBe(0)
  expect(await stepsOf(repo)).toMatchObject([
    { replayed: expect.any(String), tests: { after: { run: 2 }, failing: ['old'] } },
  ])
})

test.for(['tap', 'spec'])(
  'node --test --test-reporter=%s: a test that fails does not excuse one of the same name in another file',
  async (reporter, { repo }) => {
    const check = (file: string): string =>
      `require('node:test').test('works', () => { if (!require('node:fs').readFileSync('${file}').includes('ok')) throw 1 })\n`
    repo.write('a.txt', 'bad\n')
    repo.write('b.txt', 'ok\n')
    repo.write('a.test.js', check('a.txt'))
    repo.write('b.test.js', check('b.txt'))
    repo.commit('A project')
    const ran = await start(
      repo,
      '  - {id: swap, run: "echo ok > a.txt; echo bad > b.txt", test: true}',
      [],
      `test: {run: "${process.execPath} --test --test-reporter=${reporter}"}\n`,
    )
    expect(ran.code, ran.all).toBe(1)
    expect(ran.all).toContain('a test fails that did not fail before: b.test.js > works')
  },
)

test('node --test in a real project: a step that breaks a function is stopped by the test that passed', async ({
  repo,
}) => {
  repo.write('sum.js', 'exports.sum = (a, b) => a + b\n')
  repo.write(
    'sum.test.js',
    "const { test } = require('node:test')\nconst assert = require('node:assert')\nconst { sum } = require('./sum.js')\ntest('adds', () => assert.equal(sum(1, 2), 3))\ntest('is known to fail', () => assert.equal(sum(1, 1), 3))\n",
  )
  repo.commit('A project')
  const steps = [
    '  - {id: doc, edit: sum.js, insert: "// Adds.", before: exports, test: true}',
    '  - {id: breaks, edit: sum.js, replace: a + b, with: a - b, test: true}',
  ].join('\n')
  const ran = await start(
    repo,
    steps,
    [],
    `test: {run: "${process.execPath} --test {scope}; true", scope: sum.test.js}\n`,
  )
  expect(ran.code, ran.all).toBe(1)
  expect(ran.all).toContain(
    'a test fails that did not fail before: sum.test.js > adds; 1 failed before: sum.test.js > is known to fail',
  )
  expect(await stepsOf(repo)).toMatchObject([{ status: 'done' }, { status: 'failed' }])
})
