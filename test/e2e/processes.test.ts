// What a step starts ends with it, however it hides; and what it prints or inherits cannot hurt.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { isAlive, Outside, pidIn, runProcesses, until } from '../helpers/crash.ts'
import { ended, planText, test, type TestRepo } from '../helpers/repo.ts'
import { some } from '../helpers/wide.ts'

const plan = (repo: TestRepo, steps: string, more = ''): void => repo.write('.plans/demo.md', planText(steps, more))
const start = ['start', '.plans/demo.md', '--approve']

/** A script beside the repository: quoting it inside YAML inside a shell is nobody's idea of a test. */
function script(repo: TestRepo, name: string, text: string): string {
  const file = new Outside(repo, name)
  file.write(text)
  return `sh ${file.path}`
}

test.for(
  some(
    [
      ['has a session of its own', `setsid sh -c 'trap "" TERM; echo $$ > FILE; while :; do sleep 1; done' & wait`],
      ['is under nohup', `nohup sh -c 'trap "" TERM; echo $$ > FILE; while :; do sleep 1; done' & wait`],
    ] as const,
    [0],
  ),
)('a timeout ends a grandchild that %s and holds the output open', async ([, text], { repo }) => {
  const pid = new Outside(repo, 'pid')
  plan(repo, `  - {id: hang, timeout: 1s, run: ${script(repo, 'hang.sh', text.replaceAll('FILE', pid.path))}}`)
  const child = repo.spawn(start)
  const ran = ended(child)
  const hidden = await pidIn(pid.path)
  const { code, all } = await ran
  expect(code, all).toBe(1)
  expect(repo.read('.plans/demo.md')).toContain('hang: timeout')
  expect(isAlive(hidden)).toBe(false)
  expect(runProcesses(repo)).toEqual([])
})

test.for([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s ends the step, keeps what it made, restores the tree, and the plan can go on',
  async ([signal, code], { repo }) => {
    const pid = new Outside(repo, 'pid')
    plan(
      repo,
      `  - {id: one, create: one.txt, content: "1"}\n  - {id: slow, run: 'echo half > half.txt; echo changed > a.txt; [ -e ${pid.path} ] || { echo $$ > ${pid.path}; sleep 60; }'}`,
      // An interruption is no failure.
      'on_failure: rollback-all\n',
    )
    const child = repo.spawn(start)
    const ran = ended(child)
    const step = await pidIn(pid.path)
    process.kill(child.pid ?? 0, signal)
    expect(await ran).toMatchObject({ code })
    expect(repo.read('.plans/demo.md')).toContain('one: done')
    expect(isAlive(step)).toBe(false)
    expect(runProcesses(repo)).toEqual([])
    expect(repo.status()).toBe('')
    expect(repo.read('a.txt')).toBe('hello\n')
    expect(repo.git(['show', 'refs/plan/demo/attempts/slow/1:half.txt'])).toBe('half')
    expect(repo.git(['show', 'refs/plan/demo/attempts/slow/1:a.txt'])).toBe('changed')

    const resumed = await repo.plan(['resume', 'demo'])
    expect(resumed.code, resumed.all).toBe(0)
    expect(repo.read('half.txt')).toBe('half\n')
  },
)

test.for([
  [
    'in the background',
    `sh -c 'echo $$ > FILE; sleep 300' >/dev/null 2>&1 &\nwhile [ ! -s FILE ]; do sleep 0.05; done; echo ok > ok.txt`,
  ],
  [
    'in a session of its own',
    `setsid sh -c 'echo $$ > FILE; sleep 300' >/dev/null 2>&1 </dev/null &\nwhile [ ! -s FILE ]; do sleep 0.05; done; echo ok > ok.txt`,
  ],
  [
    'that holds the output',
    `setsid sh -c 'echo $$ > FILE; sleep 300' &\nwhile [ ! -s FILE ]; do sleep 0.05; done; echo ok > ok.txt`,
  ],
] as const)('a daemon %s is gone when its step is done', async ([, text], { repo }) => {
  const pid = new Outside(repo, 'pid')
  plan(repo, `  - {id: daemon, run: ${script(repo, 'daemon.sh', text.replaceAll('FILE', pid.path))}}`)
  const ran = await repo.plan(start)
  expect(ran.code, ran.all).toBe(0)
  expect(isAlive(await pidIn(pid.path))).toBe(false)
  expect(repo.git(['show', 'plan/demo:ok.txt'])).toBe('ok')
})

test('100 MB of output are kept whole in the log and do not fill the memory', async ({ repo }) => {
  // Long lines: what a line costs is not the point.
  plan(repo, `  - {id: loud, limits: {output: 200mb}, run: "yes ${'0123456789'.repeat(70)} | head -c 100000000"}`)
  const child = repo.spawn(start)
  let received = 0
  child.stdout?.resume()
  child.stderr?.on('data', (chunk: Buffer) => (received += chunk.length))
  let peakKb = 0
  const watch = setInterval(() => {
    const file = `/proc/${child.pid}/status`
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0))
  }, 100)
  const code = await new Promise((resolve) => child.on('close', resolve))
  clearInterval(watch)
  expect(code).toBe(0)
  expect(received).toBeGreaterThan(100_000_000)
  expect(peakKb).toBeGreaterThan(30_000)
  expect(peakKb).toBeLessThan(300_000)
  expect(readFileSync(join(repo.dir, '.git/plan/demo/logs/loud-1.log')).length).toBe(100_000_000)
  expect(
    Number(repo.git(['cat-file', '-s', repo.git(['notes', '--ref=plan/demo', 'list', 'plan/demo~1'])])),
  ).toBeLessThan(80_000)
})

