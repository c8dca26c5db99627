import { expect } from 'vitest'
import { planText, test } from '../helpers/repo.ts'

test('a plan file given to start becomes a branch with one commit a step', async ({ repo }) => {
  repo.write('.plans/demo.md', planText('  - {id: one, run: echo 1 > one.txt}\n  - {id: two, create: two.txt, content: "2\\n"}'))
  const ran = await repo.plan(['start', '.plans/demo.md', '--approve'])
  expect(ran.all).toContain('Completed demo')
  expect(ran.code).toBe(0)
  expect(repo.subjects('plan/demo')).toEqual(['Completed: demo', 'Create two.txt', 'Run echo 1 > one.txt', 'Approved: demo', 'Plan: demo', 'First'])
  expect(repo.status()).toBe('')
  expect(repo.fsck()).toBe('')
})
