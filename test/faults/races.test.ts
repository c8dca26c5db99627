// Concurrent actors: a second executor, somebody who moves the branch, a command that outlives its executor.

import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { disorder, Outside, pidIn, until, isAlive } from '../helpers/crash.ts'
import { ended, planText, test } from '../helpers/repo.ts'
import { World } from './faulty-repo.ts'
import { figure, many } from './figures.ts'
import { inject } from './inject.ts'
import { userComplaints } from './invariants.ts'
import { ways } from './ways.ts'

const start = ['start', '.plans/demo.md', '--approve']

test('of two executors at once, one wins', { timeout: 600_000 }, async ({ repo }) => {
  const ledger = new Outside(repo, 'ledger')
  const times = many(1, 20)
  for (let time = 1; time <= times; time += 1) {
    repo.write(
      '.plans/demo.md',
      planText(
        `  - {id: one, run: 'echo one >> ${ledger.path}; sleep 0.4; echo ${time} > one.txt'}`,
        `plan: demo${time}\n`,
      ),
    )
    await repo.plan(['new', '--from', '.plans/demo.md'])
    repo.git(['clean', '-fdq'])
    ledger.remove()
    const both = await Promise.all([0, 1].map(() => repo.plan(['start', `demo${time}`, '--approve'])))
    expect(both.map(({ code }) => code).toSorted()).toEqual([0, 4])
    expect(ledger.count('one')).toBe(1)
    await repo.plan(['finish', `demo${time}`])
  }
  expect(disorder(repo)).toEqual([])
  figure('races', 'two executors', { times, violations: 0 })
})

test('who comes while a step runs learns who holds the plan, and disturbs nothing', async ({ repo }) => {
  const [pid, ledger] = [new Outside(repo, 'pid'), new Outside(repo, 'ledger')]
  repo.write(
    '.plans/demo.md',
    planText(`  - {id: one, run: 'echo one >> ${ledger.path}; echo $$ > ${pid.path}; sleep 3; echo 1 > one.txt'}`),
  )
  const first = repo.spawn(start)
  const end = ended(first)
  await pidIn(pid.path)
  const second = await repo.plan(['resume', 'demo'])
  expect(second).toMatchObject({ code: 4, stderr: expect.stringContaining(`locked by process ${first.pid}`) })
  expect(await end).toMatchObject({ code: 0 })
  expect(ledger.count('one')).toBe(1)
  figure('races', 'a second executor later', { times: 1, violations: 0 })
})

test('a branch that moves in the last moment is not overwritten', async ({ repo }) => {
  repo.write('.plans/demo.md', planText('  - {id: one, run: echo 1 > one.txt}'))
  // A hook runs after the last look at the branch, and before it moves.
  repo.write(
    '.git/hooks/commit-msg',
    `#!/bin/sh\ntest -e one.txt || exit 0\nold=$(git rev-parse plan/demo)\ngit update-ref refs/heads/plan/demo $(git commit-tree -p $old -m Theirs $old^{tree})\n`,
  )
  chmodSync(repo.path('.git/hooks/commit-msg'), 0o755)
  const ran = await repo.plan(start)
  expect(ran).toMatchObject({ code: 4 })
  expect(repo.subjects('plan/demo')[0]).toBe('Theirs')
  figure('races', 'the branch moves', { times: 1, violations: 0 })
})

test('what the user does between a kill and the next command is kept, and told', async () => {
  const world = new World()
  const { repo } = world
  try {
    const way = ways.find(({ name }) => name === 'cancel')
    if (way === undefined) throw new Error('there is no way cancel')
    await way.prepare(world)
    world.keep()
    const { points } = await inject(repo, way.command, { at: 0, action: 'record' })
    const checkout = points.find(({ call, what }) => call === 'exec' && what.startsWith('git checkout'))
    if (checkout === undefined) throw new Error('cancel did not switch')
    world.reset()
    await inject(repo, way.command, { at: checkout, action: 'group' })
    // The plan removed it, and the user's branch has it; the plan's a.txt is one of two contents that somebody staged
    // and took back.
    repo.write('gone.txt', 'mine now\n')
    const before = repo.read('a.txt')
    repo.write('a.txt', 'staged by hand\n')
    repo.git(['add', 'a.txt'])
    repo.write('a.txt', before)
    const ran = await repo.plan(['cancel', 'demo'])
    expect(ran).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('files in the way of the checkout were moved to'),
    })
    const [, aside = ''] = /were moved to (\S+):/.exec(ran.stderr) ?? []
    expect(readFileSync(join(aside, 'gone.txt'), 'utf8')).toBe('mine now\n')
    expect(repo.git(['show', 'stash@{0}^2:a.txt'])).toBe('staged by hand')
    expect(userComplaints(world)).toEqual([])
  } finally {
    world.remove()
  }
  figure('races', 'the user is there first', { times: 1, violations: 0 })
})

test('a command that outlived its executor is ended before the next run', async ({ repo }) => {
  const [pid, late] = [new Outside(repo, 'pid'), new Outside(repo, 'late')]
  repo.write(
    '.plans/demo.md',
    planText(`  - {id: one, run: 'echo $$ > ${pid.path}; sleep 2; echo late >> ${late.path}'}`),
  )
  const first = repo.spawn(start)
  const command = await pidIn(pid.path)
  process.kill(first.pid as number, 'SIGKILL')
  await until('the executor is gone', () => !isAlive(first.pid as number))
  expect(isAlive(command)).toBe(true)
  const again = await repo.plan(['resume', 'demo'])
  expect(again.code).toBe(0)
  await sleep(200)
  expect(late.count('late')).toBe(1)
  expect(disorder(repo)).toEqual([])
  figure('races', 'a command outlives its executor', { times: 1, violations: 0 })
})