test('a step sees the plan, itself and the same key in every attempt, and nothing of git or node', async ({ repo }) => {
  const seen = new Outside(repo, 'seen')
  plan(repo, `  - {id: look, retries: 1, run: 'env >> ${seen.path}; test "$PLAN_ATTEMPT" = 2'}`)
  const ran = await repo.plan(start, {
    env: { NODE_OPTIONS: '--no-warnings', GIT_EDITOR: 'x', GIT_INDEX_FILE: undefined, PLAN_EVIL: '1', KEPT: 'yes' },
  })
  expect(ran.code, ran.all).toBe(0)
  const lines = seen.lines()
  const valuesOf = (name: string): string[] =>
    lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1))
  expect(lines.filter((line) => /^(GIT_|NODE_OPTIONS|PLAN_EVIL)/.test(line))).toEqual([])
  expect(valuesOf('KEPT')).toEqual(['yes', 'yes'])
  expect(valuesOf('PLAN_ID')).toEqual(['demo', 'demo'])
  expect(valuesOf('PLAN_STEP')).toEqual(['look', 'look'])
  expect(valuesOf('PLAN_ATTEMPT')).toEqual(['1', '2'])
  const keys = valuesOf('PLAN_STEP_KEY')
  expect(keys).toHaveLength(2)
  expect(keys[0]).toBe(keys[1])
  expect(keys[0]).toMatch(/^demo\/look\/[0-9a-f]{16}$/)
})

test('an executor that is killed alone leaves a step that the next one ends before it goes on', async ({ repo }) => {
  const pid = new Outside(repo, 'pid')
  plan(
    repo,
    `  - {id: slow, allow: [shell-background], run: '[ -e ${pid.path} ] && exit 0; setsid sh -c "echo \\$\\$ > ${pid.path}; sleep 300"'}`,
  )
  const child = repo.spawn(start)
  const ran = ended(child)
  const hidden = await pidIn(pid.path)
  process.kill(child.pid ?? 0, 'SIGKILL')
  await until('the executor is gone', () => !isAlive(child.pid ?? 0))
  expect(isAlive(hidden)).toBe(true)
  const resumed = await repo.plan(['resume', 'demo'])
  expect(resumed.code, resumed.all).toBe(0)
  expect(isAlive(hidden)).toBe(false)
  expect((await ran).code).toBe(256)
})
