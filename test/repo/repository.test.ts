// A repository is found where git finds it, and what is read of it is what git says.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Repository } from '../../src/git/repository.ts'
import { gitEnvironment, hookEnvironment } from '../../src/process/environment.ts'
import { planText, test, TestRepo } from '../helpers/repo.ts'

const open = (repo: TestRepo, cwd = repo.dir): Promise<Repository> =>
  Repository.open({ cwd, env: gitEnvironment(repo.env) })

async function opened(repo: TestRepo, cwd = repo.dir): Promise<string[]> {
  const one = await open(repo, cwd)
  one.close()
  return [one.root, one.gitDir, one.commonDir]
}

const asked = (repo: TestRepo, cwd = repo.dir): string[] =>
  repo
    .git(['-C', cwd, 'rev-parse', '--path-format=absolute', '--show-toplevel', '--git-dir', '--git-common-dir'])
    .split('\n')

test('it is found from any directory in it, in a linked work tree, and above an empty .git', async ({ repo }) => {
  const linked = join(repo.home, 'linked')
  repo.git(['worktree', 'add', '-q', linked])
  const [below, empty] = [repo.path('a/b'), repo.path('sub')]
  for (const path of [below, join(empty, '.git')]) mkdirSync(path, { recursive: true })
  for (const cwd of [repo.dir, below, linked, empty]) expect(await opened(repo, cwd)).toEqual(asked(repo, cwd))
})

test('a bare one and the git directory are refused', async ({ repo }) => {
  const inner = repo.path('inner.git')
  repo.git(['init', '-q', '--bare', inner])
  await expect(open(repo, inner)).rejects.toMatchObject({ code: 'bare-repository' })
  await expect(open(repo, repo.path('.git/refs'))).rejects.toMatchObject({ code: 'not-a-repository' })
})

test('a hook is about the repository that git has told it of', async ({ repo }) => {
  const other = new TestRepo()
  other.write('only-there.txt', 'there\n')
  other.commit('There')
  const env = hookEnvironment({ ...repo.env, GIT_DIR: other.path('.git'), GIT_WORK_TREE: repo.dir }, 'client')
  const there = await Repository.open({ cwd: repo.dir, env })
  expect(there.gitDir).toBe(other.path('.git'))
  expect((await there.readBlob('HEAD:only-there.txt'))?.toString()).toBe('there\n')
  there.close()
  other.remove()
})

test('questions of one turn have their answers, each its own', async ({ repo }) => {
  const one = await open(repo)
  const head = await one.headCommit()
  expect((await one.firstParents(head, 5)).map(({ oid }) => oid)).toEqual([head])
  expect(
    await Promise.all([one.resolve('HEAD'), one.resolve('refs/heads/none'), one.readCommit('HEAD')]),
  ).toMatchObject([head, undefined, { oid: head }])
  one.close()
})

test('what is added, packed and moved meanwhile is found, and an object that another replaces is itself', async ({
  repo,
}) => {
  const one = await open(repo)
  const first = await one.headCommit()
  repo.write('b.txt', 'b\n')
  const next = repo.commit('Another')
  expect(await one.resolve('HEAD')).toBe(next)
  repo.git(['gc', '-q', '--prune=now'])
  expect((await one.readBlob('HEAD:b.txt'))?.toString()).toBe('b\n')
  repo.git(['update-ref', 'refs/heads/main', first])
  expect(await one.resolve('HEAD')).toBe(first)
  repo.git(['replace', first, next])
  expect(await one.readBlob(`${first}:b.txt`)).toBeUndefined()
  repo.git(['symbolic-ref', 'HEAD', 'refs/heads/plan/x'])
  expect(await one.headBranch()).toBe('refs/heads/plan/x')
  expect(await one.remoteHead()).toBeUndefined()
  one.close()
})

test('one of the other hash is read as well', async () => {
  const repo = new TestRepo({ init: ['--object-format=sha256'] })
  const one = await open(repo)
  expect((await one.readBlob('HEAD:a.txt'))?.toString()).toBe('hello\n')
  one.close()
  repo.remove()
})

test('a plan whose commit is missing is named, and does not hide the others', async ({ repo }) => {
  repo.write('.plans/good.md', '---\nsteps:\n  - run: a\n---\n')
  expect((await repo.plan(['new', '--from', '.plans/good.md'])).code).toBe(0)
  writeFileSync(repo.path('.git/refs/heads/plan/gone'), `${'1'.repeat(40)}\n`)
  const list = await repo.plan(['list'])
  expect(list.code).toBe(0)
  expect(list.all).toContain('good')
  expect(list.all).toContain(`gone: the commit ${'1'.repeat(40)} of the plan gone is missing`)
  expect((await repo.plan(['status', 'gone'])).code).toBe(70)
})

test('an old git is refused', async ({ repo }) => {
  repo.write('p.md', planText('  - {id: one, run: "true"}'))
  const bin = join(repo.home, 'bin')
  mkdirSync(bin)
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\ncase "$*" in *" version"|version) echo "git version 2.30.2";; *) exec ${real} "$@";; esac\n`,
  )
  chmodSync(join(bin, 'git'), 0o755)
  const ran = await repo.plan(['start', 'p.md', '--approve'], { env: { PATH: `${bin}:${repo.env['PATH']}` } })
  expect(ran.code).toBeGreaterThan(0)
  expect(ran.all).toContain('git version 2.30.2 is too old')
})
