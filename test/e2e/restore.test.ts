// How changes that --autostash put aside come back where something has happened since: a kill, a newer edit, another
// branch, a damaged ref.

import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

/** A plan that has made new.txt and waits, with the user's changes put aside. */
const startWaiting = async (repo: TestRepo): Promise<void> => {
  repo.write('../p.md', planText('  - {id: one, create: new.txt, content: "1"}\n  - {id: two, gate: Ship it?}'))
  const ran = await repo.plan(['start', '../p.md', '--approve', '--autostash'])
  expect(ran.code, ran.all).toBe(5)
}

const switchTo = (repo: TestRepo, branch: string): string => repo.git(['checkout', '-q', branch])

const stage = (repo: TestRepo, path: string, text: string): void => {
  repo.write(path, text)
  repo.git(['add', path])
}

const restore = async (repo: TestRepo): Promise<string> => {
  const ran = await repo.plan(['doctor', '--restore', 'p'])
  expect(ran.code, ran.all).toBe(0)
  return ran.all
}

/** Types the command of the hint. Returns what it wrote, and what the file itself still has. */
const saveBeside = (repo: TestRepo, told: string): [string, string] => {
  const [command, file] = /git cat-file --filters \S+ > (\S+)\.mine/.exec(told) ?? []
  execFileSync('sh', ['-c', command ?? 'false'], { cwd: repo.dir, env: repo.env })
  return [repo.read(`${file}.mine`), repo.read(file ?? '')]
}

describe('a restore that is killed in the middle', () => {
  /** A PATH whose git kills the program that calls it, where the index is to be restored. */
  const deadly = (repo: TestRepo): { isBinary: true; env: Record<string, string> } => {
    repo.write(
      '../bin/git',
      `#!/bin/sh\nfor each; do [ "$each" = --index-info ] && kill -9 $PPID; done\nexec ${repo.git(['--exec-path'])}/git "$@"\n`,
    )
    chmodSync(repo.path('../bin/git'), 0o755)
    return { isBinary: true, env: { PATH: `${repo.path('../bin')}:${repo.env['PATH']}` } }
  }

  test.for([
    ['doctor', '--restore', 'p'],
    ['cancel', 'p'],
  ])('%s leaves a file alone that has the bytes of one of the plan', async (command, { repo }) => {
    stage(repo, 'a.txt', 'mine\n')
    await startWaiting(repo)
    switchTo(repo, 'main')
    repo.write('new.txt', repo.git(['show', 'plan/p:new.txt']))
    expect((await repo.plan(command, deadly(repo))).code).toBe(256)
    const again = await repo.plan(command)
    expect(again.code, again.all).toBe(0)
    expect(existsSync(repo.path('new.txt')), again.all).toBe(true)
    expect(repo.git(['show', ':a.txt'])).toBe('mine')
    expect(repo.git(['for-each-ref', 'refs/plan-local/', 'refs/stash'])).toBe('')
  })
})

test('what was staged since is kept, and the older version can be taken from the stash', async ({ repo }) => {
  stage(repo, 'a.txt', 'staged\n')
  repo.write('a.txt', 'hello\n')
  await startWaiting(repo)
  switchTo(repo, 'main')
  stage(repo, 'a.txt', 'newer\n')
  repo.write('a.txt', 'hello\n')
  const told = await restore(repo)
  expect(repo.git(['show', ':a.txt'])).toBe('newer')
  // It does not claim that all is back.
  expect(told).toContain(`are in Git's stash: ${repo.git(['rev-parse', '--short=12', 'stash@{0}'])}`)
  expect(saveBeside(repo, told)).toEqual(['staged\n', 'hello\n'])
  expect(repo.git(['show', ':a.txt'])).toBe('newer')
})

test('the hint takes an untracked file from the stash, whatever was stashed after it', async ({ repo }) => {
  repo.write('note.txt', 'mine\n')
  await startWaiting(repo)
  switchTo(repo, 'main')
  repo.write('note.txt', 'newer\n')
  const told = await restore(repo)
  // Untracked, so that nothing else has it.
  expect(saveBeside(repo, told)).toEqual(['mine\n', 'newer\n'])
  repo.git(['stash', '-q', '--include-untracked'])
  repo.write('note.txt', 'newest\n')
  expect(saveBeside(repo, told)).toEqual(['mine\n', 'newest\n'])
})

