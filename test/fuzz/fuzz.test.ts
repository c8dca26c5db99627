// A sample of the fuzz, and whether it would find out. All of it: `npm run test:fuzz`.

import { expect, test } from 'vitest'
import { fuzz, maxMegabytes, summed } from './run-fuzz.mjs'
import { some } from '../helpers/wide.ts'

test('a thousand spoilt plans and configurations: each is a plan or has findings with their places', async () => {
  const { shares, broken } = await fuzz({ plans: 715, seed: 1, jobs: 1, env: { FUZZ_LIMIT_MS: 'Infinity' } })
  expect(broken).toEqual([])
  const { judged, rules, grownMegabytes } = summed(shares)
  const sum = (name: string): number =>
    Object.values(judged as Record<string, Record<string, number>>).reduce(
      (all, counts) => all + (counts[name] ?? 0),
      0,
    )
  expect(sum('accepted') + sum('refused')).toBeGreaterThanOrEqual(1000)
  // Inputs that are all refused at their first line would prove little.
  expect(sum('accepted')).toBeGreaterThan(40)
  expect(Object.keys(rules).length).toBeGreaterThan(12)
  expect(grownMegabytes).toBeLessThan(maxMegabytes)
})

test.each(
  some(
    [
      ['throws', 'throw', 'nothing thrown'],
      ['names no place', 'place', 'places'],
      ['never ends', 'hang', 'time'],
      ['takes all memory', 'memory', 'memory'],
    ] as const,
    [0],
  ),
)('a reader that %s is found, with a small input that shows it', async (_, fault, promise) => {
  const { broken } = await fuzz({
    plans: 40,
    seed: 1,
    jobs: 1,
    entry: 'faulty-entry.ts',
    hangMs: fault === 'hang' ? 1500 : 30_000,
    tries: 1,
    enough: 1,
    env: { FUZZ_FAULT: fault, FUZZ_LIMIT_MS: 'Infinity' },
  })
  expect(broken.length).toBeGreaterThan(0)
  const [first] = broken
  expect(first).toMatchObject({ promise })
  const small = Buffer.from(String(first?.base64), 'base64')
  expect(small.toString()).toContain('run: ')
  if (fault === 'throw') expect(small.toString()).toBe('run: ')
})
