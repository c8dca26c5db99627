// What becomes of plans after their run: new epochs, parked and refused repositories, moved bases, withdrawal and reverts.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { keyOf } from '../../src/fleet/campaign.ts'
import { until } from '../helpers/crash.ts'
import { Fleet } from '../helpers/fleet.ts'
import { bin, planText, test } from '../helpers/repo.ts'

const edit = (text: string): string =>
  planText(`  - {id: one, create: one.txt, content: ${JSON.stringify(text)}}`, 'title: P\n')

const run = (command: string): string => planText(`  - {id: one, run: ${JSON.stringify(command)}}`, 'title: P\n')

/** As a reconciler records it. */
function recordEvent({ repo, control }: Fleet, event: string, line: string): void {
  const message = `Event\n\n${line}\n\nPlan-Campaign: p\nPlan-Campaign-Event: ${event}\n`
  const git = (args: string[]): string => repo.git(args, { cwd: control })
  const commit = git(['commit-tree', '-p', 'campaign/p', '-m', message, 'campaign/p^{tree}'])
  git(['update-ref', 'refs/heads/campaign/p', commit])
}

/** Refuses pushes of a branch to a repository, until it is told otherwise. */
function refusePushes(address: string, branch: string): () => void {
  const hook = join(address, 'hooks', 'pre-receive')
  const script = (code: number): string =>
    `#!/bin/sh\nif grep -q refs/heads/${branch}; then echo not now >&2; exit ${code}; fi\n`
  writeFileSync(hook, script(1))
  chmodSync(hook, 0o755)
  return () => writeFileSync(hook, script(0))
}

test('after a new epoch in which everything is done, the plans are merged', async ({ repo }) => {
  const fleet = new Fleet(repo, { count: 2 })
  const plan = fleet.write('p.md', edit('1'))
  expect(await fleet.json(['run', fleet.list, plan, '--approve'])).toMatchObject({
    counts: { completed: 2 },
  })
  const tips = fleet.addresses.map((address) => repo.git(['rev-parse', 'plan/p'], { cwd: address }))
  fleet.write('p.md', edit('2'))
  const second = await fleet.json(['run', fleet.list, plan, '--approve'])
  expect(second).toMatchObject({ counts: { completed: 2 }, epoch: 2, why: null })
  expect(fleet.addresses.map((address) => repo.git(['rev-parse', 'plan/p'], { cwd: address }))).toEqual(tips)
  expect(await fleet.json(['finish', 'p'])).toMatchObject({ counts: { merged: 2 }, why: null })
})

test('a new epoch runs what is not finished, and keeps what is', async ({ repo }) => {
  const fleet = new Fleet(repo, { count: 3, files: (number) => ({ name: `r${number}\n` }) })
  const plan = fleet.write('p.md', run('! grep -q r2 name && echo 1 > one.txt'))
  expect(await fleet.json(['run', fleet.list, plan, '--approve'])).toMatchObject({
    counts: { completed: 2, failed: 1 },
  })
  fleet.write('p.md', run('echo 2 > one.txt'))
  expect(await fleet.json(['run', fleet.list, plan])).toMatchObject({ exitCode: 3 })
  const second = await fleet.json(['run', fleet.list, plan, '--approve'])
  expect(second, JSON.stringify(second)).toMatchObject({
    counts: { completed: 3 },
    epoch: 2,
    why: null,
  })
  const texts = fleet.addresses.map((address) => repo.git(['show', 'plan/p:one.txt'], { cwd: address }))
  expect(texts).toEqual(['1', '2', '1'])
})

test.for([
  ['close', 'cancelled'],
  ['finish', 'merged'],
] as const)('a parked repository whose plan is completed: %s', async ([landing, state], { repo }) => {
  const fleet = new Fleet(repo, { count: 2 })
  const plan = fleet.write('p.md', edit('1'))
  expect(await fleet.json(['run', fleet.list, plan, '--approve'])).toMatchObject({
    counts: { completed: 2 },
  })
  recordEvent(fleet, 'parked', `${keyOf(fleet.addresses[0]!)} no network`)
  expect(await fleet.json([landing, 'p'])).toMatchObject({ counts: { [state]: 2 } })
})

