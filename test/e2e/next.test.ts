// A driver who is late, goes away, works in another clone, or meets a person who decides otherwise.

import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'
import { TwoClones } from '../helpers/two-clones.ts'

const steps = [
  '  - {id: greet, agent: driver, prompt: Say hello, files: [hello.txt], verify: ["grep -q hello hello.txt"]}',
  '  - {id: copy, run: cp hello.txt copy.txt}',
].join('\n')

async function handed(repo: TestRepo, ...more: string[]): Promise<void> {
  repo.write('../p.md', planText(steps))
  await repo.plan(['new', '--from', '../p.md'])
  await repo.plan(['approve', 'p'])
  const ran = await repo.plan(['next', 'p', ...more])
  expect(ran.code, ran.all).toBe(0)
}

const statusOf = (repo: TestRepo): Promise<Record<string, unknown>> => repo.json(['status', 'p'])

describe('a driver who is late', () => {
  test('still reports, as long as nobody else has taken the step', async ({ repo }) => {
    await handed(repo, '--for', '1ms')
    repo.write('hello.txt', 'hello\n')
    expect(await statusOf(repo)).toMatchObject({ seen: 'stalled', open: { step: 'greet' } })
    const ran = await repo.plan(['next', 'p', '--done', 'greet'])
    expect(ran.code, ran.all).toBe(0)
    expect(await statusOf(repo)).toMatchObject({ status: 'completed' })
    expect((await repo.plan(['attempts', 'p'])).stdout).not.toContain('greet')
  })

  test('gets the step again with the work that is there', async ({ repo }) => {
    await handed(repo, '--for', '1ms')
    repo.write('hello.txt', 'hel')
    const ran = await repo.plan(['next', 'p'])
    expect(ran.code, ran.all).toBe(0)
    expect(repo.read('hello.txt')).toBe('hel')
  })

  test('loses it to another one, and nothing of the work', async ({ repo }) => {
    await handed(repo, '--for', '1ms')
    repo.write('hello.txt', 'hel')
    const ran = await repo.plan(['next', 'p', '--as', 'bob'])
    expect(ran.code, ran.all).toBe(0)
    expect(ran.all).toContain('who did not come back; its changes are saved as attempt 1')
    expect(repo.git(['show', 'refs/plan/p/attempts/greet/1:hello.txt'])).toBe('hel')
    const late = await repo.plan(['next', 'p'])
    expect(late.code, late.all).toBe(4)
    expect(late.all).toContain('was handed to bob')
  })
})

describe('a person who decides otherwise', () => {
  test('tightens the policy: the step cannot be reported, and can be given back', async ({ repo }) => {
    repo.git(['config', 'plan.policyRef', 'policy'])
    repo.git(['branch', 'policy'])
    await handed(repo)
    repo.write('hello.txt', 'hello\n')
    const config = 'approval: { high: { from: [signature], count: 1 } }\n'
    const blob = repo.git(['hash-object', '-w', '--stdin'], { input: config })
    const tree = repo.git(['mktree'], { input: `100644 blob ${blob}\tconfig.yml\n` })
    const top = repo.git(['mktree'], { input: `040000 tree ${tree}\t.plans\n` })
    repo.git(['update-ref', 'refs/heads/policy', repo.git(['commit-tree', '-m', 'Signatures', top])])
    const done = await repo.plan(['next', 'p', '--done', 'greet'])
    expect(done.code, done.all).toBe(3)
    expect(repo.read('hello.txt')).toBe('hello\n')
    const back = await repo.plan(['next', 'p', '--release', 'greet'])
    expect(back.code, back.all).toBe(0)
    expect(repo.git(['show', 'refs/plan/p/attempts/greet/1:hello.txt'])).toBe('hello')
    expect(repo.status()).toBe('')
  })

  test.for([['cancel'], ['rollback', '--all']])('%j saves the work of the driver first', async (words, { repo }) => {
    await handed(repo)
    repo.write('hello.txt', 'hello\n')
    const ran = await repo.plan([words[0]!, 'p', ...words.slice(1)])
    expect(ran.code, ran.all).toBe(0)
    expect(repo.git(['show', 'refs/plan/p/attempts/greet/1:hello.txt'])).toBe('hello')
    expect(repo.git(['for-each-ref', 'refs/plan-local/p/open'])).toBe('')
  })

  test('hears from other commands who has the step', async ({ repo }) => {
    await handed(repo)
    for (const words of [
      ['resume', 'p'],
      ['rebase', 'p'],
      ['finish', 'p'],
      ['replan', 'p', '--from', '../p.md'],
    ]) {
      const ran = await repo.plan(words)
      expect(ran.code, ran.all).toBe(4)
      expect(ran.all).toContain('git plan next p --release greet')
    }
  })
})

