// What list keeps of plans changes nothing of what it says.

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { list, type ListData } from '../../src/commands/list.ts'
import { PlanError } from '../../src/errors.ts'
import { Repository } from '../../src/git/repository.ts'
import { change, changes, type Change, type World } from '../helpers/list-changes.ts'
import { ManyPlans } from '../helpers/many-plans.ts'

/** Enough to be kept. */
const count = 70
let repo: ManyPlans
afterEach(() => {
  vi.restoreAllMocks()
  repo.remove()
})

const tableOf = ({ root }: ManyPlans): string => join(root, '.git/plan/list.table')

/** With how many plan files were read. A configuration may be such that there is no list: then why. */
async function listed({ repo, now }: World): Promise<{ data: ListData; read: number }> {
  const read = vi.spyOn(Repository.prototype, 'readBlob')
  try {
    const { data } = await list({}, repo.context({ now: () => now })).catch((error: unknown) => {
      if (!(error instanceof PlanError)) throw error
      return { data: { plans: [], unreadable: [{ id: '', code: error.code, message: error.message }] } }
    })
    return { data, read: read.mock.calls.length }
  } finally {
    read.mockRestore()
  }
}

const kinds = Object.keys(changes) as (keyof typeof changes)[]
const anyChange = fc.tuple(fc.constantFrom(...kinds), fc.nat(999)) satisfies fc.Arbitrary<Change>
const rounds = fc.array(fc.tuple(fc.array(anyChange, { minLength: 1, maxLength: 3 }), fc.boolean()), { minLength: 8, maxLength: 8 })
const numRuns = process.env['GIT_PLAN_TESTS'] === 'wide' ? 30 : 2

test('a list is the same with and without it, whatever has changed since', { timeout: numRuns * 30_000 }, async () => {
  let spared = 0
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      repo = new ManyPlans(count)
      const world: World = { repo, now: new Date('2025-01-02T00:00:00Z') }
      try {
        await listed(world)
        for (const [some, isOldKept] of all) {
          for (const each of some) await change(world, each)
          const withTable = await listed(world)
          const old = existsSync(tableOf(repo)) ? readFileSync(tableOf(repo)) : undefined
          rmSync(tableOf(repo), { force: true })
          const without = await listed(world)
          expect(withTable.data).toEqual(without.data)
          spared += without.read - withTable.read
          // The same one over many changes, or a fresh one.
          if (isOldKept && old !== undefined) writeFileSync(tableOf(repo), old)
        }
      } finally {
        repo.remove()
      }
    }),
    // Each run takes seconds: a smaller example is not worth minutes.
    { numRuns, endOnFailure: true },
  )
  expect(spared).toBeGreaterThan(count)
})

test('plans that it has read before are not read again, and a change of one is the only one that is read', async () => {
  repo = new ManyPlans(count)
  const world: World = { repo, now: new Date('2025-01-02T00:00:00Z') }
  const first = await listed(world)
  expect(first.data.plans).toHaveLength(count)
  const second = await listed(world)
  expect(second).toEqual({ data: first.data, read: 0 })
  await change(world, ['an event of the plan', 7])
  const third = await listed(world)
  expect(third.read).toBe(1)
  expect(third.data.plans.find(({ id }) => id === 'plan-7')).not.toEqual(first.data.plans.find(({ id }) => id === 'plan-7'))
  // What was one of many changes is not worth the writing; it is found as before.
  renameSync(tableOf(repo), `${tableOf(repo)}.old`)
  expect((await listed(world)).data).toEqual(third.data)
})
