// External effects: what is known about them survives a crash, travels to another clone, and is never guessed.

import { execFileSync } from 'node:child_process'
import { join, dirname } from 'node:path'
import { expect } from 'vitest'
import { isAlive, Outside, pidIn, until } from '../helpers/crash.ts'
import { onTerminal } from '../helpers/terminal.ts'
import { ended, planText, test, type TestRepo } from '../helpers/repo.ts'

interface StatusJson {
  readonly status: string
  readonly steps: readonly { readonly id: string; readonly status: string; readonly seen: string }[]
}

const world = (repo: TestRepo): Outside => new Outside(repo, 'world')
const undone = (repo: TestRepo): Outside => new Outside(repo, 'undone')
const seenOf = async (repo: TestRepo, step: string, cwd = repo.dir): Promise<string | undefined> =>
  ((await repo.json(['status', 'demo'], { cwd })) as unknown as StatusJson).steps.find((each) => each.id === step)?.seen
const chain = (repo: TestRepo, step: string, n = 1): string[] =>
  repo
    .git([
      'log',
      '--first-parent',
      '--format=%(trailers:key=Plan-Effect,valueonly,separator=)',
      `refs/plan/demo/effects/${step}/${n}`,
    ])
    .split('\n')
    .filter((line) => line !== '')
const plan = (repo: TestRepo, steps: string): void => repo.write('.plans/demo.md', planText(steps))
const start = ['start', '.plans/demo.md', '--approve']

/** Runs a plan whose effect happens, and kills everything before it can be recorded. */
async function killAfterEffect(repo: TestRepo, more = ''): Promise<void> {
  const pid = new Outside(repo, 'pid')
  plan(
    repo,
    `  - {id: before, create: b.txt, content: b}\n  - {id: deploy, effect: external, run: 'echo deployed >> ${world(repo).path}; [ -e ${pid.path} ] || { echo $$ > ${pid.path}; sleep 60; }; echo d > d.txt'${more}}\n  - {id: after, create: c.txt, content: c}`,
  )
  const child = repo.spawn(start)
  const ran = ended(child)
  const step = await pidIn(pid.path)
  process.kill(child.pid ?? 0, 'SIGKILL')
  process.kill(-step, 'SIGKILL')
  await ran
  await until('the step is gone', () => !isAlive(step))
  expect(world(repo).count('deployed')).toBe(1)
}

test('an effect that was killed before it was recorded is unknown, here and in another clone, and is not run again', async ({
  repo,
}) => {
  await killAfterEffect(repo)
  expect(await seenOf(repo, 'deploy')).toBe('unknown')

  const clone = join(dirname(repo.dir), 'clone')
  execFileSync('git', ['clone', '-q', '-b', 'main', repo.dir, clone], { env: repo.env })
  for (const [key, value] of [
    ['user.name', 'Bob'],
    ['user.email', 'bob@example.com'],
  ] as const)
    repo.git(['config', key, value], { cwd: clone })
  repo.git(['fetch', '-q', 'origin', 'refs/plan/*:refs/plan/*', 'refs/heads/plan/*:refs/heads/plan/*'], { cwd: clone })
  expect(await seenOf(repo, 'deploy', clone)).toBe('unknown')

  for (const cwd of [repo.dir, clone]) {
    const ran = await repo.plan(['resume', 'demo'], { cwd })
    expect(ran.code, ran.all).toBe(5)
    for (const flag of ['--done', '--retry', '--skip'])
      expect(ran.stderr).toContain(`git plan resume demo ${flag} deploy`)
  }
  expect(world(repo).count('deployed')).toBe(1)
  expect(await seenOf(repo, 'deploy')).toBe('unknown')
})

test('a probe that says it happened settles an unknown effect without running it again', async ({ repo }) => {
  await killAfterEffect(repo, `, probe: 'grep -q deployed ${world(repo).path}'`)
  const ran = await repo.plan(['resume', 'demo'])
  expect(ran.code, ran.all).toBe(0)
  expect(ran.all).toContain('deploy had already happened; not run again')
  expect(world(repo).count('deployed')).toBe(1)
  expect(chain(repo, 'deploy')).toEqual(['happened', 'intended'])
  expect(repo.fsck()).toBe('')
})

test('a probe that says it did not happen lets the step run again', async ({ repo }) => {
  await killAfterEffect(repo, `, probe: 'test -e ${repo.dir}/../no-such-thing'`)
  const ran = await repo.plan(['resume', 'demo'])
  expect(ran.code, ran.all).toBe(0)
  expect(world(repo).count('deployed')).toBe(2)
  expect([chain(repo, 'deploy'), chain(repo, 'deploy', 2)]).toEqual([
    ['failed', 'intended'],
    ['happened', 'intended'],
  ])
})

test('a probe that can tell neither leaves the effect unknown', async ({ repo }) => {
  await killAfterEffect(repo, `, probe: exit 7`)
  expect((await repo.plan(['resume', 'demo'])).code).toBe(5)
  expect(world(repo).count('deployed')).toBe(1)
})

test('a failed effect is not run again if its probe can tell neither', async ({ repo }) => {
  plan(
    repo,
    `  - {id: deploy, effect: external, run: 'echo deployed >> ${world(repo).path}; exit 3', probe: exit 7, undo: 'true'}`,
  )
  for (const command of [start, ['resume', 'demo']]) {
    const ran = await repo.plan(command)
    expect(ran.code, ran.all).toBe(5)
  }
  expect(world(repo).count('deployed')).toBe(1)
  expect(await seenOf(repo, 'deploy')).toBe('unknown')
})

