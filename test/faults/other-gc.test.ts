// `git gc --prune=now` takes what no ref names when it begins, however young: in a loop beside a run it meets every moment between an object and its ref.

import { spawn } from 'node:child_process'
import { chmodSync, existsSync, utimesSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { expect } from 'vitest'
import { Outside, pidIn, until } from '../helpers/crash.ts'
import { ended, planText, test, type TestRepo } from '../helpers/repo.ts'
import { figure, many } from './figures.ts'
import { Story } from './story.ts'

/** Runs until the file `stop` is there; answers with how many came through and how many were kept away. */
function gcLoop(repo: TestRepo): { stop: () => Promise<{ came: number; refused: number }> } {
  const stop = new Outside(repo, 'stop')
  const count = new Outside(repo, 'gcs')
  const loop = `while [ ! -e ${stop.path} ]; do if git gc --prune=now -q 2>/dev/null; then echo came; sleep ${many(0.1, 0)}; else echo refused; sleep 0.01; fi >> ${count.path}; done`
  const child = spawn('/bin/sh', ['-c', loop], { cwd: repo.dir, env: repo.env, stdio: 'ignore' })
  return {
    stop: async () => {
      stop.write()
      await ended(child)
      return { came: count.count('came'), refused: count.count('refused') }
    },
  }
}

test('git gc --prune=now in a loop beside a run takes nothing that the plan needs', { timeout: 600_000 }, async ({ repo }) => {
  const steps = many(2, 60)
  // Each leaves new blobs and trees; every fourth fails first, so that attempts and notes are made, too.
  const story = new Story(
    repo,
    Array.from({ length: steps }, (_, at) => {
      const retry = at % 4 === 0 ? '; [ $PLAN_ATTEMPT = 2 ]' : ''
      return `  - {id: s${at}, retries: 1, run: "mkdir -p s/${at}; echo ${at} > s/${at}/f; echo said ${at}${retry}"}`
    }),
  )
  const loop = gcLoop(repo)
  const ran = await repo.plan(story.start)
  const { came, refused } = await loop.stop()
  expect([...story.afterFault(ran), ...(await story.goOn())]).toEqual([])
  expect(ran.code, ran.all).toBe(0)
  expect(came).toBeGreaterThan(1)
  expect(story.ledger.lines()).toEqual(['one', 'last'])
  expect(repo.git(['for-each-ref', '--format=x', 'refs/plan/demo/attempts']).split('\n')).toHaveLength(Math.ceil(steps / 4))
  figure('other faults', 'git gc --prune=now in a loop', { injections: came, violations: 0 })
  expect(came + refused).toBeGreaterThan(steps)
})

test('a gc.pid of a dead gc is in nobody’s way, and of a living one is waited for', async ({ repo }) => {
  const story = new Story(repo)
  const file = repo.path('.git/gc.pid')
  writeFileSync(file, `999999999 ${hostname()}`)
  const sleeper = spawn('sleep', ['60'], { stdio: 'ignore' })
  expect((await repo.plan(['new', 'Demo', '--from', '.plans/demo.md', '--id', 'demo'])).code).toBe(0)
  writeFileSync(file, `${sleeper.pid} ${hostname()}`)
  const child = repo.spawn(['start', 'demo', ...story.start.slice(2)])
  const ran = ended(child)
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await until('it says for whom it waits', () => said.includes(`waiting for git gc (process ${sleeper.pid}`))
  expect(readFileSync(file, 'utf8')).toBe(`${sleeper.pid} ${hostname()}`)
  sleeper.kill('SIGKILL')
  const { code, all } = await ran
  expect(code, all).toBe(0)
  expect(await story.goOn()).toEqual([])
})

test('runs of two plans wait for each other, and both keep gc away', async ({ repo }) => {
  const [armed, pid] = [new Outside(repo, 'armed'), new Outside(repo, 'pid')]
  const wait = `if [ "$(git symbolic-ref --short HEAD)" = plan/slow ]; then echo $$ > ${pid.path}; while [ -e ${armed.path} ]; do sleep 0.1; done; fi`
  repo.write('.git/hooks/pre-commit', `#!/bin/sh\n${wait}\n`)
  chmodSync(repo.path('.git/hooks/pre-commit'), 0o755)
  for (const id of ['slow', 'quick'])
    expect((await repo.plan(['new', id, '--from', '-', '--id', id], { input: planText('  - {id: one, run: echo 1 > one.txt}') })).code).toBe(0)
  armed.write()
  const slow = ended(repo.spawn(['start', 'slow', '--approve', '--worktree']))
  await pidIn(pid.path)
  const quick = repo.spawn(['start', 'quick', '--approve', '--worktree'])
  const quickEnd = ended(quick)
  let said = ''
  quick.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await until('the second says for whom it waits', () => said.includes('waiting for git gc (process'))
  expect(() => repo.git(['gc', '--prune=now', '-q'])).toThrow('already running')
  armed.remove()
  expect(await slow).toMatchObject({ code: 0 })
  expect(await quickEnd).toMatchObject({ code: 0 })
  repo.git(['gc', '--prune=now', '-q'])
  expect(repo.fsck()).toBe('')
})

test('what a kill left of the hold is in nobody’s way, and a wait can be interrupted', async ({ repo }) => {
  const dead = `999999999 ${hostname()} 12345 abcdef01`
  for (const name of ['gc.pid', 'gc.pid.lock']) writeFileSync(repo.path('.git', name), dead)
  expect((await repo.plan(['new', 'one', '--from', '-', '--id', 'one'], { input: planText('  - {id: one, run: echo 1 > one.txt}') })).code).toBe(0)
  expect(existsSync(repo.path('.git/gc.pid'))).toBe(false)
  expect(existsSync(repo.path('.git/gc.pid.lock'))).toBe(false)
  // Of another machine nothing here can tell: it is waited for, and Ctrl-C ends the wait.
  writeFileSync(repo.path('.git/gc.pid'), '1 elsewhere')
  const child = repo.spawn(['start', 'one', '--approve'])
  const end = ended(child)
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await until('it says for whom it waits', () => said.includes('process 1 on elsewhere'))
  child.kill('SIGINT')
  expect(await end).toMatchObject({ code: 130 })
  // Too old to be true, for git as for us.
  const long = new Date(Date.now() - 13 * 3600_000)
  utimesSync(repo.path('.git/gc.pid'), long, long)
  expect(await repo.plan(['start', 'one', '--approve'])).toMatchObject({ code: 0 })
})
