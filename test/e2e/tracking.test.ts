import { mkdirSync } from 'node:fs'
import { expect } from 'vitest'
import { planText, test } from '../helpers/repo.ts'

test('a step that takes a file out of the index and ignores it stops tracking it, and leaves the file', async ({
  repo,
}) => {
  repo.write('gen.txt', 'generated\n')
  repo.commit('A generated file')
  repo.write(
    'p.md',
    planText(
      '  - {id: untrack, run: "git rm -q --cached gen.txt && echo gen.txt >> .gitignore && echo /p.md >> .gitignore"}',
    ),
  )
  const ran = await repo.plan(['start', 'p.md', '--approve'])
  expect(ran.code, ran.all).toBe(0)
  expect(repo.git(['ls-tree', '--name-only', 'plan/p']).split('\n')).not.toContain('gen.txt')
  expect(repo.read('gen.txt')).toBe('generated\n')
  expect(repo.status()).toBe('')
})

test('a file that a step takes out of the index without ignoring it stays tracked', async ({ repo }) => {
  repo.write('.plans/p.md', planText('  - {id: untrack, run: git rm -q --cached a.txt}'))
  expect((await repo.plan(['start', '.plans/p.md', '--approve'])).code).toBe(0)
  expect(repo.git(['ls-tree', '--name-only', 'plan/p']).split('\n')).toContain('a.txt')
  expect(repo.status()).toBe('')
})

test('a step can add a submodule', async ({ repo }) => {
  const other = repo.path('../other')
  mkdirSync(other)
  repo.git(['init', '-q', '-b', 'main'], { cwd: other })
  repo.git(
    ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-q', '--allow-empty', '-m', 'Other'],
    { cwd: other },
  )
  repo.write(
    '.plans/p.md',
    planText(`  - {id: sub, run: "git -c protocol.file.allow=always submodule add -q ${other} sub"}`),
  )
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran.code, ran.all).toBe(0)
  expect(repo.git(['ls-tree', 'plan/p', 'sub'])).toMatch(/^160000 commit /)
  expect(repo.status()).toBe('')
})
