// `git gc --prune=now` takes what no ref names when it begins, however young: in a loop beside a run it meets every moment between an object and its ref.

import { spawn } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
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
  const loop = `while [ ! -e ${stop.path} ]; do if git gc --prune=now -q 2>/dev/null; then echo came; else echo refused; sleep 0.01; fi >> ${count.path}; done`
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
  const steps = many(4, 60)
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

test('runs of two plans keep gc away together: one that takes long to commit does not hold up the other', async ({ repo }) => {
  const [armed, pid] = [new Outside(repo, 'armed'), new Outside(repo, 'pid')]
  const wait = `if [ "$(git symbolic-ref --short HEAD)" = plan/slow ]; then echo $$ > ${pid.path}; while [ -e ${armed.path} ]; do sleep 0.1; done; fi`
  repo.write('.git/hooks/pre-commit', `#!/bin/sh\n${wait}\n`)
  chmodSync(repo.path('.git/hooks/pre-commit'), 0o755)
  for (const id of ['slow', 'quick'])
    expect((await repo.plan(['new', id, '--from', '-', '--id', id], { input: planText('  - {id: one, run: echo 1 > one.txt}') })).code).toBe(0)
  armed.write()
  const slow = ended(repo.spawn(['start', 'slow', '--approve', '--worktree']))
  await pidIn(pid.path)
  const quick = await repo.plan(['start', 'quick', '--approve', '--worktree'])
  expect(quick.code, quick.all).toBe(0)
  expect(() => repo.git(['gc', '--prune=now', '-q'])).toThrow('already running')
  armed.remove()
  const { code, all } = await slow
  expect(code, all).toBe(0)
  repo.git(['gc', '--prune=now', '-q'])
  expect(repo.fsck()).toBe('')
})
