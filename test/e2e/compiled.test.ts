// What Node 20 has compiled is kept for the next run of the same command; a run without it, or with something else in its place, is the same.

import { chmodSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { test } from '../helpers/repo.ts'

const isByHand = Number(process.versions.node.split('.')[0]) < 22

test.runIf(isByHand)('what was compiled is kept, used, and never needed', async ({ repo }) => {
  const cache = join(repo.home, 'cache')
  repo.env['XDG_CACHE_HOME'] = cache
  const kept = (): string[] => readdirSync(join(cache, 'git-plan')).toSorted()
  const first = await repo.plan(['list'], { isBinary: true })
  expect(first.code).toBe(0)
  // Of a chunk by itself only what is large, under its name and its text.
  const packs = kept().filter((name) => !/-[0-9A-Z]{8}-[0-9a-f]+-list$/.test(name))
  expect(packs.map((name) => name.replace(/^v[\d.]+-\w+-(\w+)-[0-9a-f]+-/, '$1 '))).toEqual(['reading list', 'start list'])
  expect((await repo.plan(['list'], { isBinary: true })).stdout).toBe(first.stdout)

  // V8 itself would die of most of these.
  for (const at of [0, 4, 20, 5000, 60_000, -1]) {
    for (const name of kept()) {
      const bytes = readFileSync(join(cache, 'git-plan', name))
      const place = Math.min(at < 0 ? bytes.length + at : at, bytes.length - 1)
      bytes.writeUInt8(bytes[place]! ^ 0xff, place)
      writeFileSync(join(cache, 'git-plan', name), bytes)
    }
    expect(await repo.plan(['list'], { isBinary: true })).toMatchObject({ code: 0, stdout: first.stdout })
  }
  for (const length of [0, 3, 4, 1000]) {
    for (const name of kept()) truncateSync(join(cache, 'git-plan', name), length)
    expect(await repo.plan(['list'], { isBinary: true })).toMatchObject({ code: 0, stdout: first.stdout })
  }

  // A word that is no command keeps nothing.
  const before = kept()
  expect((await repo.plan(['lits'], { isBinary: true })).code).toBe(2)
  expect(kept()).toEqual(before)

  repo.env['XDG_CACHE_HOME'] = join(repo.home, 'open')
  await repo.plan(['list'], { isBinary: true })
  chmodSync(join(repo.home, 'open/git-plan'), 0o777)
  expect((await repo.plan(['-h'], { isBinary: true })).code).toBe(0)
  expect(readdirSync(join(repo.home, 'open/git-plan')).some((name) => name.endsWith('-other'))).toBe(false)
  expect(existsSync(join(repo.dir, '.cache'))).toBe(false)
})
