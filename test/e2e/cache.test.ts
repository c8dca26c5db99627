// The step cache: when a result is used again, and when not.

import { expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

const countingPlan = (keys: string, more = ''): string =>
  planText(
    `  - {id: one, run: "echo x >> $COUNT; wc -c < a.txt > size.txt", verify: "test -s size.txt", ${keys}}${more}`,
  )

const prepared = (repo: TestRepo, text: string): void => {
  repo.env['COUNT'] = `${repo.home}/count`
  repo.write('../home/count', '')
  repo.write('../p.md', text)
}
const runs = (repo: TestRepo): number => repo.read('../home/count').length / 2
const replayed = async (repo: TestRepo): Promise<(string | null)[]> =>
  ((await repo.json(['status', 'p'])) as unknown as { steps: { replayed: string | null }[] }).steps.map(
    (step) => step.replayed,
  )

test('a rollback, a replan and a rebase use the result of the first run', async ({ repo }) => {
  prepared(repo, countingPlan('cache: {inputs: [a.txt]}', '\n  - {id: two, create: two.txt, content: two}'))
  expect((await repo.plan(['start', '../p.md', '--approve'])).code).toBe(0)
  const first = repo.git(['rev-parse', 'HEAD~2'])
  await repo.plan(['rollback', 'p', '--all'])
  const again = await repo.plan(['resume', 'p'])
  expect(again.stderr).toContain(`replayed from ${first.slice(0, 7)}, not run`)
  expect(await replayed(repo)).toEqual([first, null])
  expect(repo.git(['log', '-1', '--format=%(trailers:key=Plan-Verified,valueonly)', 'HEAD~2'])).toContain('size.txt')
  await repo.plan(['rollback', 'p', '--all'])
  repo.write('../r.md', countingPlan('cache: {inputs: [a.txt]}, title: Another title'))
  expect((await repo.plan(['replan', 'p', '--from', '../r.md'])).code).toBe(0)
  expect((await repo.plan(['resume', 'p', '--approve'])).code).toBe(0)
  repo.git(['checkout', '-q', 'main'])
  repo.write('other.txt', 'other\n')
  repo.commit('Base moved')
  const rebased = await repo.plan(['rebase', 'p', '--approve'])
  expect(rebased.code, rebased.all).toBe(0)
  expect(runs(repo)).toBe(1)
  expect((await replayed(repo))[0]).toBe(first)
  expect((await repo.plan(['audit', 'p'])).code).toBe(0)
})

test('another input, another text, --no-cache and the policy run it', async ({ repo }) => {
  prepared(repo, countingPlan('cache: true'))
  await repo.plan(['start', '../p.md', '--approve'])
  const again = async (...args: string[]): Promise<number> => {
    await repo.plan(['rollback', 'p', '--all'])
    expect((await repo.plan(['resume', 'p', ...args])).code).toBe(0)
    return runs(repo)
  }
  expect(await again()).toBe(1)
  expect(await again('--no-cache')).toBe(2)
  expect(await again('-j', '4')).toBe(2)
  repo.write('../p.md', countingPlan('cache: true, env: {A: b}'))
  await repo.plan(['rollback', 'p', '--all'])
  await repo.plan(['replan', 'p', '--from', '../p.md'])
  await repo.plan(['resume', 'p', '--approve'])
  expect(runs(repo)).toBe(3)
  expect((await repo.plan(['cache', 'list'])).stdout.trim().split('\n')).toHaveLength(2)
  expect((await repo.plan(['cache', 'clear', 'p'])).stdout).toBe('Removed 2 results\n')
  expect(await again()).toBe(4)
  await repo.plan(['finish', 'p'])
  repo.write('.plans/config.yml', 'cache: false\n')
  repo.commit('No cache')
  repo.write('../q.md', countingPlan('cache: true, env: {A: b}').replace('size.txt"', 'size2.txt"'))
  await repo.plan(['start', '../q.md', '--approve'])
  expect(runs(repo)).toBe(5)
})

test('a result that this clone did not make is not used, nor one of a step with secrets or an effect', async ({
  repo,
}) => {
  prepared(repo, countingPlan('cache: true'))
  await repo.plan(['start', '../p.md', '--approve'])
  const [ref = ''] = repo.git(['for-each-ref', '--format=%(refname)', 'refs/plan-local/p/cache']).split('\n')
  // Somebody else's commit with the same claims.
  const forged = repo.git(['commit-tree', 'HEAD^^{tree}', '-p', 'HEAD~2', '-m', 'x\n\nPlan-Step: one'])
  repo.git(['update-ref', ref, forged])
  await repo.plan(['rollback', 'p', '--all'])
  await repo.plan(['resume', 'p'])
  expect(runs(repo)).toBe(2)
  repo.env['KEY'] = 'value'
  repo.write(
    '../q.md',
    planText(
      '  - {id: s, run: "echo $KEY", secrets: [KEY], cache: true}\n  - {id: e, run: "echo", effect: external, cache: true}',
    ),
  )
  await repo.plan(['finish', 'p'])
  expect((await repo.plan(['start', '../q.md', '--approve'])).code).toBe(0)
  expect(repo.git(['for-each-ref', 'refs/plan-local/q/cache'])).toBe('')
})

test('a result is not used if a file that the step writes differs, nor if a check fails on the other files', async ({
  repo,
}) => {
  const inputs = 'cache: {inputs: [a.txt]}'
  prepared(repo, countingPlan(`${inputs}, files: [size.txt]`))
  repo.write('size.txt', 'edited\n')
  repo.commit('An old result')
  expect((await repo.plan(['start', '../p.md', '--approve'])).code).toBe(0)
  await repo.plan(['rollback', 'p', '--all'])
  await repo.plan(['cancel', 'p'])
  repo.git(['checkout', '-q', 'main'])
  repo.write('size.txt', 'edited again\n')
  repo.commit('Another old result')
  repo.write('../q.md', countingPlan(`${inputs}, files: [size.txt]`))
  expect((await repo.plan(['start', '../q.md', '--approve'])).code).toBe(0)
  expect(runs(repo)).toBe(2)

  repo.git(['checkout', '-q', 'main'])
  const checked = `  - {id: one, run: "echo x >> $COUNT; cp b.txt copy.txt", verify: "cmp b.txt copy.txt", ${inputs}}`
  repo.write('b.txt', '1\n')
  repo.commit('Not an input')
  repo.write('../r.md', planText(checked))
  expect((await repo.plan(['start', '../r.md', '--approve'])).code).toBe(0)
  expect(runs(repo)).toBe(3)
  repo.git(['checkout', '-q', 'main'])
  repo.write('b.txt', '2\n')
  repo.commit('It changes')
  repo.write('../s.md', planText(checked))
  const ran = await repo.plan(['start', '../s.md', '--approve'])
  expect(ran.code, ran.all).toBe(0)
  expect(runs(repo)).toBe(4)
  expect(repo.read('copy.txt')).toBe('2\n')
})

test('another plan uses a result without the file of the plan that made it', async ({ repo }) => {
  prepared(repo, countingPlan('cache: true'))
  expect((await repo.plan(['start', '../p.md', '--approve'])).code).toBe(0)
  repo.git(['checkout', '-q', 'main'])
  repo.write('../q.md', countingPlan('cache: true'))
  const ran = await repo.plan(['start', '../q.md', '--approve'])
  expect(ran.code, ran.all).toBe(0)
  expect(runs(repo)).toBe(1)
  expect(repo.git(['ls-tree', '-r', '--name-only', 'HEAD', '.plans'])).toBe('.plans/q.md')
})

test('a result is not used where it would undo a change of somebody else', async ({ repo }) => {
  repo.write('list.txt', 'one\n')
  repo.commit('A list')
  prepared(repo, planText('  - {id: one, run: "echo x >> $COUNT; echo two >> list.txt", cache: {inputs: [a.txt]}}'))
  expect((await repo.plan(['start', '../p.md', '--approve'])).code).toBe(0)
  repo.git(['checkout', '-q', 'main'])
  repo.write('list.txt', 'zero\none\n')
  repo.commit('More')
  const rebased = await repo.plan(['rebase', 'p', '--approve'])
  expect(rebased.code, rebased.all).toBe(0)
  expect(repo.read('list.txt')).toBe('zero\none\ntwo\n')
  expect(runs(repo)).toBe(2)
})

test('another plan gets the changes of the step, and not the plan file of the first', async ({ repo }) => {
  prepared(repo, countingPlan('cache: {inputs: [a.txt]}'))
  expect((await repo.plan(['start', '../p.md', '--approve'])).code).toBe(0)
  repo.git(['checkout', '-q', 'main'])
  repo.write('../q.md', countingPlan('cache: {inputs: [a.txt]}'))
  const ran = await repo.plan(['start', '../q.md', '--approve'])
  expect(ran.code, ran.all).toBe(0)
  expect(runs(repo)).toBe(1)
  expect(repo.git(['ls-files', '.plans', 'size.txt'])).toBe('.plans/q.md\nsize.txt')
})