test('what kills its process each time is parked; retry lets it run again, and close withdraws it', async ({
  repo,
}) => {
  const fleet = new Fleet(repo, { count: 3, files: (number) => ({ name: `r${number}\n` }) })
  const fixed = join(repo.home, 'fixed')
  const plan = fleet.write(
    'p.md',
    run(`if ! grep -q r1 name && [ ! -e ${fixed} ]; then kill -9 $PPID; fi; echo 1 > one.txt`),
  )
  const first = await fleet.json(['run', fleet.list, plan, '--approve'])
  expect(first, JSON.stringify(first)).toMatchObject({
    counts: { completed: 1, parked: 2 },
    why: null,
  })
  // Nothing brings it back but a person.
  expect(await fleet.json(['resume', 'p'])).toMatchObject({ counts: { completed: 1, parked: 2 } })
  writeFileSync(fixed, '')
  expect(await fleet.json(['retry', 'r2', '--campaign', 'p'])).toMatchObject({ targets: 1 })
  expect(await fleet.json(['resume', 'p'])).toMatchObject({ counts: { completed: 2, parked: 1 } })
  expect(await fleet.json(['close', 'p'])).toMatchObject({ counts: { cancelled: 3 } })
})

test.for(['close', 'finish'] as const)(
  'a %s that is refused stays refused until it is asked for again',
  async (landing, { repo }) => {
    const fleet = new Fleet(repo, { count: 2 })
    const [address = ''] = fleet.addresses
    const plan = fleet.write('p.md', edit('1'))
    expect(await fleet.json(['run', fleet.list, plan, '--approve'])).toMatchObject({
      counts: { completed: 2 },
    })
    const allow = refusePushes(address, landing === 'close' ? 'plan/p' : 'main')
    const done = landing === 'close' ? 'cancelled' : 'merged'
    const refused = await fleet.fleet([landing, 'p'])
    expect(refused, refused.all).toMatchObject({ code: 1 })
    expect(refused.all).toContain('not now')
    expect(refused.all).toContain(`git plan fleet ${landing} p`)
    expect(refused.all).not.toContain('fleet rebase')
    expect(await fleet.json(['report', 'p'])).toMatchObject({ counts: { [done]: 1, refused: 1 } })
    allow()
    expect(await fleet.json([landing, 'p'])).toMatchObject({ counts: { [done]: 2 } })
    expect(await fleet.json(['report', 'p'])).toMatchObject({ counts: { [done]: 2 } })
  },
)

/** A commit on main that conflicts with the plan. */
function moveBase({ repo }: Fleet, address: string): void {
  const work = join(repo.home, 'moves')
  repo.git(['clone', '-q', address, work])
  writeFileSync(join(work, 'one.txt'), 'theirs\n')
  repo.git(['add', '-A'], { cwd: work })
  repo.git(['commit', '-q', '-m', 'Theirs'], { cwd: work })
  repo.git(['push', '-q', 'origin', 'main'], { cwd: work })
}

test.for([[], ['--rebase']])('the base has moved and conflicts; run with %s', async (options, { repo }) => {
  const fleet = new Fleet(repo, { count: 2 })
  const [address = ''] = fleet.addresses
  const plan = fleet.write('p.md', run('echo ours >> one.txt'))
  expect(await fleet.json(['run', fleet.list, plan, '--approve', ...options])).toMatchObject({
    counts: { completed: 2 },
  })
  moveBase(fleet, address)
  const old = repo.git(['rev-parse', 'plan/p'], { cwd: address })
  const finished = await fleet.fleet(['finish', 'p'])
  if (options.length === 0) {
    expect(finished, finished.all).toMatchObject({ code: 1 })
    expect(finished.all).toContain('git plan fleet rebase --campaign p')
    expect(await fleet.json(['rebase', '--campaign', 'p'])).toMatchObject({ targets: 1 })
    const resumed = await fleet.json(['resume', 'p'])
    expect(resumed, JSON.stringify(resumed)).toMatchObject({ counts: { merged: 2 }, why: null })
  }
  const read = await fleet.json(['status', 'p'])
  expect(read, finished.all + JSON.stringify(read)).toMatchObject({ counts: { merged: 2 } })
  expect(repo.git(['show', 'main:one.txt'], { cwd: address })).toBe('theirs\nours')
  expect(repo.git(['for-each-ref', '--points-at', old, 'refs/plan/p/'], { cwd: address })).not.toBe('')
})

