import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'vitest'
import { ended, planText, test, TestRepo } from '../helpers/repo.ts'

test.for([
  [
    'a directory in the place of a tracked file',
    'rm a.txt && mkdir a.txt && echo precious > a.txt/keep.log',
    'a.txt/keep.log',
  ],
  ['a file in the place of a tracked directory', 'rm -r d && echo precious > d', 'd'],
])('--autostash refuses where ignored files would be lost: %s', async ([, change, path], { repo }) => {
  repo.write('d/x', 'x\n')
  repo.write('.gitignore', '*.log\n/d\n')
  repo.git(['add', '-f', 'd/x', '.gitignore'])
  repo.git(['commit', '-q', '-m', 'Second'])
  await ended(spawnShell(repo, change as string))
  repo.write('p.md', planText('  - {id: one, run: echo 1 > one.txt}'))
  const ran = await repo.plan(['start', 'p.md', '--approve', '--autostash'])
  expect(ran.code, ran.all).toBe(5)
  expect(repo.read(path as string)).toBe('precious\n')
  expect(repo.git(['symbolic-ref', 'HEAD'])).toBe('refs/heads/main')
})

test('move takes the tracked files of a directory and leaves the ignored ones', async ({ repo }) => {
  repo.write('d/x', 'x\n')
  repo.write('.gitignore', '/d/secret\n')
  repo.commit('Second')
  repo.write('d/secret', 'SECRET\n')
  repo.write('.plans/p.md', planText('  - {id: go, move: d, to: e}'))
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran.code, ran.all).toBe(0)
  expect(repo.git(['ls-tree', '-r', '--name-only', 'plan/p']).split('\n')).toEqual([
    '.gitignore',
    '.plans/p.md',
    'a.txt',
    'e/x',
  ])
  expect(repo.read('d/secret')).toBe('SECRET\n')
})

test('file steps refuse a path that was ignored before the rules were changed', async ({ repo }) => {
  repo.write('.gitignore', '.env\n')
  repo.commit('Second')
  repo.write('.env', 'SECRET\n')
  repo.write(
    '.plans/p.md',
    planText(
      '  - {id: rules, run: echo nothing > .gitignore}\n  - {id: change, edit: .env, replace: SECRET, with: CHANGED}',
    ),
  )
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran.code, ran.all).toBe(1)
  expect(ran.all).toContain('was ignored before')
  expect(repo.read('.env')).toBe('SECRET\n')
})

test('a second plan does not run in a work tree that a plan is running in', async ({ repo }) => {
  const begun = repo.path('../begun')
  const slow = `touch ${begun}; while test ! -e ${repo.path('../go')}; do sleep 0.05; done; echo a > from-a.txt`
  repo.write('.plans/a.md', planText(`  - {id: slow, run: "${slow}"}`))
  repo.write('../b.md', planText('  - {id: quick, run: echo b > from-b.txt}', 'plan: b\nbase: main\n'))
  const first = ended(repo.spawn(['start', '.plans/a.md', '--approve']))
  while (!existsSync(begun)) await new Promise((resolve) => setTimeout(resolve, 20))
  const second = await repo.plan(['start', '../b.md', '--approve'])
  expect(second.code, second.all).toBe(4)
  expect(second.all).toContain('of plan a')
  repo.write('../go', '')
  const ran = await first
  expect(ran.code, ran.all).toBe(0)
  expect(repo.git(['ls-tree', '-r', '--name-only', 'plan/a'])).not.toContain('from-b')
})

test('a link that a step puts in the place of the plans is not written through', async ({ repo }) => {
  const outside = repo.path('../outside')
  mkdirSync(outside)
  repo.write('.plans/p.md', planText(`  - {id: sly, run: "rm -r .plans; ln -s ${outside} .plans"}`))
  const ran = await repo.plan(['start', '.plans/p.md', '--approve', '--keep-tree'])
  expect(ran.code).not.toBe(0)
  expect(existsSync(`${outside}/p.md`)).toBe(false)
})

test('a repository whose git directory lies elsewhere works', async () => {
  const place = new TestRepo()
  const repo = new TestRepo({ init: ['--separate-git-dir', place.path('../git')] })
  try {
    repo.write('.plans/p.md', planText('  - {id: one, run: echo 1 > one.txt}'))
    const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
    expect(ran.code, ran.all).toBe(0)
    const done = await repo.plan(['finish', 'p'])
    expect(done.code, done.all).toBe(0)
    expect(repo.read('one.txt')).toBe('1\n')
  } finally {
    repo.remove()
    place.remove()
  }
})

test('a repository that was moved between two runs gives back what was put aside', async ({ repo }) => {
  repo.write('a.txt', 'mine\n')
  repo.write('u.txt', 'untracked\n')
  repo.write('.plans/p.md', planText('  - {id: wait, manual: do it}'))
  expect((await repo.plan(['start', '.plans/p.md', '--approve', '--autostash'])).code).toBe(5)
  const moved = `${dirname(repo.dir)}/moved`
  renameSync(repo.dir, moved)
  const ran = await repo.plan(['cancel'], { cwd: moved })
  expect(ran.code, ran.all).toBe(0)
  renameSync(moved, repo.dir)
  expect([repo.read('a.txt'), repo.read('u.txt')]).toEqual(['mine\n', 'untracked\n'])
})

test('a branch that is in the way of plan branches is named, with the remedy', async ({ repo }) => {
  repo.git(['branch', 'plan'])
  repo.write('.plans/p.md', planText('  - {id: one, run: echo 1 > one.txt}'))
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran.code, ran.all).toBe(2)
  expect(ran.all).toContain('git branch -m plan')
  rmSync(repo.path('.plans'), { recursive: true })
})

function spawnShell(repo: TestRepo, command: string) {
  return spawn('/bin/sh', ['-c', command], { cwd: repo.dir })
}

test('a step that writes outside a sparse checkout fails, is saved and restored, and blocks nothing', async ({
  repo,
}) => {
  repo.write('in/a.txt', 'in\n')
  repo.write('out/b.txt', 'out\n')
  repo.commit('Directories')
  repo.git(['sparse-checkout', 'set', '--cone', 'in'])
  repo.write(
    'p.md',
    planText('  - {id: one, run: mkdir -p out; echo new > out/new.txt; echo more >> out/b.txt}', 'plan: p\n'),
  )
  const ran = await repo.plan(['start', 'p.md', '--approve'])
  expect(ran.code, ran.all).toBe(1)
  expect(ran.all).toContain('out/b.txt, out/new.txt; to include them: git sparse-checkout add out')
  expect(existsSync(repo.path('out'))).toBe(false)
  expect(repo.git(['show', 'refs/plan/p/attempts/one/1:out/new.txt'])).toBe('new')
  // The file of the branch was not there to be appended to: that must not become its text.
  repo.git(['sparse-checkout', 'add', 'out'])
  const again = await repo.plan(['resume', 'p', '--retry', 'one'])
  expect(again.code, again.all).toBe(0)
  expect(repo.git(['show', 'plan/p:out/b.txt'])).toBe('out\nmore')
})
