// Refs of a plan that carry a number, beside refs with names that somebody else has made up: anybody who can push can
// make those.

import { expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

const kept = (repo: TestRepo): string[] =>
  repo.git(['for-each-ref', '--format=%(refname:lstrip=3)', 'refs/plan/demo']).split('\n')

const steps = [
  '  - {id: one, create: one.txt, content: "1"}',
  `  - {id: pay, effect: external, run: 'echo paid > paid.txt', undo: 'true'}`,
  `  - {id: last, run: 'test -e .git/fixed'}`,
].join('\n')

async function propose(repo: TestRepo, planted: readonly string[]): Promise<void> {
  repo.write('.plans/demo.md', planText(steps))
  expect((await repo.plan(['new', '--from', '.plans/demo.md'])).code).toBe(0)
  for (const name of planted) repo.git(['update-ref', `refs/plan/demo/${name}`, 'HEAD'])
}

test('a ref whose name is not a number changes no number', async ({ repo }) => {
  const planted = [
    'attempts/last/x',
    'attempts/last/0',
    'attempts/last/1.5',
    'effects/pay/x',
    'effects/pay/1e3',
    'rollbacks/x',
  ]
  await propose(repo, planted)
  expect((await repo.plan(['start', 'demo', '--approve'])).code).toBe(1)
  repo.write('.git/fixed', '')
  const resumed = await repo.plan(['resume', 'demo', '--retry', 'last'])
  expect(resumed.code, resumed.all).toBe(0)
  const back = await repo.plan(['rollback', 'demo', '--all'])
  expect(back.code, back.all).toBe(0)
  expect(kept(repo).toSorted()).toEqual([...planted, 'attempts/last/1', 'effects/pay/1', 'rollbacks/1'].toSorted())
})

test('where no number is left, and where a ref is in the way, the refusal names the ref to remove', async ({
  repo,
}) => {
  const inTheWay = ['attempts/last/999999', 'attempts/last', 'attempts/last/1/x'].map(
    (name) => `refs/plan/demo/${name}`,
  )
  await propose(repo, [])
  for (const [at, ref] of inTheWay.entries()) {
    repo.git(['update-ref', ref, 'HEAD'])
    const ran = await repo.plan(at === 0 ? ['start', 'demo', '--approve'] : ['resume', 'demo'])
    expect(ran.code, ran.all).toBe(2)
    expect(ran.all).toContain(`Hint: git update-ref -d ${ref}\n`)
    repo.git(['update-ref', '-d', ref])
  }
  const ran = await repo.plan(['resume', 'demo'])
  expect(ran.code, ran.all).toBe(1)
  expect(kept(repo)).toContain('attempts/last/1')
})

test('what a failed step left in the tree belongs to that step, whatever other refs say', async ({ repo }) => {
  repo.write('.plans/demo.md', planText(`  - {id: last, run: 'echo made.txt > .gitignore; echo 1 > made.txt; exit 1'}`))
  expect((await repo.plan(['start', '.plans/demo.md', '--approve', '--keep-tree'])).code).toBe(1)
  repo.git(['update-ref', 'refs/plan/demo/attempts/other/x', 'refs/plan/demo/attempts/last/1'])
  const back = await repo.plan(['rollback', 'demo', '--all'])
  expect(back.code, back.all).toBe(0)
  expect(kept(repo).filter((name) => name.startsWith('attempts/'))).toEqual([
    'attempts/last/1',
    'attempts/last/2',
    'attempts/other/x',
  ])
})
