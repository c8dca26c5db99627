// What Node 20 has compiled is kept for the next run of the same command; a run without it, or with something else in its place, is the same.

import { chmodSync, existsSync, readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { test } from '../helpers/repo.ts'

const isByHand = Number(process.versions.node.split('.')[0]) < 22

test.runIf(isByHand)('what was compiled is kept, used, and never needed', async ({ repo }) => {
  const cache = join(repo.home, 'cache')
  repo.env['XDG_CACHE_HOME'] = cache
  const kept = (): string[] => readdirSync(join(cache, 'git-plan')).toSorted()
  const first = await repo.plan(['list'])
  expect(first.code).toBe(0)
  expect(kept().map((name) => name.replace(/^v[\d.]+-\w+-(\w+)-[0-9a-f]+-/, '$1 '))).toEqual(['reading list', 'start list'])
  expect((await repo.plan(['list'])).stdout).toBe(first.stdout)

  for (const name of kept()) truncateSync(join(cache, 'git-plan', name), 0)
  expect((await repo.plan(['list'])).stdout).toBe(first.stdout)

  // A word that is no command keeps nothing.
  const before = kept()
  expect((await repo.plan(['lits'])).code).toBe(2)
  expect(kept()).toEqual(before)

  repo.env['XDG_CACHE_HOME'] = join(repo.home, 'open')
  await repo.plan(['list'])
  chmodSync(join(repo.home, 'open/git-plan'), 0o777)
  expect((await repo.plan(['-h'])).code).toBe(0)
  expect(readdirSync(join(repo.home, 'open/git-plan')).some((name) => name.endsWith('-other'))).toBe(false)
  expect(existsSync(join(repo.dir, '.cache'))).toBe(false)
})
