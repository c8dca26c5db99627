// A step that fails: its files and its output. The ways to continue are in test/scripts.

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { expect } from 'vitest'
import { drawn, keyBlock, tokens } from '../helpers/drawn-secrets.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

const start = (repo: TestRepo, steps: string, ...args: string[]) => {
  repo.write('.plans/demo.md', planText(steps))
  return repo.plan(['start', '.plans/demo.md', '--approve', ...args])
}

test('a kept tree: files that the failed step ignored are not taken for those of the user', async ({ repo }) => {
  const steps = `  - {id: one, run: 'echo $PLAN_ATTEMPT > gen; test $PLAN_ATTEMPT != 1 || { echo gen > .gitignore; exit 1; }'}`
  expect((await start(repo, steps, '--keep-tree')).code).toBe(1)
  const ran = await repo.plan(['resume', 'demo'])
  expect(ran.code, ran.all).toBe(0)
  expect([repo.status(), repo.git(['show', 'plan/demo:gen'])]).toEqual(['', '3'])
  expect(repo.git(['show', 'refs/plan/demo/attempts/one/2:gen'])).toBe('1')
})

test('before anything runs, files of done steps must exist, unless a later step deleted or moved them', async ({
  repo,
}) => {
  const makes = 'run: "mkdir old; touch seen.txt gone.txt old/x; echo dist > .gitignore; touch dist"'
  const steps = [
    '{id: made, create: made.txt, content: made}',
    `{id: seen, ${makes}, verify: [{exists: seen.txt}, {exists: gone.txt}, {exists: old/x}, {exists: dist}]}`,
    '{id: move, move: old, to: new}',
    '{id: remove, run: rm gone.txt dist}',
    '{id: delete, delete: new}',
    '{id: bad, run: test -e fixed.txt}',
  ]
  expect((await start(repo, steps.map((step) => `  - ${step}`).join('\n'))).code).toBe(1)
  rmSync(repo.path('made.txt'))
  rmSync(repo.path('seen.txt'))
  repo.write('fixed.txt', '')
  const refused = await repo.plan(['resume', 'demo', '--fix'])
  expect(refused.code, refused.all).toBe(2)
  for (const file of ['made.txt', 'seen.txt']) expect(refused.all).toContain(`${file} is missing`)
  const [, words = ''] = /git (restore .*) && git plan resume demo --fix/.exec(refused.all) ?? []
  repo.git(words.split(' '))
  const ran = await repo.plan(['resume', 'demo', '--fix'])
  expect(ran.code, ran.all).toBe(0)
  expect([repo.read('made.txt'), existsSync(repo.path('seen.txt'))]).toEqual(['made', true])
})

test('tokens and passwords of addresses are masked without being declared', async ({ repo }) => {
  const [github] = tokens
  repo.write('token.txt', `${github?.secret}\nhttps://deploy:${drawn('word', 16)}@git.acme.io/a\n${keyBlock('RSA ')}\n`)
  repo.git(['add', 'token.txt'])
  repo.git(['commit', '-m', 'token'])
  const ran = await start(repo, '  - {id: one, run: "cat token.txt; exit 1"}', '--json')
  expect(ran.code).toBe(1)
  const log = readFileSync(repo.path('.git/plan/demo/logs/one-1.log'), 'utf8')
  for (const text of [ran.all, log, repo.git(['notes', '--ref=refs/notes/plan/demo', 'show', 'plan/demo'])]) {
    expect(text).toContain('deploy:[secret]@git.acme.io')
    expect(text).not.toContain(github?.secret)
    expect(text).not.toContain(drawn('word', 16))
    expect(text).not.toContain(keyBlock('RSA ').split('\n')[2])
  }
})

test('what a failed step left is no test for a runner that looks into every directory', async ({ repo }) => {
  repo.write('good.test.mjs', 'import "node:test"\n')
  repo.commit('A test')
  const ran = await start(
    repo,
    '  - {id: one, run: "echo throw 1 > bad.test.mjs; exit 1"}\n  - {id: two, needs: [], run: node --test}',
  )
  expect(ran.code, ran.all).toBe(1)
  const skipped = await repo.plan(['resume', 'demo', '--skip', 'one'])
  expect(skipped, skipped.all).toMatchObject({ code: 0 })
})