test('what a driver changes of what Git executes is accepted by a person, and not by asking again', async ({
  repo,
}) => {
  await handed(repo)
  repo.write('hello.txt', 'hello\n')
  repo.write('.git/hooks/commit-msg', '#!/bin/sh\ntouch "$HOME/canary"\n')
  chmodSync(repo.path('.git/hooks/commit-msg'), 0o755)
  const shell = { env: { ...repo.env, CLAUDECODE: '1' } }
  for (const words of [
    ['next', 'p', '--done', 'greet'],
    ['next', 'p', '--done', 'greet'],
    ['next', 'p', '--failed', 'greet'],
    ['next', 'p', '--release', 'greet'],
    ['resume', 'p'],
  ]) {
    const refused = await repo.plan(words, shell)
    expect(refused.code, refused.all).toBe(3)
    expect(refused.all).toContain('the step changed files that Git executes: hooks/commit-msg')
    expect(refused.all).toContain('git plan resume p')
  }
  expect(existsSync(join(repo.home, 'canary'))).toBe(false)
  const accepted = await repo.plan(['resume', 'p'])
  expect(accepted.code, accepted.all).toBe(0)
  expect(accepted.all).toContain('accepted what a step changed: hooks/commit-msg')
  const ran = await repo.plan(['next', 'p', '--done', 'greet'], shell)
  expect(ran.code, ran.all).toBe(0)
  expect(await statusOf(repo)).toMatchObject({ status: 'completed' })
})

test('with --push the step of a driver is visible in another clone, which leaves the plan alone', async ({ repo }) => {
  const clones = await TwoClones.with(repo, steps)
  await clones.ada(0, 'next', 'p', '--push')
  expect(repo.git(['for-each-ref', '--format=%(refname)', 'refs/plan-lease'], { cwd: clones.bare })).toBe(
    'refs/plan-lease/p',
  )
  const held = await clones.dan(4, 'next', 'p', '--push')
  expect(held.all).toContain('is being run by Ada')
  repo.write('hello.txt', 'hello\n')
  await clones.ada(0, 'next', 'p', '--done', 'greet', '--push')
  expect(repo.git(['for-each-ref', 'refs/plan-lease'], { cwd: clones.bare })).toBe('')
  await clones.dan(0, 'fetch', 'p')
  expect(repo.git(['show', 'plan/p:copy.txt'], { cwd: clones.other })).toBe('hello')
})

test('a driver who moves the base to commits of the plan is not done', async ({ repo }) => {
  await handed(repo)
  repo.write('hello.txt', 'hello\n')
  const base = repo.git(['rev-parse', 'main'])
  repo.git(['update-ref', 'refs/heads/main', 'plan/p'])
  repo.git(['tag', 'evil'])
  for (let times = 0; times < 2; times += 1) {
    const ran = await repo.plan(['next', 'p', '--done', 'greet'])
    expect(ran.code, ran.all).toBe(1)
    expect(ran.all).toContain('main was moved while it ran, to commits of plan/p')
  }
  repo.git(['update-ref', 'refs/heads/main', base])
  const ran = await repo.plan(['next', 'p', '--done', 'greet'])
  expect(ran.code, ran.all).toBe(0)
  expect(ran.all).toContain('refs/tags/evil (new')
})

test('a plan that was begun and replanned is resumed, not started', async ({ repo }) => {
  repo.write('../p.md', planText('  - {id: one, run: echo 1 > one}\n  - {id: two, run: "false"}'))
  expect((await repo.plan(['start', '../p.md', '--approve'])).code).toBe(1)
  repo.write('../q.md', repo.git(['show', 'plan/p:.plans/p.md']).replace('"false"', '"true"'))
  expect((await repo.plan(['replan', 'p', '--from', '../q.md'])).all).toContain('git plan resume p --approve')
  const status = (await repo.plan(['status', 'p'])).all
  expect(status).toContain('git plan resume p --approve')
  expect(status).not.toContain('git plan start')
})