test.for([
  ['--done', 1, 'done', ['happened', 'intended']],
  ['--retry', 2, 'done', ['failed', 'intended']],
  ['--skip', 1, 'skipped', ['intended']],
] as const)('a person settles an unknown effect with %s', async ([flag, runs, status, states], { repo }) => {
  await killAfterEffect(repo)
  const ran = await repo.plan(['resume', 'demo', flag, 'deploy'])
  expect(ran.code, ran.all).toBe(0)
  expect(world(repo).count('deployed')).toBe(runs)
  expect(chain(repo, 'deploy')).toEqual(states)
  expect(await seenOf(repo, 'deploy')).toBe(status)
  expect(repo.read('c.txt')).toBe('c')
  expect(repo.status()).toBe('')
  const finished = await repo.plan(['finish', 'demo'])
  expect(finished.code, finished.all).toBe(0)
  expect((await repo.plan(['audit', 'demo'])).code).toBe(0)
})

test.for([
  [true, 3],
  [false, 1],
] as const)(
  'with idempotent %s and two retries a failing effect runs %i times',
  async ([isIdempotent, runs], { repo }) => {
    plan(
      repo,
      `  - {id: deploy, effect: external, idempotent: ${isIdempotent}, retries: 2, run: 'echo deployed >> ${world(repo).path}; exit 1'}`,
    )
    const ran = await repo.plan(start)
    expect(ran.code, ran.all).toBe(1)
    expect(world(repo).count('deployed')).toBe(runs)
  },
)

test('an effect that happened is not run again when only its check failed', async ({ repo }) => {
  const isGood = new Outside(repo, 'good')
  plan(
    repo,
    `  - {id: deploy, effect: external, run: 'echo deployed >> ${world(repo).path}; echo made > made.txt', verify: test -e ${isGood.path}}`,
  )
  expect((await repo.plan(start)).code).toBe(1)
  expect(repo.status()).toBe('')
  isGood.write()
  const ran = await repo.plan(['resume', 'demo'])
  expect(ran.code, ran.all).toBe(0)
  expect(world(repo).count('deployed')).toBe(1)
  expect(repo.read('made.txt')).toBe('made\n')
  expect(repo.git(['show', 'plan/demo:made.txt'])).toBe('made')
})

test('an effect that ran into its timeout is unknown', async ({ repo }) => {
  plan(repo, `  - {id: deploy, effect: external, timeout: 1s, run: 'echo deployed >> ${world(repo).path}; sleep 60'}`)
  const ran = await repo.plan(start)
  expect(ran.code, ran.all).toBe(5)
  expect(await seenOf(repo, 'deploy')).toBe('unknown')
  expect((await repo.plan(['resume', 'demo'])).code).toBe(5)
  expect(world(repo).count('deployed')).toBe(1)
})

test('the files of an effect that a rollback kept come back with its step', async ({ repo }) => {
  plan(
    repo,
    `  - {id: deploy, effect: external, run: 'echo deployed >> ${world(repo).path}; echo made > made.txt', probe: 'test -e ${world(repo).path}'}`,
  )
  await repo.plan(start)
  expect((await repo.plan(['rollback', 'demo', '--keep-effects'])).code).toBe(0)
  const ran = await repo.plan(['resume', 'demo'])
  expect(ran.code, ran.all).toBe(0)
  expect(world(repo).count('deployed')).toBe(1)
  expect(chain(repo, 'deploy')).toEqual(['happened', 'kept', 'happened', 'intended'])
  expect(repo.git(['show', 'plan/demo:made.txt'])).toBe('made')
})

test('a rollback across an effect of which nobody knows stops before it undoes any other', async ({ repo }) => {
  const undo = `echo undone >> ${undone(repo).path}`
  plan(
    repo,
    `  - {id: first, effect: external, run: 'echo one >> ${world(repo).path}; kill -9 $$', undo: '${undo}'}\n  - {id: second, effect: external, run: 'echo two >> ${world(repo).path}', undo: '${undo}'}`,
  )
  expect((await repo.plan(start)).code).toBe(5)
  expect((await repo.plan(['resume', 'demo', '--skip', 'first'])).code).toBe(0)
  const tip = repo.git(['rev-parse', 'HEAD'])
  const refused = await repo.plan(['rollback', 'demo', '--all'])
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('git plan rollback demo --keep-effects')])
  expect([repo.git(['rev-parse', 'HEAD']), undone(repo).lines(), chain(repo, 'second')[0]]).toEqual([
    tip,
    [],
    'happened',
  ])
})

test('on a terminal a rollback shows the commands that undo effects, and a no changes nothing', async ({ repo }) => {
  plan(
    repo,
    `  - {id: deploy, effect: external, run: 'echo deployed >> ${world(repo).path}', undo: 'echo undone >> ${undone(repo).path}'}`,
  )
  expect((await repo.plan(start)).code).toBe(0)
  const refs = repo.git(['for-each-ref'])
  const refused = onTerminal(repo, ['rollback', 'demo'], { columns: 300 })
  await refused.sees(`deploy: echo undone >> ${undone(repo).path}`)
  await refused.sees('Run these commands and roll back?')
  refused.type('n')
  expect([await refused.ends(), repo.git(['for-each-ref']), undone(repo).lines()]).toEqual([3, refs, []])
  const agreed = onTerminal(repo, ['rollback', 'demo'], { columns: 300 })
  await agreed.sees('Run these commands and roll back?')
  agreed.type('y')
  expect([await agreed.ends(), undone(repo).lines()]).toEqual([0, ['undone']])
})
