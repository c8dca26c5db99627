import { expect } from 'vitest'
import { planText, test } from '../helpers/repo.ts'

test('a step that uses more processor time than its limit is ended', async ({ repo }) => {
  repo.write('.plans/p.md', planText('  - {id: busy, run: "while :; do :; done", limits: {cpu: 1s}, timeout: 50s}'))
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran.code, ran.all).toBe(1)
  expect(ran.all).toMatch(/killed by a signal \(SIG(XCPU|KILL)\)/)
})

test('a step that takes more memory than its limit fails, and one that stays below it does not', async ({ repo }) => {
  const take = (megabytes: number): string =>
    `${process.execPath} -e 'console.log(Buffer.alloc(${megabytes} * 1024 * 1024, 1).length)'`
  repo.write(
    '.plans/p.md',
    planText(
      `  - {id: small, run: "${take(1)}", limits: {memory: 2gb}}\n  - {id: large, run: "${take(3000)}", limits: {memory: 2gb}}`,
    ),
  )
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran.code, ran.all).toBe(1)
  const { steps } = (await repo.json(['status', 'p'])) as unknown as { steps: { id: string; status: string }[] }
  expect(steps.map(({ id, status }) => [id, status])).toEqual([
    ['small', 'done'],
    ['large', 'failed'],
  ])
})
