// What is read of a repository without asking git is what git says, and git is asked wherever something is unusual.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { findPlainly } from '../../src/git/find-plainly.ts'
import { readRefFiles } from '../../src/git/ref-files.ts'
import { Repository } from '../../src/git/repository.ts'
import { GitRunner } from '../../src/git/runner.ts'
import { gitEnvironment } from '../../src/process/environment.ts'
import { test, TestRepo } from '../helpers/repo.ts'

const prefixes = ['refs/heads/plan/', 'refs/plan/', 'refs/heads/main']
const listed = (repo: TestRepo): string[] => repo.git(['for-each-ref', '--format=%(objectname) %(refname)', ...prefixes]).split('\n')
const read = (repo: TestRepo): string[] | undefined => readRefFiles(join(repo.dir, '.git'), prefixes)?.map(({ name, oid }) => `${oid} ${name}`)

const withRefs = (repo: TestRepo): void => {
  for (const name of [
    'heads/plan/a',
    'heads/plan/b-2',
    'plan/a/attempts/one/1',
    'plan/a/attempts/one/10',
    'plan/a/rollbacks/1',
    'plan/b/final',
    'heads/planless',
    'tags/plan',
  ])
    repo.git(['update-ref', `refs/${name}`, 'HEAD'])
}

test('refs that are files, packed, or both', ({ repo }) => {
  expect(read(repo)).toEqual(listed(repo))
  withRefs(repo)
  expect(read(repo)).toEqual(listed(repo))
  repo.git(['pack-refs', '--all'])
  expect(read(repo)).toEqual(listed(repo))
  repo.write('b.txt', 'b')
  repo.commit('Another')
  repo.git(['update-ref', 'refs/heads/plan/a', 'HEAD'])
  repo.git(['update-ref', 'refs/plan/c/final', 'HEAD'])
  repo.git(['update-ref', '-d', 'refs/plan/b/final'])
  writeFileSync(join(repo.dir, '.git/refs/plan/c/final.lock'), '')
  expect(read(repo)).toEqual(listed(repo))
})

test('git is asked for a symbolic ref, a broken one, an odd name, and where there are many', ({ repo }) => {
  repo.git(['symbolic-ref', 'refs/heads/plan/link', 'refs/heads/main'])
  expect(read(repo)).toBeUndefined()
  repo.git(['symbolic-ref', '-d', 'refs/heads/plan/link'])
  expect(read(repo)).toEqual(listed(repo))
  mkdirSync(join(repo.dir, '.git/refs/plan/x'), { recursive: true })
  for (const [name, text] of [
    ['broken', 'nothing\n'],
    ['empty', ''],
    ['zero', `${'0'.repeat(40)}\n`],
    ['~odd', `${repo.git(['rev-parse', 'HEAD'])}\n`],
  ] as const) {
    const file = join(repo.dir, '.git/refs/plan/x', name)
    writeFileSync(file, text)
    expect(read(repo), name).toBeUndefined()
    rmSync(file)
  }
  for (let number = 1; number <= 101; number += 1) repo.git(['update-ref', `refs/plan/x/attempts/one/${number}`, 'HEAD'])
  expect(read(repo)).toBeUndefined()
})

const found = (repo: TestRepo, cwd = repo.dir) => findPlainly(new GitRunner({ cwd, env: gitEnvironment(repo.env) }))

async function opened(repo: TestRepo, cwd = repo.dir): Promise<{ root: string; gitDir: string; commonDir: string }> {
  const one = await Repository.open({ cwd, env: gitEnvironment(repo.env) })
  one.close()
  const { root, gitDir, commonDir } = one
  return { root, gitDir, commonDir }
}

const asked = (repo: TestRepo, cwd = repo.dir): string[] =>
  repo.git(['-C', cwd, 'rev-parse', '--path-format=absolute', '--show-toplevel', '--git-dir', '--git-common-dir']).split('\n')

test('a plain repository is found from any directory in it, with what is configured', async ({ repo }) => {
  mkdirSync(join(repo.dir, 'a/b'), { recursive: true })
  repo.git(['config', 'plan.dir', 'somewhere'])
  for (const cwd of [repo.dir, join(repo.dir, 'a/b')]) {
    const plain = await found(repo, cwd)
    expect(plain).toMatchObject({ root: repo.dir, gitDir: join(repo.dir, '.git'), objectFormat: 'sha1' })
    expect(plain?.config).toContainEqual({ scope: 'local', origin: 'file:.git/config', key: 'plan.dir', value: 'somewhere' })
    expect(Object.values(await opened(repo, cwd))).toEqual(asked(repo, cwd))
  }
})

test('all else is asked of git: linked work trees, repositories inside, core.worktree, extensions', async ({ repo }) => {
  const linked = join(repo.home, 'linked')
  repo.git(['worktree', 'add', '-q', linked])
  expect(await found(repo, linked)).toBeUndefined()
  expect(Object.values(await opened(repo, linked))).toEqual(asked(repo, linked))

  const inner = join(repo.dir, 'inner.git')
  repo.git(['init', '-q', '--bare', inner])
  expect(await found(repo, inner)).toBeUndefined()
  await expect(opened(repo, inner)).rejects.toMatchObject({ code: 'bare-repository' })
  expect(await found(repo, join(repo.dir, '.git'))).toBeUndefined()
  await expect(opened(repo, join(repo.dir, '.git', 'refs'))).rejects.toMatchObject({ code: 'not-a-repository' })

  // An empty `.git` is no repository: git goes on to the one above.
  mkdirSync(join(repo.dir, 'sub/.git'), { recursive: true })
  expect(await found(repo, join(repo.dir, 'sub'))).toBeUndefined()
  expect(Object.values(await opened(repo, join(repo.dir, 'sub')))).toEqual(asked(repo, join(repo.dir, 'sub')))

  for (const [key, value] of [
    ['extensions.unheardOf', 'true'],
    ['core.worktree', repo.home],
    ['core.bare', 'true'],
  ] as const) {
    repo.git(['config', key, value])
    expect(await found(repo), key).toBeUndefined()
    repo.git(['config', '--file', join(repo.dir, '.git/config'), '--unset', key])
    if (key === 'core.bare') repo.git(['config', '--file', join(repo.dir, '.git/config'), key, 'false'])
  }
  expect(await found(repo)).toBeDefined()
})

test('questions of one turn have their answers, each its own', async ({ repo }) => {
  const one = await Repository.open({ cwd: repo.dir, env: gitEnvironment(repo.env) })
  const head = await one.headCommit()
  expect((await one.firstParents(head, 5)).map(({ oid }) => oid)).toEqual([head])
  expect(await Promise.all([one.resolve('HEAD'), one.resolve('refs/heads/none'), one.readCommit('HEAD')])).toMatchObject([head, undefined, { oid: head }])
  one.close()
})

test('a plan whose commit is missing is named, and does not hide the others', async ({ repo }) => {
  repo.write('.plans/good.md', '---\nsteps:\n  - run: a\n---\n')
  expect((await repo.plan(['new', '--from', '.plans/good.md'])).code).toBe(0)
  writeFileSync(join(repo.dir, '.git/refs/heads/plan/gone'), `${'1'.repeat(40)}\n`)
  const list = await repo.plan(['list'])
  expect(list.code).toBe(0)
  expect(list.all).toContain('good')
  expect(list.all).toContain(`gone: the commit ${'1'.repeat(40)} of the plan gone is missing`)
  expect((await repo.plan(['status', 'gone'])).code).toBe(70)
})
