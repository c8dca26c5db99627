// One plan in several repositories on this disk: one of them fails and is retried, the fleet is killed and continued, and
// everything is merged.

import { rmSync, writeFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { until } from '../helpers/crash.ts'
import { Fleet } from '../helpers/fleet.ts'
import { ended, planText, test } from '../helpers/repo.ts'

const greet = (command: string): string =>
  planText(
    `  - {id: one, create: greet.sh, content: "echo hello"}\n  - id: two\n    run: ${JSON.stringify(command)}`,
    'title: Greet\n',
  )

test('each repository gets its own plan; one fails, is retried, and all are merged', async ({ repo }) => {
  const fleet = new Fleet(repo, { files: (number) => ({ name: `r${number}\n` }) })
  const fixed = join(repo.home, 'fixed')
  const command = `if grep -q r3 name && [ ! -e ${fixed} ]; then echo this one is broken; exit 3; fi; echo ok > ok.txt`
  const plan = fleet.write('greet.md', greet(command))

  const refused = await fleet.fleet(['run', fleet.list, plan])
  expect(refused, refused.all).toMatchObject({ code: 3 })
  expect(refused.all).toContain('campaign greet is not approved yet; nothing was run')
  for (const address of fleet.addresses) expect(repo.git(['branch', '--list', 'plan/*'], { cwd: address })).toBe('')

  const first = await fleet.fleet(['run', fleet.list, plan, '--approve', '-j', '3'])
  expect(first, first.all).toMatchObject({ code: 1 })
  expect(first.stdout).toContain('5 completed, 1 failed')
  expect(first.stdout).toContain('1 failed at two: this one is broken')
  expect(fleet.history(fleet.addresses[0]!, 'greet')).toEqual([
    'Plan: Greet',
    'Approved: Greet',
    'Create greet.sh',
    expect.stringMatching(/^Run if/) as string,
    'Completed: Greet',
  ])

  // Nothing is left to do: the same command changes nothing.
  const tips = fleet.addresses.map((address) => repo.git(['rev-parse', 'plan/greet'], { cwd: address }))
  expect(await fleet.fleet(['run', fleet.list, plan, '--approve'])).toMatchObject({ code: 1 })
  expect(fleet.addresses.map((address) => repo.git(['rev-parse', 'plan/greet'], { cwd: address }))).toEqual(tips)

  writeFileSync(fixed, '')
  expect(await fleet.json(['retry', '--failed', 'other'])).toMatchObject({ targets: 0 })
  expect(await fleet.json(['retry', '--failed', 'two'])).toMatchObject({ targets: 1 })
  const again = await fleet.json(['resume', 'greet'])
  expect(again).toMatchObject({ counts: { completed: 6 }, why: null })

  // What the refs say does not depend on anything on this machine.
  rmSync(join(repo.home, '.local'), { recursive: true })
  const read = await fleet.json(['status', 'greet'])
  expect(read, JSON.stringify(read)).toMatchObject({ counts: { completed: 6 } })
  const finished = await fleet.fleet(['finish', 'greet'])
  expect(finished, finished.all).toMatchObject({ code: 0 })
  for (const address of fleet.addresses) expect(repo.git(['show', 'main:ok.txt'], { cwd: address })).toBe('ok')
  expect(await fleet.json(['status', 'greet'])).toMatchObject({ counts: { merged: 6 } })
})

test('killed and started again, it continues where it was, and runs no step twice', async ({ repo }) => {
  const fleet = new Fleet(repo)
  const ran = join(repo.home, 'ran')
  const plan = fleet.write('greet.md', greet(`sleep 0.3; echo "$PWD" >> ${ran}; echo ok > ok.txt`))
  const child = repo.spawn(['fleet', 'run', fleet.list, plan, '--approve', '-j', '1', '--control', fleet.control], {
    cwd: repo.home,
  })
  await until('two repositories are done', () => existsSync(ran) && readFileSync(ran, 'utf8').split('\n').length > 2)
  process.kill(-child.pid!, 'SIGKILL')
  await ended(child)
  const finished = await fleet.json(['resume', 'greet', '-j', '3'])
  expect(finished).toMatchObject({ counts: { completed: 6 } })
  for (const address of fleet.addresses) {
    const subjects = fleet.history(address, 'greet')
    expect(subjects.filter((subject) => subject.startsWith('Create'))).toHaveLength(1)
    expect(subjects.filter((subject) => subject.startsWith('Completed'))).toHaveLength(1)
    expect(repo.git(['rev-list', '--merges', 'plan/greet'], { cwd: address })).toBe('')
  }
  // The killed one may have ended its step by itself, or it ran again: the others ran once.
  expect(readFileSync(ran, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(7)
})

test('waves open one after the other, and not while too much fails; pause and exclude are commits', async ({
  repo,
}) => {
  const fleet = new Fleet(repo, { count: 4, files: (number) => ({ name: `r${number}\n` }) })
  const plan = fleet.write('greet.md', greet('! grep -q r1 name'))
  const waves = ['--wave', '1', '--wave', '50%', '--max-failures', '0']
  const first = await fleet.json(['run', fleet.list, plan, '--approve', ...waves])
  expect(first).toMatchObject({ counts: { failed: 1, later: 3 }, wave: 1, waves: 3 })
  expect(first['why']).toMatch(/wave 2 was not opened: 1 targets failed, and max_failures is 0/)
  expect(await fleet.fleet(['exclude', 'r1', 'r2', '--campaign', 'greet'])).toMatchObject({ code: 0 })
  expect(await fleet.fleet(['pause', 'greet'])).toMatchObject({ code: 0 })
  expect(await fleet.json(['status', 'greet'])).toMatchObject({ isPaused: true })
  expect(await fleet.json(['resume', 'greet'])).toMatchObject({ counts: { excluded: 2, completed: 2 }, wave: 3 })
  expect(repo.git(['branch', '--list', 'plan/*'], { cwd: fleet.addresses[1]! })).toBe('')
  expect(repo.git(['log', '--reverse', '--format=%s', 'campaign/greet'], { cwd: fleet.control }).split('\n')).toEqual([
    'Campaign: Greet',
    'Approved: Greet',
    'Wave 1: Greet',
    'Excluded: 2 of Greet',
    'Paused: Greet',
    'Resumed: Greet',
    'Wave 2: Greet',
    'Wave 3: Greet',
  ])
})