test('a plan that is checked out there meanwhile gets nothing of it', async ({ repo }) => {
  repo.write('a.txt', 'mine\n')
  await startWaiting(repo)
  switchTo(repo, 'main')
  repo.write('.plans/q.md', planText('  - {id: two, gate: Ship it?}'))
  expect((await repo.plan(['start', '.plans/q.md', '--approve'])).code).toBe(5)
  const cancelled = await repo.plan(['cancel', 'p'])
  expect(cancelled.code, cancelled.all).toBe(0)
  expect(cancelled.all).toContain('git plan doctor --restore p')
  expect([repo.read('a.txt'), repo.status()]).toEqual(['hello\n', ''])
  expect((await repo.plan(['cancel', 'q'])).code).toBe(0)
  await restore(repo)
  expect(repo.read('a.txt')).toBe('mine\n')
})

describe('a damaged stash', () => {
  const damage = async (repo: TestRepo): Promise<string> => {
    repo.write('a.txt', 'mine\n')
    repo.write('note.txt', 'mine\n')
    await startWaiting(repo)
    repo.git(['update-ref', 'refs/plan-local/p/stash', 'main'])
    return repo.git(['rev-parse', 'main'])
  }

  test('is not restored, and the hint gets rid of it', async ({ repo }) => {
    await damage(repo)
    switchTo(repo, 'main')
    const ran = await repo.plan(['doctor', '--restore', 'p'])
    expect(ran.code, ran.all).toBe(5)
    expect(ran.all).toContain('.git/plan/p/aside/autostash-1')
    repo.git(/git (update-ref -d \S+)/.exec(ran.all)?.[1]?.split(' ') ?? [])
    expect((await repo.plan(['doctor'])).all).not.toContain('autostash')
  })

  test('does not keep a plan from being cancelled', async ({ repo }) => {
    const oid = await damage(repo)
    const ran = await repo.plan(['cancel', 'p'])
    expect(ran.code, ran.all).toBe(0)
    expect(ran.all).toContain(`refs/plan-local/p/stash (${oid})`)
    expect(repo.git(['rev-parse', 'refs/plan-local/p/stash'])).toBe(oid)
    expect(repo.git(['symbolic-ref', '--short', 'HEAD'])).toBe('main')
  })

  test('does not keep a plan from being deleted, and the files that were moved aside stay', async ({ repo }) => {
    const oid = await damage(repo)
    const ran = await repo.plan(['delete', 'p', '--force'])
    expect(ran.code, ran.all).toBe(0)
    expect(ran.all).toContain(`refs/plan-local/p/stash (${oid})`)
    expect(repo.git(['for-each-ref', 'refs/plan-local/', 'refs/heads/plan/'])).toBe('')
    expect(repo.read('.git/plan/p/aside/stash-1/note.txt')).toBe('mine\n')
  })
})

test('resume in a dirty tree names a command that is accepted', async ({ repo }) => {
  await startWaiting(repo)
  switchTo(repo, 'main')
  repo.write('a.txt', 'mine\n')
  const ran = await repo.plan(['resume', 'p'])
  expect(ran.code, ran.all).toBe(2)
  expect(ran.all).not.toContain('git plan start')
  expect(ran.all).toContain('git plan resume p --autostash')
  expect((await repo.plan(['resume', 'p', '--autostash'])).code).toBe(5)
  // Changes are put aside only once for a plan.
  switchTo(repo, 'main')
  repo.write('a.txt', 'more\n')
  expect((await repo.plan(['resume', 'p'])).all).toContain('git stash --include-untracked')
})

test('cancel says that HEAD is detached where the branch is gone that the user came from', async ({ repo }) => {
  repo.git(['checkout', '-q', '-b', 'feat'])
  await startWaiting(repo)
  repo.git(['branch', '-q', '-D', 'feat'])
  const ran = await repo.plan(['cancel', 'p'])
  expect(ran.code, ran.all).toBe(0)
  expect(ran.all).not.toContain('back on feat')
  expect(ran.all).toContain(`HEAD is detached at ${repo.git(['rev-parse', '--short=10', 'HEAD'])}`)
})
