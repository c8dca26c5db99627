// What --autostash puts aside: told, found again whatever became of the branch, and back byte for byte.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { describe, expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

const start = async (repo: TestRepo, steps: string, env: Record<string, string> = {}): Promise<string> => {
  repo.write('.plans/p.md', planText(steps))
  const ran = await repo.plan(['start', '.plans/p.md', '--approve', '--autostash'], { env })
  expect(ran.code, ran.all).toBe(0)
  return ran.all
}

const finish = async (repo: TestRepo, env: Record<string, string> = {}): Promise<string> => {
  const ran = await repo.plan(['finish', 'p'], { env })
  expect(ran.code, ran.all).toBe(0)
  return ran.all
}

const one = '  - {id: one, create: one.txt, content: "1"}'

test('large files are put aside and restored without being read into memory', async ({ repo }) => {
  const size = 128 * 1024 * 1024
  repo.git(['config', 'core.bigFileThreshold', '1m'])
  repo.git(['config', 'core.compression', '1'])
  for (const name of ['kept', '"from git"']) {
    const file = openSync(repo.path(name), 'w')
    ftruncateSync(file, size)
    closeSync(file)
  }
  repo.write(
    '../peak.cjs',
    "process.on('exit', () => require('fs').appendFileSync(process.env.PEAK, process.resourceUsage().maxRSS + ' '))",
  )
  const env = { NODE_OPTIONS: `--require=${repo.path('../peak.cjs')}`, PEAK: repo.path('../peak') }
  await start(repo, one, env)
  rmSync(repo.path('.git/plan/p/aside/autostash-1/"from git"'))
  await finish(repo, env)
  expect(['kept', '"from git"'].map((name) => statSync(repo.path(name)).size)).toEqual([size, size])
  // In KiB: Node itself takes some 90,000, and a copy of one of the files 131,072 more.
  expect(Math.max(...repo.read('../peak').trim().split(' ').map(Number))).toBeLessThan(160_000)
})

describe('where the plan has changed the same file', () => {
  /** Encrypts, so to speak. */
  const filtered = (repo: TestRepo): void => {
    repo.git(['config', 'filter.seal.clean', 'sed s/^/sealed:/'])
    repo.git(['config', 'filter.seal.smudge', 'sed s/^sealed://'])
    repo.write('.gitattributes', '*.secret filter=seal\n*.lf text eol=lf\n')
    repo.write('old.secret', 'old\n')
    repo.commit('Filters')
    repo.write('a.txt', 'mine\n')
    repo.write('old.secret', 'my secret\n')
    repo.write('new.secret', 'my new secret\n')
    repo.write('odd.lf', 'one\r\ntwo\r\n')
  }

  test('git stash pop gives the bytes back, and stages what the filters make of them', async ({ repo }) => {
    filtered(repo)
    await start(repo, '  - {id: one, run: "echo plan > a.txt"}')
    const told = await finish(repo)
    // The file here may be nowhere else: it stays, and the user's version is written beside it.
    const save = /git cat-file --filters '\w+:(\S+)' > (\S+)/.exec(told)
    expect(save?.slice(1)).toEqual(['a.txt', 'a.txt.mine'])
    execFileSync('sh', ['-c', save?.[0] ?? 'false'], { cwd: repo.dir, env: repo.env })
    expect([repo.read('a.txt'), repo.read('a.txt.mine')]).toEqual(['plan\n', 'mine\n'])
    expect(repo.git(['ls-tree', '-r', '--name-only', 'stash@{0}^3'])).toBe('new.secret\nodd.lf')
    expect(() => repo.git(['stash', 'pop'])).toThrow()
    expect([repo.read('old.secret'), repo.read('new.secret')]).toEqual(['my secret\n', 'my new secret\n'])
    expect(repo.git(['show', ':old.secret'])).toBe('sealed:my secret')
    repo.git(['checkout', 'stash@{0}', '--', 'a.txt'])
    expect(repo.read('a.txt')).toBe('mine\n')
    // What no filter can restore is there as it was.
    const place = /odd\.lf \S.* (\S+\/aside\/\S+)/.exec(told)?.[1] ?? ''
    expect(readFileSync(`${place}/odd.lf`, 'utf8')).toBe('one\r\ntwo\r\n')
  })
})

test('prune leaves alone what is still to be restored, with its modes', async ({ repo }) => {
  mkdirSync(repo.path('private'), { mode: 0o700 })
  repo.write('private/key', 'key\n')
  chmodSync(repo.path('private/key'), 0o600)
  await start(repo, one)
  utimesSync(repo.path('.git/plan/p/aside/autostash-1'), 1, 1)
  expect((await repo.plan(['prune'])).code).toBe(0)
  await finish(repo)
  expect(repo.read('private/key')).toBe('key\n')
  expect([statSync(repo.path('private')).mode & 0o777, statSync(repo.path('private/key')).mode & 0o777]).toEqual([
    0o700, 0o600,
  ])
})

test('a submodule at another commit is refused, and stays there', async ({ repo }) => {
  repo.git(['init', '-q', '-b', 'main', 'sub'])
  const commit = (message: string): string => {
    repo.git(
      ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-q', '--allow-empty', '-m', message],
      { cwd: repo.path('sub') },
    )
    return repo.git(['rev-parse', 'HEAD'], { cwd: repo.path('sub') })
  }
  commit('One')
  repo.write('.gitmodules', '[submodule "sub"]\n\tpath = sub\n\turl = ../sub\n')
  repo.commit('A submodule')
  const mine = commit('Two')
  repo.write('a.txt', 'mine\n')
  repo.write('.plans/p.md', planText(one))
  const ran = await repo.plan(['start', '.plans/p.md', '--approve', '--autostash'])
  expect(ran.code, ran.all).toBe(5)
  expect(ran.all).toContain('the submodule sub is not at the commit that HEAD records')
  const elsewhere = await repo.plan(['start', '.plans/p.md', '--worktree', '--approve'])
  expect(elsewhere.code, elsewhere.all).toBe(0)
  expect(repo.git(['rev-parse', 'HEAD'], { cwd: repo.path('sub') })).toBe(mine)
  expect(repo.status()).toContain(' M a.txt\n M sub')
})