test('what was merged is reverted by a campaign of its own, and what was not is closed', async ({ repo }) => {
  const fleet = new Fleet(repo, { count: 3, files: (number) => ({ name: `r${number}\n` }) })
  const plan = fleet.write('p.md', run('! grep -q r3 name && echo 1 > one.txt'))
  expect(await fleet.json(['run', fleet.list, plan, '--approve'])).toMatchObject({
    counts: { completed: 2, failed: 1 },
  })
  expect(await fleet.json(['finish', 'p'])).toMatchObject({ counts: { merged: 2, failed: 1 } })
  expect(await fleet.json(['close', 'p'])).toMatchObject({ counts: { merged: 2, cancelled: 1 } })
  expect(await fleet.json(['revert', 'p'])).toMatchObject({
    id: 'p-revert',
    targets: 2,
    isApproved: false,
  })
  expect(await fleet.json(['resume', 'p-revert'])).toMatchObject({ exitCode: 3 })
  expect(await fleet.json(['resume', 'p-revert', '--approve'])).toMatchObject({
    counts: { completed: 2 },
  })
  expect(await fleet.json(['finish', 'p-revert'])).toMatchObject({ counts: { merged: 2 } })
  for (const address of fleet.addresses)
    expect(repo.git(['ls-tree', '--name-only', 'main', 'one.txt'], { cwd: address })).toBe('')
})

test('two control repositories may have a campaign of the same name', async ({ repo }) => {
  const fleet = new Fleet(repo, { count: 2 })
  const plan = fleet.write('p.md', edit('1'))
  expect(await fleet.json(['new', fleet.list, plan])).toMatchObject({ targets: 2 })
  const other = join(repo.home, 'other.git')
  repo.git(['init', '-q', '--bare', other])
  const unknown = await fleet.fleet(['status', 'p', '--control', other])
  expect(unknown, unknown.all).toMatchObject({ code: 2 })
  expect(unknown.all).toContain(`there is no campaign p in ${other}`)
  writeFileSync(fleet.list, `${fleet.addresses[0]}\n`)
  expect(await fleet.json(['new', fleet.list, plan, '--control', other])).toMatchObject({
    targets: 1,
    epoch: 1,
  })
  expect(await fleet.json(['status', 'p'])).toMatchObject({ targets: [{}, {}] })
  // One that was deleted there is gone here too.
  repo.git(['update-ref', '-d', 'refs/heads/campaign/p'], { cwd: fleet.control })
  expect(await fleet.fleet(['status', 'p'])).toMatchObject({ code: 2 })
})

test('a campaign that is over: resume, and its metrics', async ({ repo }) => {
  const fleet = new Fleet(repo, { count: 1 })
  const plan = fleet.write('p.md', edit('1'))
  expect(await fleet.fleet(['run', fleet.list, plan, '--approve'])).toMatchObject({ code: 0 })
  expect(await fleet.fleet(['cancel', 'p'])).toMatchObject({ code: 0 })
  expect(await fleet.fleet(['resume', 'p'])).toMatchObject({ code: 5 })
  expect(await fleet.json(['close', 'p'])).toMatchObject({ counts: { cancelled: 1 } })
  expect(await fleet.fleet(['cancel', 'p'])).toMatchObject({ code: 0 })
  expect(await fleet.fleet(['resume', 'p'])).toMatchObject({ code: 0 })
  const file = join(repo.home, 'fleet.prom')
  expect(await fleet.fleet(['metrics', 'p', '--textfile', file])).toMatchObject({
    code: 0,
    stdout: `Wrote ${file}\n`,
  })
  const { stdout } = await fleet.fleet(['metrics', 'p'])
  expect(stdout).toContain('git_plan_fleet_targets{campaign="p",state="cancelled"} 1')
  expect(readFileSync(file, 'utf8')).toBe(stdout)
})

test('another campaign process was killed, and its number is that of a zombie', async ({ repo }) => {
  const fleet = new Fleet(repo, { count: 2 })
  const plan = fleet.write('p.md', run('sleep 1; echo 1 > one.txt'))
  // The shell never waits for its child.
  const script = `${process.execPath} ${bin} fleet run ${fleet.list} ${plan} --approve --control ${fleet.control} & echo $!; exec sleep 1000`
  const shell = spawn('sh', ['-c', script], {
    cwd: repo.home,
    env: { ...process.env, ...repo.env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    const pid = Number((await once(shell.stdout, 'data')).toString())
    await until('it has the lease', () => repo.git(['for-each-ref', 'refs/plan-lease'], { cwd: fleet.control }) !== '')
    process.kill(pid, 'SIGKILL')
    const resumed = await fleet.json(['resume', 'p'])
    expect(resumed, JSON.stringify(resumed)).toMatchObject({ counts: { completed: 2 } })
  } finally {
    shell.kill('SIGKILL')
  }
})
